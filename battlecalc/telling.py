"""How far a long call is: told to the caller's own callable, or shown as a bar on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Told = Callable[[int, int], None]
Progress = Told | bool | None


def telling(progress: Progress, what: str = "trials") -> AbstractContextManager[Told]:
    """Return what is called with (done, total); a bar lasts as long as the context."""
    if callable(progress):
        return nullcontext(progress)
    if progress:
        from battlecalc.progress import Meter

        return Meter(what)
    return nullcontext(lambda done, total: None)
