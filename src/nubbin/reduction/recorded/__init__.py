"""Continue a recorded run, write a candidate of it, and look up or repeat its proof."""
