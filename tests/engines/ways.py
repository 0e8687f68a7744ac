"""Two ways to one answer: counts that must be equal, and both faces of the exact engine's walker."""

from __future__ import annotations

from typing import Any

import numpy as np

from battlecalc.engines import kernels
from battlecalc.engines.montecarlo import Counted
from battlecalc.program.program import Program


def equal(one: Counted, other: Counted) -> bool:
    """Whether two simulations counted the same."""
    fields = ("cells", "counts", "rounds")
    return one.trials == other.trials and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in fields
    )


def plain(program: Program) -> tuple[Any, Any]:
    """Choose the walker in plain Python, as `exact` chooses."""
    return kernels.push, tuple(a.tolist() for a in (program.words, program.probabilities, program.answers))


def compiled(program: Program) -> tuple[Any, Any]:
    """Choose the compiled walker."""
    from battlecalc.engines import compiled

    return compiled.push, (program.words, program.probabilities, program.answers)
