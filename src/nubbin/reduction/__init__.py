"""In which order, till when? The whole run: schedule, budget, fixpoint."""
