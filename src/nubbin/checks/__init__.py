"""Can the test be trusted? One file per check, each of which says what it finds and what to do."""
