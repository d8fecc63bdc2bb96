"""What does a person watch? Recorded runs on a full screen, under way or ended; and steering."""
