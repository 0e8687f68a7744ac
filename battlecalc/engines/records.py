"""Records of the beats: what a side rolls and loses in each of its states, in tables that a kernel reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines import kernels
from battlecalc.engines.kernels import LEFT, MOST_SLOTS
from battlecalc.engines.thresholds import Guide, Thresholds, guide_of, thresholds_of
from battlecalc.program.layout import DECIDE, FIRE, MOVE, OWN
from battlecalc.program.program import Program
from battlecalc.program.verdicts import GO_ON

Ints = NDArray[np.int32]
Unsigned = NDArray[np.uint32]
Pairs = NDArray[np.bool_]  # which pairs of signatures there may be
Plans = tuple[int, ...]  # the attacker's and the defender's plan of a step that has several; else none

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
        self._ways: dict[int, tuple[list[Any], NDArray[np.intp]]] = {}
        self._kinds_after: dict[tuple[int, int], NDArray[np.float32]] = {}
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

    def is_single(self, at: int) -> bool:
        """Whether each side always has at most the one same draw in an operation (or does not fire)."""
        return bool(self.words[at] != FIRE or self.words[at + 4] >= 0)

    def is_plain(self, at: int, pair: int) -> bool:
        """Whether an operation is made of beats where it is met with this pair of signatures.

        Fire is where no hits have incomparable targets, and dice are counted by the own state; a decision
        where whoever may decide looks at his own side only, and where it is asked for once and always.
        """
        words = self.words
        if words[at] == DECIDE:
            due = self.verdicts(at) == GO_ON
            always = words[at + 2] < 0 or bool((self.table(int(words[at + 2]))[due] != 0).all())
            return bool(words[at + 3] == 0 and words[at + 8] == 0 and words[at + 7] <= MOST_SLOTS and always)
        return self.is_single(at) or all(self._is_plain_plan(plan) for plan in self._plans(at, pair))

    def _is_plain_plan(self, plan: int) -> bool:
        return bool(self.words[plan + 1] < 0) and all(self.words[draw] == OWN for draw in self._draws(plan))

    def _draws(self, plan: int) -> list[int]:
        """Offsets of the draws of a plan."""
        found: list[int] = self.words[plan + 2 :][: self.words[plan]].tolist()
        return found

    def _plans(self, at: int, pair: int) -> Plans:
        return tuple(int(self.words[self.words[at + 2 + side] + pair]) for side in (0, 1))

    def draws(self, plans: Plans) -> int:
        """Return how many beats plans are."""
        return max((int(self.words[plan]) for plan in plans), default=1)

    def ways(self, at: int, pairs: Pairs) -> list[tuple[Plans | None, Pairs]]:
        """Return with which plans an operation is met, and with which of these pairs; None: nobody fires.

        Raises
        ------
        NotPlain
            Where one of these ways is no beat.
        """
        if at not in self._ways:
            self._ways[at] = self._find_ways(at)
        ways, which = self._ways[at]
        found = []
        for number in np.flatnonzero(np.bincount(which[pairs])).tolist():
            if (way := ways[number]) is NotPlain:
                raise NotPlain
            found.append((way, pairs & (which == number)))
        return found

    def _find_ways(self, at: int) -> tuple[list[Any], NDArray[np.intp]]:
        """Ways of an operation (NotPlain for all that are no beats), and which holds for each pair."""
        if self.words[at] != FIRE:
            return [() if self.is_plain(at, 0) else NotPlain], np.zeros(self.pairs, dtype=np.intp)
        attacker, defender = (self.table(int(self.words[at + 2 + side])) for side in (0, 1))
        codes, which = np.unique(attacker.astype(np.int64) << 32 | defender, return_inverse=True)
        ways: list[Any] = []
        for code in codes.tolist():
            plans = (code >> 32, code & 0xFFFFFFFF)
            if not self.draws(plans):
                ways.append(None)
            elif self.is_single(at):
                ways.append(())
            else:
                ways.append(plans if all(map(self._is_plain_plan, plans)) else NotPlain)
        first = np.array([ways.index(way) for way in ways])
        return ways, first[which]

    def rolls(self, at: int) -> Pairs:
        """Whether dice are rolled in an operation for sure, by the pair of signatures."""
        sure = np.zeros(self.pairs, dtype=np.bool_)
        for side in (0, 1):
            plans = self.table(int(self.words[at + 2 + side]))
            own = np.arange(self.pairs) // self.program.signatures[2]
            if side == 1:
                own = np.arange(self.pairs) % self.program.signatures[2]
            for plan in np.unique(plans).tolist():
                idle = np.ones(self.program.sizes[side], dtype=np.bool_)
                for draw in self._draws(plan):
                    if self.words[draw] == OWN:
                        idle &= self._of_draw(side, draw, 1) <= NO_DICE
                kinds = np.ones(1 + int(self.signatures(side).max()), dtype=np.bool_)
                kinds[self.signatures(side)[idle]] = False
                sure |= (plans == plan) & kinds[own]
        return sure

    def _of_draw(self, side: int, draw: int, word: int) -> Ints:
        """Return what a word of a draw points to, for each state of a side."""
        return self.words[self.words[draw + word] :][: self.program.sizes[side]]

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

    def of_side(self, side: int, at: int, plans: Plans, draw: int) -> int:
        """Return where one side's records for a beat of an operation are."""
        key = ("operation", side, at, plans, draw)
        if key not in self._place_of:
            self._place_of[key] = self._of_plans(side, plans, draw) if plans else self._of_side(side, at)
        return self._place_of[key]

    def _of_plans(self, side: int, plans: Plans, draw: int) -> int:
        """Return where the records of one draw of each side are; a side may have fewer than the other."""
        states = np.arange(self.program.sizes[side], dtype=np.int32)
        own, enemy = (self._draws(plans[n])[draw : draw + 1] for n in (side, 1 - side))
        key = ("fire", side, *(int(self.words[n + 1]) for n in own), *(int(self.words[n + 4]) for n in enemy))
        rows = self._of_draw(side, own[0], 1) if own else side + 0 * states
        if not enemy:
            return self._add_records(side, (*key, "safe"), rows, self._identity(side) + states, 0, states)
        casualties, left = (self._of_draw(side, enemy[0], word) for word in (4, 5))
        return self._add_fire(side, (*key, "dice", len(own)), rows, casualties, left)

    def _of_side(self, side: int, at: int) -> int:
        words, size = self.words, self.program.sizes[side]
        states = np.arange(size, dtype=np.int32)
        if words[at] != FIRE and words[at + 1] != side:
            chain = self._identity(side)
            return self._add_records(side, ("stay", side), side + 0 * states, chain + states, 0, states)
        if words[at] == MOVE:
            table, key = int(words[at + 2]), ("move", side, int(words[at + 2]))
            return self._add_records(side, key, side + 0 * states, table + states, 0, words[table + states])
        if words[at] == DECIDE:
            return self._of_decision(side, at)
        return self._add_fire(side, ("fire", side, *self._fire_at(side, at)), *self.fire(side, at))

    def _add_fire(self, side: int, key: object, rows: Ints, casualties: Ints, left: Ints) -> int:
        after = self.words[casualties + np.minimum(left, 1)]
        return self._add_records(side, key, rows, casualties, left, after)

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
        return self._add_records(side, ("decide", at), side + 0 * states, chain + states, 0, moved, left)

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
            row = side if len(chances) == 1 else self._add_row(chances)
            chain = self._add_chain(np.array(fallen))
            rows, casualties, left = (np.full(size, n) for n in (row, chain, len(fallen) - 1))
            place = self._add_records(side, ("once", side), rows, casualties, left, np.arange(size))
            kinds = self.signatures(side)
            after = np.zeros((kinds.max() + 1,) * 2, dtype=np.float32)
            after[kinds[states[side]], kinds[fallen]] = 1
            self._kinds_after[side, place] = after
            offsets.append(place)
        return offsets[0], offsets[1]

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
        self, side: int, key: object, rows: Any, casualties: Any, left: Any, after: Any, gone: Any = False
    ) -> int:
        """Store a record for each state of a side, unless they are known by this key.

        `after`: the state after one hit, or after a move; `gone`: states whose part of the pair of signatures
        is beyond all pairs.
        """
        if key in self._place_of:
            return self._place_of[key]
        made = np.zeros((self.program.sizes[side], RECORD_WORDS), dtype=np.uint32)
        made[:, 0] = rows << 8
        made[:, 1] = self._room + self._begin[rows] - self._fewest[rows]
        made[:, 2] = casualties
        made[:, 3] = left
        kinds = self.signatures(side)
        made[:, 4] = np.where(gone, self.pairs, kinds * (self.program.signatures[2] if side == 0 else 1))
        at = self._place_of[key] = sum(map(len, self._records))
        if at + made.size > MOST_WORDS:
            raise NotPlain
        self._records.append(made.ravel())
        step = np.zeros((kinds.max() + 1,) * 2, dtype=np.float32)
        step[kinds, kinds[after]] = 1
        self._kinds_after[side, at] = _repeated(step) if np.any(left) else step
        return at

    def after(self, records: tuple[int, int], pairs: Pairs) -> Pairs:
        """Pairs of signatures that may follow on these, with these records of both sides."""
        before = pairs.reshape(-1, self.program.signatures[2]).astype(np.float32)
        attacker, defender = (self._kinds_after[side, at] for side, at in enumerate(records))
        return (attacker.T @ before @ defender > 0).ravel()


def _repeated(step: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return to which kinds any number of steps may lead, none included."""
    found = np.minimum(step + np.eye(len(step), dtype=np.float32), np.float32(1))
    while True:
        more: NDArray[np.float32] = np.minimum(found @ found, np.float32(1))
        if (more == found).all():
            return more
        found = more
