"""Show recorded runs on a full screen, under way or ended, and steer them."""
