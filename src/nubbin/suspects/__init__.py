"""What is to blame? Lists that are not files: the tests of a suite, the commits of a history."""
