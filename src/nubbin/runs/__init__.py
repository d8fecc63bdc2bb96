"""Read recorded runs, for everything that shows or continues them."""
