"""Is it interesting? The user's test, however it is run."""
