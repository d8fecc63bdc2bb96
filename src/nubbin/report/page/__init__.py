"""A recorded run as one page: what a person attaches to a bug report."""
