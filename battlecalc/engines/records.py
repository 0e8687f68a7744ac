"""Records of the beats: what a side rolls and loses in each of its states, in tables that a kernel reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines import kernels
from battlecalc.engines.kernels import LEFT, MOST_SLOTS
from battlecalc.engines.thresholds import Guide, Thresholds, guide_of, thresholds_of
from battlecalc.program.layout import DECIDE, FIRE, MOVE
from battlecalc.program.program import Program
from battlecalc.program.verdicts import GO_ON

Ints = NDArray[np.int32]
Unsigned = NDArray[np.uint32]

MOST_WORDS = 4_000_000
RECORD_WORDS = 8
NO_DICE = 1  # rows up to this one


class NotPlain(Exception):
    """The battle is to be fought by the general loop."""


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
        self._fewest, self._begin = program.rows[:, 0], program.rows[:, 1]
        self._room = int(self._fewest.max())  # before the thresholds, so that none begins below 0
        self._upto: list[Thresholds] = [np.zeros(self._room, np.uint64), upto]
        self._guide: list[Guide] = [guide]
        self._chains: list[Unsigned] = [self.words.view(np.uint32)]
        self._records: list[Unsigned] = []
        self._place_of: dict[object, int] = {}
        self.pairs = program.signatures[2] * (1 + int(self.signatures(0).max()))

    def tables(self) -> tuple[Unsigned, Thresholds, Guide, Unsigned]:
        """Return words, thresholds, guide and records."""
        return (
            np.concatenate(self._chains),
            np.concatenate(self._upto),
            np.concatenate(self._guide),
            np.concatenate(self._records),
        )

    # ---------------------------------------------------------------- words of the program

    def is_plain(self, at: int) -> bool:
        """Whether an operation is a beat.

        Fire is one where each side always has at most the one same draw; a decision where whoever may decide
        looks at his own side only, and where it is asked for once and always.
        """
        words = self.words
        if words[at] != DECIDE:
            return bool(words[at] == MOVE or words[at + 4] >= 0)
        due = self.verdicts(at) == GO_ON
        always = words[at + 2] < 0 or bool((self.table(int(words[at + 2]))[due] != 0).all())
        return bool(words[at + 3] == 0 and words[at + 8] == 0 and words[at + 7] <= MOST_SLOTS and always)

    def signatures(self, side: int) -> Ints:
        """Signature of each state of a side."""
        return self.words[self.program.signatures[side] :][: self.program.sizes[side]]

    def pair(self, states: Sequence[int]) -> int:
        """Return the number of the pair of signatures of two states."""
        a, d = (int(self.signatures(side)[states[side]]) for side in (0, 1))
        return a * self.program.signatures[2] + d

    def table(self, at: int) -> Ints:
        """Return a table by the pair of signatures."""
        return self.words[at : at + self.pairs]

    def verdicts(self, at: int) -> Ints:
        """Slots of ends, by the pair of signatures, where the battle is over when an operation is due."""
        slots = self.table(int(self.words[at + 9]))
        if (slots > 0).any():
            raise NotPlain  # it ends in more ways than one
        return slots

    def with_leaving(self, at: int, following: Unsigned) -> Unsigned:
        """Add to what follows on a decision that whoever left has ended the battle."""
        if self.words[at] != DECIDE or self.words[at + 7] < 0:
            return following
        left = np.full(self.pairs, int(LEFT) + 1 - int(self.words[at + 7]), dtype=np.uint32)
        return np.concatenate((following, left))

    # ---------------------------------------------------------------- records

    def fire(self, side: int, at: int) -> tuple[Ints, Ints, Ints]:
        """Rows of a side's dice in an operation, where its casualties begin and how many there can be."""
        size = self.program.sizes[side]
        rows, casualties, left = (self.words[start : start + size] for start in self._fire_at(side, at))
        return rows, casualties, left

    def _fire_at(self, side: int, at: int) -> tuple[int, int, int]:
        """Offsets of the three."""
        fire = int(self.words[at + 4])
        rows, casualties, left = (int(self.words[fire + n]) for n in (3 * side, 4 - 3 * side, 5 - 3 * side))
        return rows, casualties, left

    def of_side(self, side: int, at: int) -> int:
        """Return where one side's records for an operation are."""
        key = ("operation", side, at)
        if key not in self._place_of:
            self._place_of[key] = self._of_side(side, at)
        return self._place_of[key]

    def _of_side(self, side: int, at: int) -> int:
        words, size = self.words, self.program.sizes[side]
        states = np.arange(size, dtype=np.int32)
        if words[at] != FIRE and words[at + 1] != side:
            chain = self._identity(side)
            return self._add_records(side, ("stay", side), side + 0 * states, chain + states, 0)
        if words[at] == MOVE:
            table = int(words[at + 2])
            return self._add_records(side, ("move", side, table), side + 0 * states, table + states, 0)
        if words[at] == DECIDE:
            return self._of_decision(side, at)
        return self._add_records(side, ("fire", side, *self._fire_at(side, at)), *self.fire(side, at))

    def _of_decision(self, side: int, at: int) -> int:
        """Return where the records of whoever decides are; who leaves has a pair of signatures of his own."""
        words, size = self.words, self.program.sizes[side]
        states = np.arange(size, dtype=np.int32)
        yes = self.program.answers[words[at + 4] :][:size] != 0
        moved = np.where(yes, words[words[at + 5] :][:size], states)
        left = np.zeros(size, dtype=np.bool_)
        if words[at + 7] >= 0:
            leaves = yes & (words[words[at + 6] :][:size] != 0)[moved]
            left[moved[leaves]] = True
            due = (self.verdicts(at) == GO_ON).reshape(-1, self.program.signatures[2]).any(axis=1 - side)
            if left[moved[~leaves & due[self.signatures(side)]]].any():
                raise NotPlain  # the state afterwards does not say whether somebody left
        chain = self._add_chain(moved)
        return self._add_records(side, ("decide", at), side + 0 * states, chain + states, 0, left)

    def _identity(self, side: int) -> int:
        """Return where each state of a side stands for itself."""
        key = ("identity", side)
        if key not in self._place_of:
            self._place_of[key] = self._add_chain(np.arange(self.program.sizes[side]))
        return self._place_of[key]

    def one_state(self, at: int, states: tuple[int, int]) -> list[int]:
        """Return where both sides' records are for an operation that is only met in these states."""
        ways = [self._spread(side, at, states) for side in (0, 1)]
        offsets = []
        for side, size in enumerate(self.program.sizes):
            fallen, _ = ways[1 - side]
            _, chances = ways[side]
            row = side if len(chances) == 1 else self._add_row(chances)
            chain = self._add_chain(np.array(fallen))
            rows, casualties, left = (np.full(size, n) for n in (row, chain, len(fallen) - 1))
            offsets.append(self._add_records(side, ("once", side), rows, casualties, left))
        return offsets

    def _spread(self, side: int, at: int, states: tuple[int, int]) -> tuple[list[int], list[float]]:
        """Return the states that the enemy of a side may be in after its fire, and their chances."""
        program, size = self.program, max(self.program.sizes)
        pair = self.pair(states)
        found, spare, place = [0] * size, [0] * size, [-1] * size
        chances, spare_chances = [0.0] * size, [0.0] * size
        plan = int(self.words[self.words[at + 2 + side] + pair])
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
        self, side: int, key: object, rows: Any, casualties: Any, left: Any, gone: Any = False
    ) -> int:
        """Store a record for each state of a side, unless they are known by this key.

        `gone`: states whose part of the pair of signatures is beyond all pairs.
        """
        if key in self._place_of:
            return self._place_of[key]
        made = np.zeros((self.program.sizes[side], RECORD_WORDS), dtype=np.uint32)
        made[:, 0] = rows << 8
        made[:, 1] = self._room + self._begin[rows] - self._fewest[rows]
        made[:, 2] = casualties
        made[:, 3] = left
        signatures = self.signatures(side) * (self.program.signatures[2] if side == 0 else 1)
        made[:, 4] = np.where(gone, self.pairs, signatures)
        at = self._place_of[key] = sum(map(len, self._records))
        if at + made.size > MOST_WORDS:
            raise NotPlain
        self._records.append(made.ravel())
        return at
