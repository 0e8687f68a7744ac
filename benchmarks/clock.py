"""Clocks: the best of several runs, so that what else the machine does is left out."""

from __future__ import annotations

import time
from collections.abc import Callable


def best(work: Callable[[], object], seconds: float = 0.5, least: int = 3) -> float:
    """Return the shortest time of `work`, run again and again for so many seconds."""
    found, spent, runs = float("inf"), 0.0, 0
    while spent < seconds or runs < least:
        start = time.perf_counter()
        work()
        taken = time.perf_counter() - start
        found, spent, runs = min(found, taken), spent + taken, runs + 1
    return found
