"""What of a folder on disk is the input."""
