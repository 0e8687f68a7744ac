"""Means of many battles in one backward pass: outcomes, captures, losses and rounds of every start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOMES
from battlecalc.engines import exact
from battlecalc.engines.ends import meanings, outcomes_of
from battlecalc.engines.payoffs import DEFENDER_RETREATS, left_value
from battlecalc.program.lattice import Lattice
from battlecalc.program.program import Program, StageCode, Variant

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
    possible = [int(o) for o in np.unique(outcome) if 0 <= o < len(OUTCOMES)]  # the others go on
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
    walk = _Walk(program, worth)
    over = (program.verdict_of_cells() >= 0)[..., None]
    after = np.where(over, worth[0], worth[-1])
    values = dict.fromkeys(range(3), after)
    for code in reversed(program.stages):
        if code.advantage >= 0:
            holder = program.pairs(code.advantage)[..., None]
            values = dict.fromkeys(range(3), np.choose(holder, [values[n] for n in range(3)]))
        values = walk.rounds(code, values, clock) if code.repeat == "rounds" else walk.stage(code, values)
    start: Floats = values[0]
    return start


class _Walk:
    def __init__(self, program: Program, worth: Floats) -> None:
        from battlecalc.engines import compiled

        self.program, self.worth = program, worth
        self.kernel = compiled.average
        self.room = exact.Room(program)

    def rounds(self, code: StageCode, values: dict[int, Floats], clock: int) -> dict[int, Floats]:
        """Walk the main battle back."""
        limit = exact.round_limit(self.program, code)
        for row in reversed(code.variants):
            first, last = row[0].first, row[0].last
            last = last if limit is None else min(limit, last or limit)
            for _ in range(first, first + 1 if last is None else last + 1):
                made: dict[int, Floats] = {}
                for holder in range(3):
                    same = [n for n in made if row[n] is row[holder] and values[n] is values[holder]]
                    made[holder] = (
                        made[same[0]]
                        if same
                        else self.variant(row[holder], values[holder], last is None, -1, clock)
                    )
                values = made
        return values

    def stage(self, code: StageCode, values: dict[int, Floats]) -> dict[int, Floats]:
        """Walk a stage before the main battle back."""
        for row in reversed(code.variants):
            made = {}
            for holder in range(3):
                variant, after = row[holder], values[holder]
                loop = code.repeat == "while both have" and variant.last is None
                for _ in range(variant.first, 1 + (variant.last or variant.first)):
                    after = self.variant(variant, after, loop, code.both, -1)
                made[holder] = after
            values = made
        return values

    def variant(self, variant: Variant, after: Floats, loop: bool, both: int, clock: int) -> Floats:
        """Walk one variant back."""
        program = self.program
        value = np.zeros((variant.count, *self.worth.shape[1:]))
        self.kernel(
            program.words,
            program.probabilities,
            program.answers,
            program.row_records,
            *program.signatures,
            variant.ops,
            variant.count,
            both,
            loop,
            self.worth,
            clock,
            value,
            np.ascontiguousarray(after),
            *self.room.of(variant.count),
            np.zeros(self.worth.shape[-1]),
            np.zeros(variant.count + 1),
            self.room.place,
        )
        start: Floats = value[0]
        return start
