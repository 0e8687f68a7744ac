"""The kernels, compiled: the only module that imports numba."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import numba

from battlecalc.engines import kernels
from battlecalc.engines.stopping import RUN_SECONDS, look, stopped_by

# A kernel is compiled after all that it calls.
_ORDER = (
    "assign",
    "row_of",
    "struck",
    "spread",
    "verdict",
    "is_gone",
    "may_ask",
    "says_yes",
    "dice_are_rolled",
    "mark_dice",
    "fight_cell",
    "push",
    "pull",
    "average",
    "mixed",
    "roll",
    "simulate",
    "side_by_side",
)
# One more name for the machine code of a kernel that is called with other types: it is compiled only where
# it is needed, and `is_compiled` can tell.
_ALSO = {"side_by_side_in_parts": "side_by_side"}


def _compile() -> dict[str, Any]:
    """Compile all kernels, lazily: each when it is first called.

    They are copies whose globals name the compiled ones, so that the originals stay plain Python.
    ``nogil``: threads run them side by side; ``error_model="numpy"``: no branches for divisions by zero, none
    of which can happen. Not ``parallel``: blocks are spread over a thread pool (docs/method.md).
    """
    names = dict(vars(kernels))
    for name in (*_ORDER, *_ALSO):
        plain = vars(kernels)[_ALSO.get(name, name)]
        copy = FunctionType(plain.__code__, names, name, plain.__defaults__)
        copy.__module__, copy.__qualname__ = plain.__module__, plain.__qualname__
        names[name] = numba.njit(nogil=True, error_model="numpy")(copy)
        if hasattr(names[name], "compile"):  # else NUMBA_DISABLE_JIT
            _cache(names[name])
            names[name].compile = _apart(names[name].compile)
    return names


def _cache(compiled: Any) -> None:
    """Keep machine code on disk; where that cannot be, each process compiles anew, and nothing fails."""
    try:
        compiled.enable_caching()
    except RuntimeError:  # no directory that numba could write to
        return
    save = compiled._cache.save_overload

    def save_if_there_is_room(*overload: Any) -> None:
        with suppress(OSError):  # the disk is full, say
            save(*overload)

    compiled._cache.save_overload = save_if_there_is_room


def _apart(compile_it: Callable[..., Any]) -> Callable[..., Any]:
    """Let the main thread have a kernel compiled by another one, and wait for it.

    LLVM calls Python back meanwhile: what a signal's handler raises there is lost, and the machine code with
    it. Handlers run in the main thread only. So Ctrl-C is heard at once, and comes out when the kernel under
    way is compiled (some seconds); others that it is a part of are given up.
    """

    def stoppable(*signature: Any) -> Any:
        look()
        found = compile_it(*signature)
        look()
        return found

    def when_told(go: threading.Event, stop: threading.Event, signature: tuple[Any, ...]) -> Any:
        go.wait()
        with stopped_by(stop):
            return stoppable(*signature)

    def do(*signature: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return stoppable(*signature)  # and parts of a kernel: this thread holds numba's lock
        go, stop = threading.Event(), threading.Event()
        with ThreadPoolExecutor(1, thread_name_prefix="battlecalc-compiler") as pool:
            try:
                compiling = pool.submit(when_told, go, stop, signature)
                go.set()  # not before: a pool that is interrupted in `submit` does not wait for its thread
                while not compiling.done():  # a signal just before the wait begins does not end it
                    wait((compiling,), RUN_SECONDS)
                return compiling.result()
            finally:
                stop.set()
                go.set()

    return do


_compiled = _compile()
push = _compiled["push"]
pull = _compiled["pull"]
average = _compiled["average"]
simulate = _compiled["simulate"]
side_by_side = _compiled["side_by_side"]
side_by_side_in_parts = _compiled["side_by_side_in_parts"]
mark_dice = _compiled["mark_dice"]


def is_compiled(kernel: str) -> bool:
    """Whether machine code of a kernel is at hand: compiled in this process, or in numba's cache on disk."""
    compiled = _compiled[kernel]
    if not hasattr(compiled, "stats"):  # NUMBA_DISABLE_JIT
        return True
    if compiled.signatures:
        return True
    where = compiled.stats.cache_path
    return where is not None and any(Path(where).glob(f"kernels.{kernel}-*.nbc"))
