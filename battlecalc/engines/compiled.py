"""The kernels, compiled: the only module that imports numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from battlecalc.engines import kernels


def _compile(kernel: Callable[..., Any]) -> Any:
    """Compile one kernel.

    ``nogil``: threads run it side by side; ``cache``: compiled once per machine; ``error_model="numpy"``: no branches for divisions
    by zero, none of which can happen. Not ``parallel``: blocks are spread over a thread pool (docs/method.md).
    """
    return numba.njit(nogil=True, cache=True, error_model="numpy")(kernel)


push = _compile(kernels.push)
simulate = _compile(kernels.simulate)


def is_compiled() -> bool:
    """Whether the simulator's machine code is at hand: compiled in this process, or in numba's cache on disk."""
    if not hasattr(simulate, "stats"):  # NUMBA_DISABLE_JIT
        return True
    if simulate.signatures:
        return True
    index = simulate._cache._impl.locator.get_cache_path() if hasattr(simulate, "_cache") else None
    if index is None:
        return False
    from pathlib import Path

    return any(Path(index).glob("kernels.simulate-*.nbc"))
