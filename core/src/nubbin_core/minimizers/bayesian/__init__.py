"""Minimizers with a belief in what must stay, which each answer changes."""
