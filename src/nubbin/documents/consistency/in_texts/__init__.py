"""Find dependent numbers in texts."""
