"""Means of many battles in one backward pass: outcomes, captures, losses and rounds of every start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOMES
from battlecalc.engines import exact
from battlecalc.engines.backward import Stretch, walk_back
from battlecalc.engines.ends import meanings, outcomes_of
from battlecalc.engines.payoffs import DEFENDER_RETREATS, left_value
from battlecalc.engines.stopping import in_runs
from battlecalc.program.lattice import Lattice
from battlecalc.program.program import Program

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Means:
    """What most callers want of one battle.

    Attributes
    ----------
    outcomes : tuple of float, in the order of `OUTCOMES`
    captures : float
    held : float
        Chance that the attacker holds the territory at the end.
    value_lost : (attacker's, defender's) mean, in IPC
    rounds : float
        Mean number of rounds.
    """

    outcomes: tuple[float, ...]
    captures: float
    held: float
    value_lost: tuple[float, float]
    rounds: float


def lattice_means(lattice: Lattice, start_values: Sequence[tuple[float, float]]) -> list[Means]:
    """Return the means of every battle of a lattice.

    Parameters
    ----------
    start_values : for each battle the (attacker's, defender's) value before it, in IPC
    """
    program = lattice.program
    worth, outcomes = _worth(program)
    start = _backward(program, worth, clock=len(outcomes) + 4)
    a, d = np.array(lattice.starts).T
    table = start[a, d]
    found = []
    for row, values in zip(table.tolist(), start_values, strict=True):
        by_outcome = [0.0] * len(OUTCOMES)
        for number, outcome in enumerate(outcomes):
            by_outcome[outcome] = row[number]
        captures, held, left_a, left_d, rounds = row[len(outcomes) :]
        lost = (values[0] - left_a, values[1] - left_d)
        found.append(Means(tuple(by_outcome), captures, held, lost, rounds))
    return found


def _worth(program: Program) -> tuple[Floats, list[int]]:
    """Return what every end counts, (slots, SA, SD, W): outcomes that can come, and the rest of `Means`."""
    slots = 2 + len(program.slots)
    slot, a, d = (grid.ravel() for grid in np.indices((slots, *program.sizes)))
    outcome, a, d = outcomes_of(program, slot, a, d)
    attacker, defender = meanings(program)
    possible = [int(o) for o in np.unique(outcome)]
    wins = outcome == 0
    captures = attacker.holds[a] & wins
    held = attacker.holds[a] & (wins | (outcome == DEFENDER_RETREATS))
    columns = [outcome == o for o in possible]
    columns += [captures, held, left_value(attacker)[a], left_value(defender)[d], np.zeros(len(a))]
    shape = (slots, *program.sizes, len(columns))
    worth: Floats = np.stack(columns, axis=-1).astype(np.float64).reshape(shape)
    return worth, possible


def _backward(program: Program, worth: Floats, clock: int) -> Floats:
    """Means at the start of the battle, for every pair of states, (SA, SD, W)."""
    from battlecalc.engines import compiled

    room = exact.Room(program)

    def go(stretch: Stretch) -> Floats:
        variant = stretch.variant
        value = np.zeros((variant.count, *worth.shape[1:]))
        average = partial(
            compiled.average,
            program.words,
            program.probabilities,
            program.answers,
            program.row_records,
            *program.signatures,
            variant.ops,
            variant.count,
            stretch.both,
            stretch.loop,
            worth,
            clock if stretch.main else -1,
            value,
            np.ascontiguousarray(stretch.after),
            *room.of(variant.count),
            np.zeros(worth.shape[-1]),
            np.zeros(variant.count + 1),
            room.place,
        )
        in_runs(average, program.cells)
        start: Floats = value[0]
        return start

    return walk_back(program, worth, go)
