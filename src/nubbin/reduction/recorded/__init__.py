"""What is done with a recorded run: go on, restore, verify, look its proof up."""
