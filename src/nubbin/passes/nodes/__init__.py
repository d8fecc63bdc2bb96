"""Passes over the nodes of a syntax tree."""
