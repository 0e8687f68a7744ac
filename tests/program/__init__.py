"""Tests of programs: what forces and rules become before an engine walks them."""
