"""nubbin finds the smallest input that still makes your program misbehave."""
