"""Tests that are started once: servers that are asked by the line, and Python functions."""
