"""In which order, till when? The whole reduction: schedule, budget, fixpoint."""
