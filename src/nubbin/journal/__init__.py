"""What must never be lost? The durable record of a run, and how it is read again."""
