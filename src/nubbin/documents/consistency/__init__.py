"""What follows in a file from the rest of it, and how that stays right."""
