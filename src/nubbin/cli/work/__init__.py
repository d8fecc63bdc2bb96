"""The work of the commands, imported when a command begins it."""
