"""The operations of a program as the beats that they may be: read from its words, nothing stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines.kernels import LEFT, MOST_SLOTS
from battlecalc.program.layout import (
    AFTER,
    AGAIN,
    BY_BOTH,
    DECIDE,
    DRAWS,
    FIRE,
    MOVE,
    ONE_DRAW,
    OP_WORDS,
    OWN,
    PLANS,
    ROWS,
    SIDE,
    SLOT,
    TANGLE,
    VERDICTS,
    WHERE_ASKED,
)
from battlecalc.program.program import Program, StageCode, Variant
from battlecalc.program.verdicts import GO_ON

Ints = NDArray[np.int32]
Unsigned = NDArray[np.uint32]
Pairs = NDArray[np.bool_]  # which pairs of signatures there may be
Plans = tuple[int, ...]  # the attacker's and the defender's plan of a step that has several; else none

NO_DICE = 1  # rows up to this one


class NotPlain(Exception):
    """The battle is to be fought by the general loop."""


def operations_of(variant: Variant) -> range:
    """Return where the operations of a variant are."""
    return range(variant.ops, variant.ops + OP_WORDS * variant.count, OP_WORDS)


class Operations:
    """Reads the words of a program."""

    def __init__(self, program: Program) -> None:
        self.program, self.words = program, program.words
        self.pairs = program.signatures[2] * (1 + int(self.signatures(0).max()))
        self._ways: dict[int, tuple[list[Any], NDArray[np.intp]]] = {}
        self._seen: dict[Variant, bool] = {}

    # ---------------------------------------------------------------- tables

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
        slots = self.table(int(self.words[at + VERDICTS]))
        if (slots > 0).any():
            raise NotPlain  # it ends in more ways than one
        return slots

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
        """Whether an operation is made of beats where it is met with this pair of signatures.

        Fire is where no hits have incomparable targets, and dice are counted by the own state; a decision
        where whoever may decide looks at his own side only, and where it is asked for once and always.
        """
        words = self.words
        if words[at] == DECIDE:
            due = self.verdicts(at) == GO_ON
            where = int(words[at + WHERE_ASKED])
            always = where < 0 or bool((self.table(where)[due] != 0).all())
            alone = not words[at + BY_BOTH] and not words[at + AGAIN]
            return bool(alone and always and words[at + SLOT] <= MOST_SLOTS)
        return self.is_single(at) or all(self._is_plain_plan(plan) for plan in self._plans(at, pair))

    def _is_plain_plan(self, plan: int) -> bool:
        tangled = bool(self.words[plan + TANGLE] >= 0)
        return not tangled and all(self.words[draw] == OWN for draw in self.draws_of(plan))

    def draws_of(self, plan: int) -> list[int]:
        """Offsets of the draws of a plan."""
        found: list[int] = self.words[plan + DRAWS :][: self.words[plan]].tolist()
        return found

    def _plans(self, at: int, pair: int) -> Plans:
        return tuple(int(self.words[self.words[at + PLANS + side] + pair]) for side in (0, 1))

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
        attacker, defender = (self.table(int(self.words[at + PLANS + side])) for side in (0, 1))
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
            plans = self.table(int(self.words[at + PLANS + side]))
            own = np.arange(self.pairs) // self.program.signatures[2]
            if side == 1:
                own = np.arange(self.pairs) % self.program.signatures[2]
            for plan in np.unique(plans).tolist():
                idle = np.ones(self.program.sizes[side], dtype=np.bool_)
                for draw in self.draws_of(plan):
                    if self.words[draw] == OWN:
                        idle &= self.of_draw(side, draw, ROWS) <= NO_DICE
                kinds = np.ones(1 + int(self.signatures(side).max()), dtype=np.bool_)
                kinds[self.signatures(side)[idle]] = False
                sure |= (plans == plan) & kinds[own]
        return sure

    def of_draw(self, side: int, draw: int, word: int) -> Ints:
        """Return what a word of a draw points to, for each state of a side."""
        return self.words[self.words[draw + word] :][: self.program.sizes[side]]

    def with_leaving(self, at: int, following: Unsigned) -> Unsigned:
        """Add to what follows on a decision that whoever left has ended the battle."""
        if self.words[at] != DECIDE or self.words[at + SLOT] < 0:
            return following
        left = np.full(self.pairs, int(LEFT) + 1 - int(self.words[at + SLOT]), dtype=np.uint32)
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

    def sees_dice(self, code: StageCode, variant: Variant) -> bool:
        """Whether every round of a variant rolls a die: until then, nothing changes in it."""
        if variant not in self._seen:
            self._seen[variant] = self._find_dice(code, variant)
        return self._seen[variant]

    def _find_dice(self, code: StageCode, variant: Variant) -> bool:
        fires = []
        for at in operations_of(variant):
            if self.words[at] != FIRE:
                break
            fires.append(at)
        if not fires:
            return False
        a, d = (self._kinds(side, [at for at in fires if self.is_single(at)]) for side in (0, 1))
        pair = a[0, :, None] * self.program.signatures[2] + d[0, None, :]
        waits = self.verdicts(fires[0])[pair] == GO_ON
        if code.both >= 0:
            waits &= self.table(code.both)[pair] != 0
        singles = 0
        for at in fires:
            if (waits & (self.verdicts(at)[pair] != GO_ON)).any():
                return False
            if self.is_single(at):
                (a_idle, a_safe), (d_idle, d_safe) = (k[2 * singles + 1 : 2 * singles + 3] for k in (a, d))
                waits &= (a_idle[:, None] | d_safe[None, :]) & (d_idle[None, :] | a_safe[:, None]) != 0
                singles += 1
            else:
                waits &= ~self.rolls(at)[pair]
        return not waits.any()

    def _kinds(self, side: int, fires: list[int]) -> Ints:
        """Return the kinds of states of a side: signature; for each fire: no die? nothing to lose."""
        kinds = [self.signatures(side)]
        for at in fires:
            rows, _, left = self.fire(side, at)
            kinds += [(rows <= NO_DICE).astype(np.int32), (left == 0).astype(np.int32)]
        codes = kinds[0].astype(np.int64)
        for kind in kinds[1:]:
            codes = 2 * codes + kind
        _, places = np.unique(codes, return_index=True)
        return np.array([kind[places] for kind in kinds], dtype=np.int32)
