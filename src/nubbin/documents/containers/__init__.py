"""Files that hold others: what is in them, and how they are put together again."""
