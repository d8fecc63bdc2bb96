"""Hypotheses about bytes."""
