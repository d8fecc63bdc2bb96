"""Passes over what is written more than once: names, definitions and their uses, repeated text."""
