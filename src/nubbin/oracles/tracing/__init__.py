"""What does a run use? Programs that write it down, and what reads that."""
