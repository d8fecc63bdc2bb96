"""Reduce lists that are not files: the tests of a suite, and the commits of a history."""
