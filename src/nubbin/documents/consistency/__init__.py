"""Find the numbers of a file that depend on the rest of it, and correct them in every edit."""
