"""Find out whether a test can be trusted. Each check is a function with advice on what it finds."""
