"""Run the user's test, of any kind, on a candidate."""
