"""Observers that belong to a reduction: they record it, count for views, and obey commands."""
