"""Where a test runs: its folder, the files in it, and what it cannot touch."""
