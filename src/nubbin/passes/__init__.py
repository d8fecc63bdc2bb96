"""Which edits are worth trying? One small file per pass."""
