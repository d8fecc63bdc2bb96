"""What observes a reduction and belongs to it: its recorder, its tally, who steers it."""
