"""Find out which files and lines a run uses."""
