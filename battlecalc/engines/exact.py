"""The exact engine: the whole distribution pushed through the Program, once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines import kernels
from battlecalc.program.program import Program, StageCode, Variant

Floats = NDArray[np.float64]


@dataclass(slots=True)
class Ended:
    """Where a battle ends: chances by slot (`Program.slots`) and cell, and the mean number of rounds."""

    by_slot: Floats
    unresolved: Floats | None
    rounds: float
    layers: list[Any] = field(default_factory=list)


class Walk:
    """One pass of a distribution through a program."""

    def __init__(self, program: Program, push: Any = None) -> None:
        self.program = program
        self.push = push or kernels.push
        size_a, size_d = program.sizes
        self.shape = (size_a, size_d)
        self.ended = np.zeros((1 + len(program.slots), size_a, size_d))
        most = max(size_a, size_d)
        self.states = np.zeros((2, 2, most), dtype=np.int64)
        self.chances = np.zeros((2, 2, most))
        self.place = np.full(most, -1, dtype=np.int64)
        self.rounds = 0.0

    def variant(self, variant: Variant, start: Floats, loop: bool, both: int = -1) -> tuple[Floats, float]:
        """Push `start` through one variant; returns what goes on, and in how many rounds dice were rolled."""
        program = self.program
        flow = np.zeros((variant.count, *self.shape))
        flow[0] = start
        onward = np.zeros(self.shape)
        result = np.zeros(2)
        self.push(
            program.words,
            program.probabilities,
            program.answers,
            program.row_records,
            *program.signatures,
            variant.ops,
            variant.count,
            both,
            loop,
            flow,
            onward,
            self.ended,
            self.states,
            self.chances,
            self.place,
            result,
        )
        if result[1] > 0:
            raise AssertionError(f"{result[1]} of all battles would never end: a stalemate was not seen")
        return onward, float(result[0])

    def pairs(self, offset: int) -> NDArray[np.int32]:
        """Spread a table over signatures to all cells."""
        a, d, width = self.program.signatures
        words = self.program.words
        sig_a = words[a : a + self.shape[0]]
        sig_d = words[d : d + self.shape[1]]
        return words[offset + sig_a[:, None] * width + sig_d[None, :]]


def solve_program(program: Program, push: Any = None) -> Ended:
    """Exact end of a program."""
    walk = Walk(program, push)
    now = np.zeros(walk.shape)
    for a, d, p in program.starts:
        now[a, d] += p
    shares = {0: now}
    for code in program.stages:
        if code.repeat == "once":
            now, _ = walk.variant(code.variants[0][0], now, False)
            shares = {0: now}
        elif code.repeat == "while both have":
            now = _while_both(walk, code, now)
            shares = {0: now}
        else:
            return _rounds(walk, code, shares)
        if code.advantage >= 0:
            who = walk.pairs(code.advantage)
            shares = {n: np.where(who == n, now, 0.0) for n in (0, 1, 2) if (now[who == n] != 0).any()}
    return Ended(walk.ended, now if now.any() else None, 0.0)


def _while_both(walk: Walk, code: StageCode, now: Floats) -> Floats:
    """Push through a stage that goes on while both sides have something; the others pass it by."""
    for (variant, *_) in code.variants:
        for _ in range(variant.first, 1 + (variant.last or variant.first)):
            now, _ = walk.variant(variant, now, variant.last is None, code.both)
    return now


def _rounds(walk: Walk, code: StageCode, shares: dict[int, Floats]) -> Ended:
    rounds = 0.0
    limit = walk.program.rounds if code.limit is None else min(code.limit, walk.program.rounds or code.limit)
    number = 1
    first = True
    now = np.zeros(walk.shape)
    for row in code.variants:
        variant = row[0]
        while True:
            if limit is not None and number > limit:
                break
            if variant.last is not None and number > variant.last:
                break
            if first:
                after = np.zeros(walk.shape)
                for advantage, share in shares.items():
                    onward, rolled = walk.variant(row[advantage], share, False)
                    after += onward
                    rounds += rolled
                first = False
                now = after
                number += 1
                continue
            if not now.any():
                break
            if variant.last is None and limit is None:
                now, rolled = walk.variant(variant, now, True)
                rounds += rolled
                break
            now, rolled = walk.variant(variant, now, False)
            rounds += rolled
            number += 1
    if first:
        now = sum(shares.values(), np.zeros(walk.shape))
    return Ended(walk.ended, now if now.any() else None, rounds)
