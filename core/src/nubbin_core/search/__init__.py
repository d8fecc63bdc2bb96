"""Who is asked, and when? Drives a minimizer against an oracle."""
