"""The schedule walked from its end: the order in which values are pulled back, whatever is pulled."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines.exact import round_limit
from battlecalc.program.program import Program, StageCode, Variant

Floats = NDArray[np.float64]
Values = dict[int, Floats]


class Stretch(NamedTuple):
    """One variant to be walked back.

    Attributes
    ----------
    variant : Variant
    after : ndarray, shape (attacker's states, defender's states, ...)
        Values of what comes after it.
    loop : bool
        Steady rounds: what comes after it is itself.
    both : offset of the table of signatures for which the stage goes on, -1: all
    main : bool
        Whether it is part of the main battle.
    """

    variant: Variant
    after: Floats
    loop: bool
    both: int
    main: bool


def walk_back(program: Program, ends: Floats, go: Callable[[Stretch], Floats]) -> Floats:
    """Return the values at the start of a battle, for every pair of states.

    Parameters
    ----------
    ends : ndarray, shape (slots, attacker's states, defender's states, ...)
        Values of every end.
    go : callable
        Walks one stretch back: the values at its start.
    """
    over = program.verdict_of_cells() >= 0
    extra = (1,) * (ends.ndim - 3)
    after = np.where(over.reshape(*over.shape, *extra), ends[0], ends[-1])
    values: Values = dict.fromkeys(range(3), after)
    for code in reversed(program.stages):
        if code.advantage >= 0:
            holder = program.pairs(code.advantage)
            chosen = np.choose(holder.reshape(*holder.shape, *extra), [values[n] for n in range(3)])
            values = dict.fromkeys(range(3), chosen)
        values = _stage(program, code, values, go)
    return values[0]


def _stage(program: Program, code: StageCode, values: Values, go: Callable[[Stretch], Floats]) -> Values:
    """Walk one stage back, for each side that may have the advantage; equal ways are walked once."""
    main = code.repeat == "rounds"
    limit = round_limit(program, code) if main else None
    for row in reversed(code.variants):
        first, last = row[0].first, row[0].last
        endless = code.repeat != "once" and last is None and limit is None
        if limit is not None:
            last = min(limit, last or limit)
        for _ in range(first, first + 1 if last is None else last + 1):
            made: Values = {}
            for holder in range(3):
                same = [n for n in made if row[n] is row[holder] and values[n] is values[holder]]
                if same:
                    made[holder] = made[same[0]]
                else:
                    stretch = Stretch(row[holder], values[holder], endless, code.both, main)
                    made[holder] = go(stretch)
            values = made
    return values
