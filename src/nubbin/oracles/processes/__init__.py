"""Processes: started, waited for, limited, and ended with all that they have started."""
