"""Tests of the rules as data."""
