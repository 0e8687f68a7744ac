"""The kernels, compiled: the only module that imports numba."""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import Any

import numba

from battlecalc.engines import kernels

# A kernel is compiled after all that it calls.
_ORDER = (
    "assign",
    "row_of",
    "struck",
    "spread",
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


def _compile() -> dict[str, Any]:
    """Compile all kernels, lazily: each when it is first called.

    They are copies whose globals name the compiled ones, so that the originals stay plain Python.
    ``nogil``: threads run them side by side; ``cache``: compiled once per machine; ``error_model="numpy"``:
    no branches for divisions by zero, none of which can happen. Not ``parallel``: blocks are spread over a
    thread pool (docs/method.md).
    """
    names = dict(vars(kernels))
    for name in _ORDER:
        plain = names[name]
        copy = FunctionType(plain.__code__, names, name, plain.__defaults__)
        copy.__module__, copy.__qualname__ = plain.__module__, plain.__qualname__
        names[name] = numba.njit(nogil=True, cache=True, error_model="numpy")(copy)
    return names


_compiled = _compile()
push = _compiled["push"]
pull = _compiled["pull"]
average = _compiled["average"]
simulate = _compiled["simulate"]
side_by_side = _compiled["side_by_side"]
mark_dice = _compiled["mark_dice"]


def is_compiled(kernel: str) -> bool:
    """Whether machine code of a kernel is at hand: compiled in this process, or in numba's cache on disk."""
    compiled = _compiled[kernel]
    if not hasattr(compiled, "stats"):  # NUMBA_DISABLE_JIT
        return True
    if compiled.signatures:
        return True
    return any(Path(compiled.stats.cache_path).glob(f"kernels.{kernel}-*.nbc"))
