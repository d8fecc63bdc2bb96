"""Read the input from disk, and decide which files of a folder belong to it."""
