"""Show a reduction: live progress, log lines, summary, statistics and report pages."""
