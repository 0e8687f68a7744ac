"""The exact engine: the whole distribution pushed through the Program, once."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX
from battlecalc.engines import kernels
from battlecalc.engines.stopping import in_runs
from battlecalc.program.program import Program, StageCode, Variant

Floats = NDArray[np.float64]
# by who has the advantage and the rounds with dice that were fought (0 by a walk that does not count them)
Shares = dict[tuple[int, int], Floats]
UNRESOLVED = OUTCOME_INDEX["unresolved"]


# Plain Python is used while its whole time in this process stays under this; then compiling pays.
PLAIN_SECONDS = 0.25
_spent = 0.0
# A chance far below the rounding of every sum.
_NOTHING = 1e-40


@dataclass(slots=True)
class Ended:
    """Where a battle ends: chances by slot (`Program.slots`, the last one: unresolved) and cell.

    `rounds` is the mean number of rounds, `dropped` the chance that pruning dropped.
    """

    by_slot: Floats
    rounds: float
    dropped: float


def plain_seconds(program: Program) -> float:
    """Estimate the time of one pass without compiled code."""
    known: float | None = program.memo.get("plain seconds")
    if known is not None:
        return known
    records = program.words[program.row_records : program.row_records + 3 * program.row_count].reshape(-1, 3)
    entries = max(float(records[0::2, 2].mean()), 1.0) * max(float(records[1::2, 2].mean()), 1.0)
    seconds = program.memo["plain seconds"] = program.cells * (15 + 0.35 * entries) * 1e-6
    return seconds


def compiled_seconds(program: Program) -> float:
    """Estimate the time of one compiled pass."""
    return plain_seconds(program) / 300


class Room:
    """Arrays that the kernels work in (see `battlecalc.engines.kernels.fight_cell`)."""

    def __init__(self, program: Program) -> None:
        counts = [v.count for code in program.stages for row in code.variants for v in row]
        most = max(program.sizes)
        # unsigned: numba looks after negative indices, which half of the time went into
        self._states = np.zeros((max(counts) + 1, 2, most), dtype=np.uint32)
        self._chances = np.zeros((max(counts) + 1, 2, most))
        self._found = np.zeros((max(counts), 2), dtype=np.int64)
        self._stay = np.zeros(max(counts))
        self.weight = np.zeros(max(counts))
        self.place = np.full(most, -1, dtype=np.int64)

    def of(self, count: int) -> tuple[Any, Any, Any, Any]:
        """Return room for a variant of `count` operations: states, chances, found, stay."""
        return self._states[: count + 1], self._chances[: count + 1], self._found, self._stay


class Walk:
    """One pass of a distribution through a program."""

    def __init__(self, program: Program, prune: float = 0.0) -> None:
        self.program, self.prune = program, prune
        self.shape = program.sizes
        self.push, self.tables = _choose(program)
        self.ended = np.zeros((2 + len(program.slots), *self.shape))
        self.room = Room(program)
        self.dropped = 0.0
        self.visits: dict[int, Floats] | None = None

    def start(self) -> Floats:
        """Return the distribution before the battle."""
        now = np.zeros(self.shape)
        for a, d, chance in self.program.starts:
            now[a, d] += chance
        return now

    def variant(self, variant: Variant, start: Floats, loop: bool, both: int = -1) -> tuple[Floats, float]:
        """Push `start` through one variant; returns what goes on, and in how many rounds dice were rolled."""
        flow = np.zeros((variant.count, *self.shape))
        flow[0] = start
        onward = np.zeros(self.shape)
        result = np.zeros(2)
        push = partial(
            self.push,
            *self.tables,
            self.program.row_records,
            *self.program.signatures,
            variant.ops,
            variant.count,
            both,
            loop,
            variant.last is None,
            self.prune,
            flow,
            onward,
            self.ended,
            *self.room.of(variant.count),
            self.room.weight,
            self.room.place,
            result,
        )
        in_runs(push, onward.size)
        self.dropped += float(result[1])
        if self.visits is not None:
            self.visits[variant.ops] = self.visits.get(variant.ops, 0.0) + flow
        return onward, float(result[0])

    def pairs(self, offset: int) -> NDArray[np.int32]:
        """Spread a table over signatures to all cells."""
        return self.program.pairs(offset)

    def opening(self) -> tuple[StageCode, dict[int, Floats]]:
        """Walk everything before the main battle; returns its code and shares by who has the advantage."""
        shares = {0: self.start()}
        for code in self.program.stages:
            if code.repeat == "rounds":
                return code, shares
            shares = {holder: self._stage(code, holder, share) for holder, share in shares.items()}
            if code.advantage >= 0:
                now = sum(shares.values(), np.zeros(self.shape))
                who = self.pairs(code.advantage)
                shares = {n: np.where(who == n, now, 0.0) for n in range(3) if now[who == n].any()}
        return StageCode("rounds", (), -1, -1, 0, UNRESOLVED), shares

    def _stage(self, code: StageCode, advantage: int, now: Floats) -> Floats:
        """Push through a stage fought once, or while both sides have something; others pass it by."""
        if code.repeat == "once":
            return self.variant(code.variants[0][advantage], now, False)[0]
        for row in code.variants:
            variant = row[advantage]
            for _ in range(variant.first, 1 + (variant.last or variant.first)):
                now, _ = self.variant(variant, now, variant.last is None, code.both)
        return now

    def round(self, row: tuple[Variant, ...], shares: Shares, loop: bool) -> tuple[dict[int, float], Shares]:
        """Push all shares through one round; returns the chances of dice in it and what goes on.

        The chances are by the rounds with dice that were fought before.
        """
        rolled: dict[int, float] = {}
        onward: Shares = {}
        for (holder, fought), share in shares.items():
            for more, part in self.parts(row[holder], share):
                after, met = self.variant(row[holder], part, loop)
                rolled[fought] = rolled.get(fought, 0.0) + met
                _add(onward, (holder, fought + more), after)
        return rolled, onward

    def parts(self, variant: Variant, share: Floats) -> list[tuple[int, Floats]]:
        """Take a share apart by how many rounds with dice this one adds; here they are not told apart."""
        return [(0, share)]

    def close(self, now: Floats) -> None:
        """Settle what the last round left: as the verdict says, else unresolved."""
        if now.any():
            over = self.program.verdict_of_cells() >= 0
            self.ended[0] += np.where(over, now, 0.0)
            self.ended[-1] += np.where(over, 0.0, now)


def _add(shares: Shares, key: tuple[int, int], share: Floats) -> None:
    shares[key] = shares[key] + share if key in shares else share


def solve_program(program: Program, prune: float = 0.0) -> Ended:
    """Push a program's start through to the end: probabilities by slot and cell.

    The states form no cycles once rounds in which nothing happens are divided out, so one pass in ascending
    order does it.
    """
    global _spent
    began = time.perf_counter()
    walk = Walk(program, prune)
    code, shares = walk.opening()
    rounds = 0.0
    now = np.zeros(walk.shape)
    for rolled, after in walk_rounds(walk, code, shares, steady=True):
        rounds += sum(rolled.values())
        now = after
    walk.close(now)
    if walk.push is kernels.push:
        _spent += time.perf_counter() - began
    return Ended(walk.ended, rounds, walk.dropped)


def walk_rounds(
    walk: Walk, code: StageCode, by_advantage: dict[int, Floats], steady: bool
) -> Iterator[tuple[dict[int, float], Floats]]:
    """Walk the main battle; yields (chances of dice in it, what goes on) after each layer: see `Walk.round`.

    With `steady` the last class of rounds, if no limit cuts it, is one layer with its loops divided out;
    else every round is one.
    """
    limit = round_limit(walk.program, code)
    shares: Shares = {(holder, 0): share for holder, share in by_advantage.items()}
    now = sum(shares.values(), np.zeros(walk.shape))
    if not code.variants or limit == 0:
        yield {}, now
        return
    number = 1
    for place, row in enumerate(code.variants):
        last = row[0].last
        if all(variant is later[0] for later in code.variants[place:] for variant in later):
            # nobody's advantage makes a difference any more
            merged: Shares = {}
            for (_, fought), share in shares.items():
                _add(merged, (0, fought), share)
            shares = merged
        number = max(number, row[0].first)
        loop = steady and last is None and limit is None
        # what is next to nothing waits for the last layer: a limit of a million rounds costs what is fought
        while now.any() if loop else now.sum() > _NOTHING:
            if (last is not None and number > last) or (limit is not None and number > limit):
                break
            rolled, shares = walk.round(row, shares, loop)
            now = sum(shares.values(), np.zeros(walk.shape))
            yield rolled, now
            number += 1
            if loop:
                return


def round_limit(program: Program, code: StageCode) -> int | None:
    """Return the most rounds of the main battle: the rules' limit or the question's, the first to come."""
    limits = [n for n in (code.limit, program.rounds) if n is not None]
    return min(limits, default=None)


def _choose(program: Program) -> tuple[Any, tuple[Any, Any, Any]]:
    """Choose kernel and tables: compiled for a large battle or where it is at hand, else plain on lists."""
    arrays = (program.words, program.probabilities, program.answers)
    ready = "battlecalc.engines.compiled" in sys.modules
    if not ready and plain_seconds(program) + _spent < PLAIN_SECONDS:
        lists = program.memo.get("lists")
        if lists is None:
            lists = program.memo["lists"] = tuple(array.tolist() for array in arrays)
        return kernels.push, lists
    from battlecalc.engines import compiled

    return compiled.push, arrays
