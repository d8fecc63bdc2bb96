"""Tell one failure from another: reports, messages, and conditions on both."""
