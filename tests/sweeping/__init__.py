"""Sweeps, required forces and many battles at once."""
