"""nubbin finds the smallest input that still makes your program misbehave."""

from nubbin.search.minimize import Minimization, minimize

__all__ = ["Minimization", "minimize"]
