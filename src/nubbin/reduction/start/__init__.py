"""What happens before the first list: inputs, learning, the check of the test, workers."""
