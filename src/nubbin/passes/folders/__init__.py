"""Passes over several files at once."""
