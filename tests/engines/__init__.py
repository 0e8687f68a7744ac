"""Tests of the two engines: against the naive twin, published numbers and each other."""
