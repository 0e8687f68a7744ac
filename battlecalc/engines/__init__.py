"""The engines: two walkers of one Program, exact and simulated."""
