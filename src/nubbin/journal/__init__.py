"""Record a run durably, so that it can be resumed and audited, and read the record."""
