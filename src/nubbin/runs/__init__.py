"""Recorded runs, as everything that shows them reads them."""
