"""Find out whether a test can be trusted. Each file is a check with advice on what it finds."""
