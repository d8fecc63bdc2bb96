"""Find dependent numbers in binary files."""
