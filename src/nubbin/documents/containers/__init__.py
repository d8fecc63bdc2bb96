"""Files that contain others: unpack their members, and pack those that are kept."""
