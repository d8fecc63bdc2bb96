"""What a user puts into a reduction: passes and repairs of their own, and other reducers."""
