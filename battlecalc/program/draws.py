"""Fire as words: plans of every pair of signatures, their draws, and how hits move the enemy.

=======  ==========================================================================================
what     words
=======  ==========================================================================================
plan     ``[draws, tangle or -1, draw...]`` (offsets)
tangle   ``[hit types, (map of states, victims' types) for each set of types]``
draw     ``[kind, rows, limits, counts, start, left, called start, called left, width]``
=======  ==========================================================================================

A draw is one distribution of hits. Which row of hits it takes is looked up by the own state (``OWN``,
``CALLED``), or by the number of dice in the table that the own state looks at (``MATCHED``: its limit, but no
more than the target's count). `start` and `left` lead through the target's chain of casualties (see
`battlecalc.program.layout.chains`). Rows of ``CALLED`` draws are joint: entry ``ordinary hits * width +
called shots``, and called shots have a chain of their own.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from battlecalc.errors import StateSpaceError
from battlecalc.program.ground import Ground
from battlecalc.program.layout import CALLED, FIRE, MATCHED, OWN
from battlecalc.program.plans import MATCHED_DICE, Plan, Pool, make_plan
from battlecalc.program.reach import riders
from battlecalc.program.setting import ReadyStep
from battlecalc.program.side import SideProgram
from battlecalc.program.walker import BATTLE, Bucket, Mask

# Tangled hits are assigned by sets of types: one type more doubles the sets that engines keep room for.
MAX_TANGLED = 6

Single = list[int] | Literal["none"]
Phases = tuple[frozenset[int], frozenset[int]]


class Draws:
    """Stores what both sides roll; `pack_rows` comes last."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.setting, self.sides, self.memory = ground.setting, ground.sides, ground.memory

    def fire(self, step: ReadyStep, phases: Phases, arrival: int) -> list[int] | None:
        """Make the record of an operation in which both sides fire; None where neither ever does."""
        attacker, defender = (self._plans(step, side, phases[side]) for side in (0, 1))
        if attacker[1] == defender[1] == "none":
            return None
        return [
            FIRE,
            step.number,
            attacker[0],
            defender[0],
            self._single(attacker[1], defender[1]),
            *[0] * 4,
            arrival,
        ]

    def pack_rows(self) -> tuple[int, int, NDArray[np.float64]]:
        """Lay both sides' rows out; a row's number in memory is ``2 * own number + side``.

        Returns
        -------
        (row_records, row_count, probabilities)
            See `battlecalc.program.program.Program`.
        """
        records = [side.rows.records() for side in self.sides]
        tables = [side.rows.probabilities() for side in self.sides]
        count = 2 * max(len(r) for r in records)
        packed = np.zeros((count, 3), dtype=np.int32)
        packed[0 : 2 * len(records[0]) : 2] = records[0]
        records[1][:, 1] += len(tables[0])
        packed[1 : 2 * len(records[1]) : 2] = records[1]
        return self.memory.put(packed.ravel(), "row records"), count, np.concatenate(tables)

    # ---------------------------------------------------------------- plans

    def _plans(self, step: ReadyStep, side: int, phase: frozenset[int]) -> tuple[int, Single | None]:
        """Store the table of a side's plans.

        Returns
        -------
        (offset, single)
            `single`: words of the one draw that serves for all plans, "none", or None where they differ.
        """
        numbers = (self.sides[side].signature_number, self.sides[1 - side].signature_number)
        key = ("plans", step.key, side, self.ground.situation.standing[side], numbers)
        plans, which = self.setting.memo.of(key, lambda: self._distinct_plans(step, side))
        places = [self._plan(step, side, plan, phase) for plan in plans]
        made = dict(zip(plans, places, strict=True))
        offsets = np.array(places, dtype=np.int32)[which]
        at = self.memory.put((offsets if side == 0 else offsets.T).ravel())
        return at, self._one_draw(step, side, phase, made, offsets)

    def _distinct_plans(self, step: ReadyStep, side: int) -> tuple[list[Plan], NDArray[np.int32]]:
        """Plans of a side in a step, and which of them holds for every pair of signatures (own, enemy's)."""
        own, enemy = self.ground.signatures[side], self.ground.signatures[1 - side]
        standing = self.ground.situation.standing[side]
        numbers: dict[Plan, int] = {}
        which = np.empty((len(own), len(enemy)), dtype=np.int32)
        for m, mine in enumerate(own):
            for n, theirs in enumerate(enemy):
                plan = make_plan(self.setting, step, side, mine, theirs, standing)
                which[m, n] = numbers.setdefault(plan, len(numbers))
        return list(numbers), which

    def _plan(self, step: ReadyStep, side: int, plan: Plan, phase: frozenset[int]) -> int:
        draws = [draw for pool in plan.pools for draw in self._draws(step, side, pool, phase)]
        tangle = self._tangle(step, side, plan) if plan.tangled else -1
        return self.memory.put([len(draws), tangle, *draws])

    def _one_draw(
        self,
        step: ReadyStep,
        side: int,
        phase: frozenset[int],
        made: dict[Plan, int],
        offsets: NDArray[np.int32],
    ) -> Single | None:
        """Find the draw that every plan comes to: where a plan is empty it rolls no dice or hits nothing."""
        plans = [plan for plan in made if plan.pools]
        if not plans:
            return "none"
        own, enemy = self.sides[side], self.sides[1 - side]
        pool = plans[0].pools[0]
        rule = own.volleys.groups[pool.groups[0]].rule
        if len(plans) > 1 or len(plans[0].pools) > 1 or pool.called is not None:
            return None
        if rule.casualties != "owner" or rule.dice.kind in MATCHED_DICE:
            return None
        rows = own.own_rows(pool, phase, step.low_luck)
        mask = self._mask(step, enemy, pool.mask)
        left = enemy.chain(mask)[2]
        rolls = np.zeros(len(own.states.signatures), dtype=bool)
        rolls[own.states.signature[rows != 0]] = True
        reached = np.zeros(len(enemy.states.signatures), dtype=bool)
        reached[enemy.states.signature[left != 0]] = True
        if (rolls[:, None] & reached[None, :] & (offsets != made[plans[0]])).any():
            return None
        return [self._rows(side, rows), *self._chain(1 - side, mask)]

    def _single(self, *singles: Single | None) -> int:
        """Store ``[rows, start, left]`` of both sides where each has at most one draw; else -1."""
        words: list[int] = []
        for side, single in enumerate(singles):
            if single is None:
                return -1
            if single == "none":
                no_dice = np.full(len(self.sides[side].states), side, dtype=np.int32)
                stay = np.arange(len(self.sides[1 - side].states), dtype=np.int32)
                start = self.memory.put(self.memory.put(stay) + stay)
                words += [self.memory.put(no_dice), start, self.memory.put(np.zeros_like(stay))]
            else:
                words += single
        return self.memory.put(words)

    # ---------------------------------------------------------------- draws

    def _draws(self, step: ReadyStep, side: int, pool: Pool, phase: frozenset[int]) -> list[int]:
        own, enemy = self.sides[side], self.sides[1 - side]
        rule = own.volleys.groups[pool.groups[0]].rule
        if rule.casualties == "die":
            return self._dice_of_each(step, side, pool, phase)
        mask = self._mask(step, enemy, pool.mask)
        if rule.dice.kind in MATCHED_DICE:
            return [self._matched(step, side, pool, phase, mask, enemy.states.count(pool.mask.bits))]
        start, left = self._chain(1 - side, mask)
        if pool.called is None:
            rows = self._rows(side, own.own_rows(pool, phase, step.low_luck))
            return [self.memory.put([OWN, rows, 0, 0, start, left, 0, 0, 0])]
        joint, width = own.called_rows(pool, phase, step.called)
        there = enemy.pieces.start_bits
        called = pool.called._replace(bits=pool.called.bits & there, others=pool.called.others & there)
        rows = self._rows(side, joint)
        return [self.memory.put([CALLED, rows, 0, 0, start, left, *self._chain(1 - side, called), width])]

    def _dice_of_each(self, step: ReadyStep, side: int, pool: Pool, phase: frozenset[int]) -> list[int]:
        """Store a draw for every kind of target and its hits left: each unit has a die of its own."""
        enemy = self.sides[1 - side]
        walker, rows = enemy.states.walker, enemy.states.rows
        found = []
        for n, kind in enumerate(walker.kinds):
            if not kind.bit & pool.mask.bits:
                continue
            passengers = riders(self.setting, step, enemy.pieces, kind.bit)
            for hits in range(1, kind.hits + 1):
                counts = rows[:, walker.at[Bucket(n, hits, BATTLE)]]
                mask = Mask("die", kind.bit, pool.mask.pending, n, hits, passengers)
                found.append(self._matched(step, side, pool, phase, mask, counts))
        return found

    def _matched(
        self,
        step: ReadyStep,
        side: int,
        pool: Pool,
        phase: frozenset[int],
        mask: Mask,
        counts: NDArray[np.int32],
    ) -> int:
        most = int(counts.max())
        rows, first, limits = self.sides[side].matched_rows(pool, phase, most, step.low_luck)
        places = self.memory.put(first + self._rows(side, rows))
        start, left = self._chain(1 - side, mask)
        words = [MATCHED, places, self.memory.put(limits), self.memory.put(counts), start, left, 0, 0, 0]
        return self.memory.put(words)

    def _rows(self, side: int, rows: NDArray[np.int32]) -> int:
        """Store row numbers of one side's dice as they will be when `pack_rows` has mixed both sides'."""
        return self.memory.put(rows * 2 + side, ("rows", side, rows.tobytes()))

    def _mask(self, step: ReadyStep, enemy: SideProgram, mask: Mask) -> Mask:
        """Cut a mask to units the enemy has, with the passengers that ride in this step."""
        mask = mask._replace(bits=mask.bits & enemy.pieces.start_bits)
        return mask._replace(passengers=riders(self.setting, step, enemy.pieces, mask.bits))

    def _chain(self, side: int, mask: Mask) -> tuple[int, int]:
        """Store the chain of a side's casualties inside a mask: (start, left)."""
        chain, start, left = self.sides[side].chain(mask)
        base = self.memory.put(chain, ("chain", side, mask))
        return self.memory.put(start + base, ("start", side, mask)), self.memory.put(
            left, ("left", side, mask)
        )

    # ---------------------------------------------------------------- tangles

    def _tangle(self, step: ReadyStep, side: int, plan: Plan) -> int:
        """Store maps for hits with incomparable targets: one for every set of hit types (pools)."""
        if len(plan.pools) > MAX_TANGLED:
            raise StateSpaceError(
                f"step {step.rule.name!r} has {len(plan.pools)} kinds of hits with overlapping targets, more "
                f"than {MAX_TANGLED}: groups that fire at the same targets count as one kind"
            )
        if any(pool.called is not None or pool.mask.mode != "owner" for pool in plan.pools):
            raise StateSpaceError(
                f"step {step.rule.name!r} has hits that a die or a shooter gives to a unit beside hits with "
                "overlapping targets, which no engine can assign together: give them steps of their own"
            )
        enemy = self.sides[1 - side]
        masks = [self._mask(step, enemy, pool.mask) for pool in plan.pools]
        kinds = enemy.states.walker.kinds
        types = [sum(1 << t for t, mask in enumerate(masks) if kind.bit & mask.bits) for kind in kinds]
        words = [len(masks)]
        for chosen in range(1 << len(masks)):
            bits = 0
            for t, mask in enumerate(masks):
                if chosen >> t & 1:
                    bits |= mask.bits
            following = enemy.states.next(masks[0]._replace(bits=bits))
            words.append(self.memory.put(following))
            words.append(self.memory.put(_victims(enemy, following, types)))
        return self.memory.put(words)


def _victims(enemy: SideProgram, following: NDArray[np.int32], types: list[int]) -> NDArray[np.int32]:
    """For every state the hit types that could have hit its next casualty (0: nothing is hit)."""
    rows = enemy.states.rows
    found = np.zeros(len(rows), dtype=np.int32)
    for number, bucket in reversed(list(enumerate(enemy.states.walker.buckets))):
        if bucket.place == BATTLE:  # the first bucket with a piece less is the casualty's
            found[rows[following, number] < rows[:, number]] = types[bucket.kind]
    return found
