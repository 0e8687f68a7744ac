"""Records of the beats: what a side rolls and loses in each of its states, in tables that a kernel reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines import kernels
from battlecalc.engines.kinds import Ints, NotPlain, Pairs
from battlecalc.engines.operations import Operations, Plans, Unsigned
from battlecalc.engines.thresholds import Guide, Thresholds, guide_of, thresholds_of
from battlecalc.program.layout import (
    AFTER,
    CHAIN,
    DECIDE,
    FIRE,
    MOVE,
    PLANS,
    ROWS,
    SIDE,
    TO_LOSE,
)
from battlecalc.program.program import Program

MOST_WORDS = 4_000_000
RECORD_WORDS = 8
_FEW_KINDS = 64  # BLAS multiplies larger tables on all threads, and waits for them where others are at work


class Records:
    """Stores records, each distinct one once, and all that they point to.

    Parameters
    ----------
    program : Program
    upto, guide : ndarray
        Thresholds and guide of the program's rows of dice.
    """

    def __init__(self, program: Program, upto: Thresholds, guide: Guide) -> None:
        self.program, self.words = program, program.words
        self.operations = Operations(program)
        self._fewest, self._begin = program.rows[:, 0], program.rows[:, 1]
        self._room = int(self._fewest.max())  # before the thresholds, so that none begins below 0
        self._upto: list[Thresholds] = [np.zeros(self._room, np.uint64), upto]
        self._guide: list[Guide] = [guide]
        self._chains: list[Unsigned] = [self.words.view(np.uint32)]
        self._records: list[Unsigned] = []
        self._place_of: dict[object, int] = {}
        self._kinds_after: dict[tuple[int, int], Pairs] = {}

    def tables(self) -> tuple[Unsigned, Thresholds, Guide, Unsigned]:
        """Return words, thresholds, guide and records."""
        return (
            np.concatenate(self._chains),
            np.concatenate(self._upto),
            np.concatenate(self._guide),
            np.concatenate(self._records),
        )

    def of_side(self, side: int, at: int, plans: Plans, draw: int) -> int:
        """Return where one side's records for a beat of an operation are."""
        key = ("operation", side, at, plans, draw)
        if key not in self._place_of:
            self._place_of[key] = self._of_plans(side, plans, draw) if plans else self._of_side(side, at)
        return self._place_of[key]

    def _of_plans(self, side: int, plans: Plans, draw: int) -> int:
        """Return where the records of one draw of each side are; a side may have fewer than the other."""
        states = np.arange(self.program.sizes[side], dtype=np.int32)
        own, enemy = (self.operations.draws_of(plans[n])[draw : draw + 1] for n in (side, 1 - side))
        where = [int(self.words[n + ROWS]) for n in own] + [int(self.words[n + CHAIN]) for n in enemy]
        rows = self.operations.of_draw(side, own[0], ROWS) if own else side + 0 * states
        if not enemy:
            chain = self._identity(side) + states
            return self._add_records(side, ("safe", side, *where), rows, chain, 0, states)
        casualties, left = (self.operations.of_draw(side, enemy[0], word) for word in (CHAIN, TO_LOSE))
        return self._add_fire(side, ("draws", side, len(own), *where), rows, casualties, left)

    def _of_side(self, side: int, at: int) -> int:
        words, size = self.words, self.program.sizes[side]
        states = np.arange(size, dtype=np.int32)
        if words[at] != FIRE and words[at + SIDE] != side:
            chain = self._identity(side) + states
            return self._add_records(side, ("stay", side), side + 0 * states, chain, 0, states)
        if words[at] == MOVE:
            chain = int(words[at + AFTER]) + states
            return self._add_records(
                side, ("move", side, int(chain[0])), side + 0 * states, chain, 0, words[chain]
            )
        if words[at] == DECIDE:
            return self._of_decision(side, at)
        key = ("fire", side, *self.operations.fire_at(side, at))
        return self._add_fire(side, key, *self.operations.fire(side, at))

    def _add_fire(self, side: int, key: object, rows: Ints, casualties: Ints, left: Ints) -> int:
        after = self.words[casualties + np.minimum(left, 1)]
        return self._add_records(side, key, rows, casualties, left, after)

    def _of_decision(self, side: int, at: int) -> int:
        """Return where the records of whoever leaves are, for all states that do when they come here.

        A side that is gone afterwards has a kind of its own, beyond all pairs.
        """
        chain = int(self.words[at + AFTER]) + np.arange(self.program.sizes[side], dtype=np.int32)
        after, gone = self.words[chain], self.operations.kinds.is_gone(at)
        return self._add_records(side, ("leave", at), side + 0 * chain, chain, 0, after, gone)

    def _identity(self, side: int) -> int:
        """Return where each state of a side stands for itself."""
        key = ("identity", side)
        if key not in self._place_of:
            self._place_of[key] = self._add_chain(np.arange(self.program.sizes[side]))
        return self._place_of[key]

    def one_state(self, at: int, states: tuple[int, int]) -> tuple[int, int]:
        """Return where both sides' records are for an operation that is only met in these states."""
        ways = [self._spread(side, at, states) for side in (0, 1)]
        offsets = []
        for side, size in enumerate(self.program.sizes):
            fallen, _ = ways[1 - side]
            _, chances = ways[side]
            row, chain = self._add_row(chances), self._add_chain(np.array(fallen))
            rows, casualties, left = (np.full(size, n) for n in (row, chain, len(fallen) - 1))
            place = self._add_records(side, ("once", side), rows, casualties, left, np.arange(size))
            kinds = self.operations.kinds.of[side]
            after = np.zeros((self.operations.kinds.counts[side],) * 2, dtype=np.bool_)
            after[kinds[states[side]], kinds[fallen]] = True
            self._kinds_after[side, place] = after
            offsets.append(place)
        return offsets[0], offsets[1]

    def _spread(self, side: int, at: int, states: tuple[int, int]) -> tuple[list[int], list[float]]:
        """Return the states that the enemy of a side may be in after its fire, and their chances."""
        program, size = self.program, max(self.program.sizes)
        kinds = self.operations.kinds
        found, spare, place = [0] * size, [0] * size, [-1] * size
        chances, spare_chances = [0.0] * size, [0.0] * size
        pair = kinds.signature_pair(kinds.pair(states))
        plan = int(self.words[self.words[at + PLANS + side] + pair])
        count = kernels.spread(  # type: ignore[no-untyped-call]
            self.words.tolist(),
            program.probabilities.tolist(),
            program.row_records,
            plan,
            states[side],
            states[1 - side],
            found,
            chances,
            spare,
            spare_chances,
            place,
        )
        return found[:count], chances[:count]

    def _add_row(self, chances: list[float]) -> int:
        """Store one more row of dice; return its number."""
        upto = thresholds_of(np.array(chances))
        dtype = self._guide[0].dtype
        if len(upto) > np.iinfo(dtype).max:
            raise NotPlain
        number = sum(map(len, self._guide)) >> 8
        self._guide.append(guide_of(upto).astype(dtype))
        self._begin = np.append(self._begin, sum(map(len, self._upto[1:])))
        self._fewest = np.append(self._fewest, 0)
        self._upto.append(upto)
        return number

    def _add_chain(self, states: NDArray[np.int64]) -> int:
        at = sum(map(len, self._chains))
        self._chains.append(states.astype(np.uint32))
        return at

    def _add_records(
        self, side: int, key: object, rows: Any, casualties: Any, left: Any, after: Any, gone: Any = False
    ) -> int:
        """Store a record for each state of a side, unless they are known by this key.

        `after`: the state after one hit, or after a move; `gone`: states whose part of the pair of kinds is
        beyond all pairs.
        """
        if key in self._place_of:
            return self._place_of[key]
        made = np.zeros((self.program.sizes[side], RECORD_WORDS), dtype=np.uint32)
        made[:, 0] = rows << 8
        made[:, 1] = self._room + self._begin[rows] - self._fewest[rows]
        made[:, 2] = casualties
        made[:, 3] = left
        kinds, width = self.operations.kinds.of[side], self.operations.kinds.width if side == 0 else 1
        made[:, 4] = np.where(gone, self.operations.kinds.pairs, kinds * width)
        at = self._place_of[key] = sum(map(len, self._records))
        if at + made.size > MOST_WORDS:
            raise NotPlain
        self._records.append(made.ravel())
        step = np.zeros((self.operations.kinds.counts[side],) * 2, dtype=np.bool_)
        goes_on = ~np.broadcast_to(gone, len(after))[after]
        step[kinds[goes_on], kinds[after[goes_on]]] = True
        self._kinds_after[side, at] = repeated(step) if np.any(left) else step
        return at

    def after(self, records: tuple[int, int], pairs: Pairs) -> Pairs:
        """Pairs of kinds that may follow on these, with these records of both sides."""
        before = pairs.reshape(-1, self.operations.kinds.width)
        attacker, defender = (self._kinds_after[side, at] for side, at in enumerate(records))
        return joined(joined(attacker.T, before), defender).ravel()


def joined(steps: Pairs, following: Pairs) -> Pairs:
    """Return where one step of the first kind and then one of the second may lead."""
    if steps.shape[1] <= _FEW_KINDS:
        return np.asarray(steps.astype(np.float32) @ following.astype(np.float32) > 0)
    found = np.zeros((len(steps), following.shape[1]), dtype=np.bool_)
    for over, then in zip(steps.T, following, strict=True):
        found[over] |= then
    return found


def repeated(step: Pairs) -> Pairs:
    """Return to which kinds any number of steps may lead, none included (Warshall's algorithm)."""
    found = step | np.eye(len(step), dtype=np.bool_)
    for over, then in zip(found.T, found, strict=True):
        found[over] |= then
    return found
