"""Long compiled passes in short runs, so that they can be stopped: by Ctrl-C or by the thread's owner.

Python hears a signal between two calls of compiled code, and only in its main thread; other threads look at
an event.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# A run should take so long: short for a waiting user, long for the call of a function.
RUN_SECONDS = 0.1
# Work of the first run, some milliseconds; the clock says how much the next one may do.
_FIRST_WORK = 1_000_000


class Stopped(BaseException):
    """The thread's work is not wanted any more: no error, which others (numba, say) would catch and tell."""


class _Here(threading.local):
    event: threading.Event | None = None


_here = _Here()


@contextmanager
def stopped_by(event: threading.Event | None) -> Iterator[None]:
    """Let an event stop what this thread does meanwhile: `look` raises `Stopped` once it is set."""
    before = _here.event
    _here.event = event
    try:
        yield
    finally:
        _here.event = before


def look() -> None:
    """Raise `Stopped` where this thread should stop."""
    if _here.event is not None and _here.event.is_set():
        raise Stopped


def in_runs(run: Callable[[int, int], int], cells: int) -> None:
    """Call `run` until all cells are done, each time with as much work as the clock allows.

    Parameters
    ----------
    run : callable
        Takes the number of cells that are done and the work that it may do, returns how many are done then.

    Examples
    --------
    >>> in_runs(lambda done, work: print(done) or done + 60, 100)
    0
    60
    """
    work = _FIRST_WORK
    done = run(0, work)  # most battles are done then
    while done < cells:
        look()
        began = time.perf_counter()
        done = run(done, work)
        taken = time.perf_counter() - began
        # work is a guess: cells differ, so it grows slowly
        work = 1 + int(work * min(RUN_SECONDS / max(taken, 1e-9), 2.0))
