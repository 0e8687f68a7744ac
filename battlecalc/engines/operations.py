"""The operations of a program as the beats that they may be: read from its words, nothing stored."""

from __future__ import annotations

from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines.kernels import LEFT, MOST_SLOTS, OVER
from battlecalc.engines.kinds import Ints, Kinds, NotPlain, Pairs
from battlecalc.program.layout import (
    AFTER,
    AGAIN,
    DECIDE,
    DRAWS,
    FIRE,
    MOVE,
    ONE_DRAW,
    OWN,
    PLANS,
    ROWS,
    SIDE,
    SLOT,
    TANGLE,
    VERDICTS,
)
from battlecalc.program.program import Program
from battlecalc.program.verdicts import GO_ON

Unsigned = NDArray[np.uint32]
Plans = tuple[int, ...]  # the attacker's and the defender's plan of a step that has several; else none

NO_DICE = 1  # rows up to this one


def left_by(slot: Any) -> Any:
    """Return how a battle ends in a slot above 0."""
    return np.uint32(LEFT + 1) - np.asarray(slot).astype(np.uint32)


class Operations:
    """Reads the words of a program."""

    def __init__(self, program: Program) -> None:
        self.program, self.words = program, program.words
        self._ways: dict[int, tuple[list[Any], NDArray[np.intp]]] = {}
        self._dry: dict[tuple[int, ...], Pairs] = {}

    @cached_property
    def kinds(self) -> Kinds:
        """The kinds of both sides' states."""
        return Kinds(self.program)

    def goes_on(self, at: int) -> Pairs:
        """Whether the battle goes on when an operation is due, by the pair of kinds."""
        found: Pairs = self.kinds.table(int(self.words[at + VERDICTS])) == GO_ON
        return found

    def ends(self, at: int) -> Unsigned:
        """How the battle ends, by the pair of kinds, where it does not go on when an operation is due."""
        slots = self.kinds.table(int(self.words[at + VERDICTS]))
        if slots.max() > MOST_SLOTS:
            raise NotPlain
        return np.where(slots > 0, left_by(slots), OVER)

    def stays(self, at: int, states: tuple[int, int]) -> bool:
        """Whether an operation moves units, but none of those that there are in these states."""
        if self.words[at] != MOVE:
            return False
        own = states[self.words[at + SIDE]]
        return bool(self.words[self.words[at + AFTER] + own] == own)

    # ---------------------------------------------------------------- what is plain

    def is_single(self, at: int) -> bool:
        """Whether each side always has at most the one same draw in an operation (or does not fire)."""
        return bool(self.words[at] != FIRE or self.words[at + ONE_DRAW] >= 0)

    def is_plain(self, at: int, pair: int) -> bool:
        """Whether a fire is made of beats where it is met with this pair of kinds.

        No hits have incomparable targets, and dice are counted by the own state.
        """
        return self.is_single(at) or all(self._is_plain_plan(plan) for plan in self._plans(at, pair))

    def _is_plain_plan(self, plan: int) -> bool:
        tangled = bool(self.words[plan + TANGLE] >= 0)
        return not tangled and all(self.words[draw] == OWN for draw in self.draws_of(plan))

    def draws_of(self, plan: int) -> list[int]:
        """Offsets of the draws of a plan."""
        found: list[int] = self.words[plan + DRAWS :][: self.words[plan]].tolist()
        return found

    def _plans(self, at: int, pair: int) -> Plans:
        signatures = self.kinds.signature_pair(pair)
        return tuple(int(self.words[self.words[at + PLANS + side] + signatures]) for side in (0, 1))

    def draws(self, plans: Plans) -> int:
        """Return how many beats plans are."""
        return max((int(self.words[plan]) for plan in plans), default=1)

    def ways(self, at: int, pairs: Pairs) -> list[tuple[Plans | None, Pairs]]:
        """Return with which plans an operation is met, and with which of these pairs; None: nothing happens.

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
        if self.words[at] == MOVE:
            return [()], np.zeros(self.kinds.pairs, dtype=np.intp)
        if self.words[at] == DECIDE:
            plain = self.words[at + SLOT] <= MOST_SLOTS
            return [None, () if plain else NotPlain], self.kinds.says_yes(at).astype(np.intp)
        attacker, defender = (self.kinds.table(int(self.words[at + PLANS + side])) for side in (0, 1))
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

    def is_asked_again(self, at: int) -> bool:
        """Whether an operation is due once more when units have left by it."""
        return bool(self.words[at] == DECIDE and self.words[at + AGAIN])

    def may_end(self, at: int, pairs: Pairs) -> bool:
        """Whether an operation may end the battle because a side is gone afterwards."""
        if self.words[at] != DECIDE:
            return False
        side, gone = self.words[at + SIDE], self.kinds.is_gone(at)[self.kinds.of_operation(at, AFTER)]
        return bool(np.isin(self.kinds.side_of(side)[pairs], self.kinds.of[side][gone]).any())

    def rolls(self, at: int) -> Pairs:
        """Whether dice are rolled in an operation for sure, by the pair of kinds."""
        sure = np.zeros(self.kinds.pairs, dtype=np.bool_)
        for side in (0, 1):
            plans = self.kinds.table(int(self.words[at + PLANS + side]))
            for plan in np.unique(plans).tolist():
                idle = np.ones(self.program.sizes[side], dtype=np.bool_)
                for draw in self.draws_of(plan):
                    if self.words[draw] == OWN:
                        idle &= self.of_draw(side, draw, ROWS) <= NO_DICE
                kinds = np.ones(self.kinds.counts[side], dtype=np.bool_)
                kinds[self.kinds.of[side][idle]] = False
                sure |= (plans == plan) & kinds[self.kinds.side_of(side)]
        return sure

    def of_draw(self, side: int, draw: int, word: int) -> Ints:
        """Return what a word of a draw points to, for each state of a side."""
        return self.words[self.words[draw + word] :][: self.program.sizes[side]]

    def with_leaving(self, at: int, following: Unsigned) -> Unsigned:
        """Add to what follows on a decision that whoever left has ended the battle."""
        if self.words[at] != DECIDE or self.words[at + SLOT] < 0:
            return following
        left = np.full(self.kinds.pairs, left_by(self.words[at + SLOT]), dtype=np.uint32)
        return np.concatenate((following, left))

    # ---------------------------------------------------------------- records

    def fire(self, side: int, at: int) -> tuple[Ints, Ints, Ints]:
        """Rows of a side's dice in an operation, where its casualties begin and how many there can be."""
        size = self.program.sizes[side]
        rows, casualties, left = (self.words[start : start + size] for start in self.fire_at(side, at))
        return rows, casualties, left

    def fire_at(self, side: int, at: int) -> tuple[int, int, int]:
        """Offsets of the three."""
        fire = int(self.words[at + ONE_DRAW])
        rows, casualties, left = (int(self.words[fire + n]) for n in (3 * side, 4 - 3 * side, 5 - 3 * side))
        return rows, casualties, left

    # ---------------------------------------------------------------- rounds without dice

    def may_be_dry(self, operations: range) -> Pairs:
        """Whether there may be no die until the next decision, or the end, by the pair of kinds."""
        fires = tuple(takewhile(lambda at: self.words[at] == FIRE, operations))
        if fires not in self._dry:
            self._dry[fires] = self._find_dry(fires)
        return self._dry[fires]

    def _find_dry(self, fires: tuple[int, ...]) -> Pairs:
        a, d = (self._with_dice(side, [at for at in fires if self.is_single(at)]) for side in (0, 1))
        pair = a[0, :, None] * self.kinds.width + d[0, None, :]
        waits = self.goes_on(fires[0])[pair]
        over = np.zeros_like(waits)
        singles = 0
        for at in fires:
            over |= waits & ~self.goes_on(at)[pair]
            if self.is_single(at):
                (a_idle, a_safe), (d_idle, d_safe) = (k[2 * singles + 1 : 2 * singles + 3] for k in (a, d))
                waits &= (a_idle[:, None] | d_safe[None, :]) & (d_idle[None, :] | a_safe[:, None]) != 0
                singles += 1
            else:
                waits &= ~self.rolls(at)[pair]
        found = np.zeros(self.kinds.pairs, dtype=np.bool_)
        found[pair[waits | over]] = True
        return found

    def _with_dice(self, side: int, fires: list[int]) -> Ints:
        """Tell states of a side apart: by kind; for each fire: no die? nothing to lose."""
        kinds = [self.kinds.of[side].astype(np.int32)]
        for at in fires:
            rows, _, left = self.fire(side, at)
            kinds += [(rows <= NO_DICE).astype(np.int32), (left == 0).astype(np.int32)]
        codes = kinds[0].astype(np.int64)
        for kind in kinds[1:]:
            codes = 2 * codes + kind
        _, places = np.unique(codes, return_index=True)
        return np.array([kind[places] for kind in kinds], dtype=np.int32)
