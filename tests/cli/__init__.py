"""Tests of the command line and of the package as it is installed."""
