"""Tests that are started for each candidate: executables and command lines."""
