"""Start processes, wait for them, limit them, and end them with all their descendants."""
