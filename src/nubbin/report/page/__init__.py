"""Write the report of a recorded run as one page, for a bug tracker."""
