"""What tells one failure from another: reports, messages, conditions, and their expressions."""
