"""Tests that are started once: line servers and Python functions."""
