"""What does a person see? Live progress and statistics."""
