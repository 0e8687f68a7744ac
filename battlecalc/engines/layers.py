"""The exact answer round by round, worked out when somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import Meaning, RoundTable
from battlecalc.engines import kernels
from battlecalc.engines.exact import UNRESOLVED, Walk, round_limit, walk_rounds
from battlecalc.engines.stopping import in_runs
from battlecalc.program.layout import VERDICTS
from battlecalc.program.program import Program, StageCode, Variant

# The pass round by round stops when less than this is undecided; the last round takes that rest.
_TAIL = 1e-12
_MOST_ROUNDS = 100_000

Floats = NDArray[np.float64]


class _Counting(Walk):
    """A pass that keeps apart how many rounds with dice were fought.

    Most battles need one share for that: rounds without a die end them. Where a landing or a decision comes
    between, or a step waits for a later round, a round with dice can follow one without.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._marks: dict[int, NDArray[np.bool_]] = {}

    def parts(self, variant: Variant, share: Floats) -> list[tuple[int, Floats]]:
        """Take a share apart: what sees a die in this round, and what does not."""
        dice = self._with_dice(variant)
        split = ((1, np.where(dice, share, 0.0)), (0, np.where(dice, 0.0, share)))
        return [(more, part) for more, part in split if part.any()]

    def _with_dice(self, variant: Variant) -> NDArray[np.bool_]:
        if variant.ops not in self._marks:
            marks = np.zeros(self.shape, dtype=np.int8)
            words, _, answers = self.tables
            mark: Callable[..., int] = kernels.mark_dice
            if self.push is not kernels.push:
                from battlecalc.engines.compiled import mark_dice as mark
            part = partial(mark, words, answers, *self.program.signatures, variant.ops, variant.count, marks)
            in_runs(part, self.program.cells)
            over = self.pairs(int(self.program.words[variant.ops + VERDICTS])) >= 0
            self._marks[variant.ops] = (marks != 0) | over  # what is over goes no further
        return self._marks[variant.ops]


class Layers:
    """The time-layered pass of an exact answer, run once when somebody asks for rounds."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._weights = [1.0]
        self._going: list[tuple[Floats, Floats]] = []
        self._over: list[tuple[Floats, Floats]] = []

    def _run(self) -> None:
        if self._over:
            return
        walk = _Counting(self.program)
        code, shares = walk.opening()
        now: Floats = sum(shares.values(), np.zeros(walk.shape))
        limit = round_limit(self.program, code)
        over = _over(walk, code, 0)
        self._note(walk, np.where(over, 0.0, now), np.where(over, now, 0.0))
        if limit == 0:
            return
        for number, (rolled, after) in enumerate(walk_rounds(walk, code, shares, steady=False), 1):
            self._weights.append(0.0)
            for fought, chance in rolled.items():
                self._weights[fought] -= chance
                self._weights[fought + 1] += chance
            over = _over(walk, code, number)
            if number == limit and self.program.last_outcome() != UNRESOLVED:
                over = np.ones_like(over)  # the rules end it here
            self._note(walk, np.where(over, 0.0, after), np.where(over, after, 0.0))
            if after.sum() < _TAIL or number >= _MOST_ROUNDS:
                break
        last = max(number for number, chance in enumerate(self._weights) if chance)
        del self._weights[last + 1 :]
        for layers in (self._going, self._over):  # what came without a die belongs to the round before
            layers[last:] = layers[-1:]

    def _note(self, walk: Walk, going: Floats, settled: Floats) -> None:
        ended = walk.ended.sum(axis=0) + settled
        self._going.append((going.sum(axis=1), going.sum(axis=0)))
        self._over.append((ended.sum(axis=1), ended.sum(axis=0)))

    def weights(self) -> Floats:
        """Chance of each number of rounds."""
        self._run()
        return np.maximum(self._weights, 0.0)  # not below by rounding

    def table(self, sides: tuple[Meaning, Meaning]) -> RoundTable:
        """Mean units left and the chance that it is over, after each round."""
        self._run()
        means = []
        for n, meaning in enumerate(sides):
            left = meaning.left()
            means.append(
                np.array([(g[n] + o[n]) @ left for g, o in zip(self._going, self._over, strict=True)])
            )
        return RoundTable(means[0], means[1], np.array([o[0].sum() for o in self._over]))


def _over(walk: Walk, code: StageCode, rounds: int) -> NDArray[np.bool_]:
    """Cells in which the battle is over once so many rounds were fought."""
    for row in code.variants:
        if row[0].last is None or row[0].last > rounds:
            first = row[0].ops
            return walk.pairs(int(walk.program.words[first + VERDICTS])) >= 0
    return walk.program.verdict_of_cells() >= 0
