"""The algorithms of the literature, one paper a file."""
