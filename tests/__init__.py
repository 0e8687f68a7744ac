"""Tests of battlecalc."""
