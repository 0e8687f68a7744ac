"""Odds of Axis & Allies style battles."""
