"""Chances as text."""

from __future__ import annotations


def percent(chance: float) -> str:
    """Write a chance.

    >>> percent(0.0412)
    '4.1 %'
    """
    return f"{100 * chance:.1f} %"
