"""Tests of `battlecalc.plots`."""
