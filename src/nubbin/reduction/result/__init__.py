"""The result: its place on disk, what it may replace, its readable copy, and whether it drifted."""
