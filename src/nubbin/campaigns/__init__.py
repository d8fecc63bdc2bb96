"""Reduce many inputs that make one command fail: one input for each failure."""
