"""Hypotheses about texts."""
