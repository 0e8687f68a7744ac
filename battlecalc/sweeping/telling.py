"""How far a long call is: told to the caller's own callable, or shown as a bar on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

Told = Callable[[int, int], None]
Progress = Told | bool | None


def told(stack: ExitStack, progress: Progress, what: str) -> Told:
    """Return what is called with (done, total); a bar lasts as long as `stack`."""
    if callable(progress):
        return progress
    if progress:
        from battlecalc.progress import Meter

        return stack.enter_context(Meter(what))
    return lambda done, total: None
