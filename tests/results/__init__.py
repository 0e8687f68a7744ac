"""Tests of `battlecalc.results`."""
