"""One side of a program: states and all that does not depend on the enemy's, kept between battles."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from battlecalc.program.casualties import Segment, make_segments
from battlecalc.program.dice import Volley, hit_distribution, make_volley, mean_hits, shot
from battlecalc.program.layout import Rows, chains
from battlecalc.program.memo import Memo
from battlecalc.program.pieces import Counts, Pieces, make_pieces
from battlecalc.program.plans import Pool, Standing, keepers_of
from battlecalc.program.reach import Exposure, pending_bits, reachable
from battlecalc.program.setting import Setting
from battlecalc.program.volleys import Volleys
from battlecalc.program.walker import ABOARD, BATTLE, Mask, State, Walker

if TYPE_CHECKING:
    from battlecalc.losses import Loss

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]


class SideProgram:
    """States, casualties and dice of one side; made by `make_side`.

    Attributes
    ----------
    pieces : Pieces
    segments : tuple of Segment
        The order of loss.
    states : SideStates
    rows : Rows
        Distributions of hits that this side's dice use.
    start : int
        Number of the state of the whole force.
    signature_number : int
        Tells lists of signatures apart: what follows from signatures alone is kept under it.
    memo : Memo
        What was worked out about these states, by whom it may concern.
    """

    def __init__(
        self,
        setting: Setting,
        side: int,
        pieces: Pieces,
        segments: tuple[Segment, ...],
        exposed: tuple[Exposure, ...],
        leaving: tuple[int, int],
        starts: tuple[State, ...] = (),
    ) -> None:
        self.setting, self.side, self.pieces, self.segments = setting, side, pieces, segments
        walker = Walker(setting, pieces, segments, pending_bits(pieces, exposed), leaving)
        others = (walker.padded(start) for start in starts)
        raid = setting.ruleset.sequences[setting.sequence_id].damage is not None  # no one judges a raid
        destroyed = 0 if raid else setting.defenceless(side)
        self.states = reachable(setting, walker, exposed, others, defenceless=destroyed)
        self.start = self.states.index[walker.start()]
        self.signature_number = setting.number_of(tuple(self.states.signatures))
        landed = {u: pieces.landed(setting, frozenset((u,))) for u in setting.units[side]}
        self.volleys = Volleys(setting, side, pieces, self.states, landed)
        self.rows = Rows()
        self.memo = Memo()

    @property
    def standing(self) -> Standing:
        """Units that no hit can remove."""
        bits = self.setting.bits
        return Standing(
            bits(frozenset(u for u, _ in self.pieces.fixed)),
            bits(frozenset(u for u, _ in self.pieces.offshore)),
            bits(self.pieces.fires_always),
        )

    def own_rows(self, pool: Pool, phase: frozenset[int], low_luck: bool) -> Ints:
        """Row number for every state, of dice that depend on the own side only."""

        def make() -> Ints:
            # states that differ in units which do not matter here roll the same dice
            matters = self.volleys.matters(pool, phase)
            known: dict[tuple[int, ...], int] = {}
            numbers = []
            for state in self.states.states:
                there = tuple([state[bucket] for bucket in matters])
                number = known.get(there)
                if number is None:
                    volley = self.volleys.volley(pool, state, phase)
                    number = known[there] = self._row(volley, low_luck)
                numbers.append(number)
            return np.array(numbers, dtype=np.int32)

        return self.memo.of(("own rows", pool.groups, pool.who, phase, low_luck), make)

    def _row(self, volley: Volley, low_luck: bool) -> int:
        if not volley:
            return 0
        number = self.rows.known((volley, low_luck))
        if number is None:
            number = self.rows.number((volley, low_luck), *hit_distribution(volley, low_luck))
        return number

    def called_rows(self, pool: Pool, phase: frozenset[int], upto: int) -> tuple[Ints, int]:
        """Row number for every state of joint rows (ordinary hits, called shots), and their common width."""

        def make() -> tuple[Ints, int]:
            tables = [self.volleys.called(pool, state, phase, upto) for state in self.states.states]
            width = max(own_width for _, own_width in tables)
            numbers = []
            for table, own_width in tables:
                if own_width == 1:
                    numbers.append(0)
                    continue
                square = np.zeros((own_width, width))
                square[:, :own_width] = np.array(table).reshape(own_width, own_width)
                numbers.append(self.rows.number(("called", square.tobytes()), 0, square.ravel()))
            return np.array(numbers, dtype=np.int32), width

        return self.memo.of(("called rows", pool.groups, pool.who, phase, upto), make)

    def matched_rows(
        self, pool: Pool, phase: frozenset[int], most: int, low_luck: bool
    ) -> tuple[Ints, Ints, Ints]:
        """Rows of dice that follow the number of targets, of which there are `most` at most.

        Returns
        -------
        (rows, first, limits)
            For every state: the row number of n dice is ``rows[first + n]``, and n goes up to its limit.
        """

        def make() -> tuple[Ints, Ints, Ints]:
            matters = self.volleys.matters(pool, phase)
            known: dict[tuple[int, ...], tuple[int, int]] = {}
            places: dict[tuple[tuple[int, int], ...], int] = {}
            rows: list[int] = []
            found = []
            for state in self.states.states:
                there = tuple([state[bucket] for bucket in matters])
                if there not in known:
                    dice = self.volleys.matched(pool, state, phase, most)
                    if dice not in places:
                        places[dice] = len(rows)
                        volleys = (make_volley(Counter(dice[:n])) for n in range(len(dice) + 1))
                        rows += [self._row(volley, low_luck) for volley in volleys]
                    known[there] = places[dice], len(dice)
                found.append(known[there])
            first, limits = np.array(found, dtype=np.int32).T
            return np.array(rows, dtype=np.int32), first, limits

        return self.memo.of(("matched rows", pool.groups, pool.who, phase, most, low_luck), make)

    def chain(self, mask: Mask) -> tuple[Ints, Ints, Ints]:
        """Chains of repeated hits inside a mask (see `battlecalc.program.layout.chains`)."""
        return self.memo.of(("chain", mask), lambda: chains(self.states.next(mask)))

    def total(self, worth: dict[str, float]) -> Floats:
        """Sum of `worth` over the units that are still in the battle (aboard ones too) and can be lost."""

        def make() -> Floats:
            walker = self.states.walker
            weights = [
                worth.get(walker.kinds[b.kind].unit.id, 0.0) if b.place in (BATTLE, ABOARD) else 0.0
                for b in walker.buckets
            ]
            counts = np.array(self.states.states, dtype=np.float64).reshape(len(self.states), -1)
            return np.asarray(counts @ np.array(weights))

        return self.memo.of(("total", tuple(sorted(worth.items()))), make)

    def power(self, phase: frozenset[int]) -> Floats:
        """Mean hits of one ordinary round for every state, own mix included."""

        def make() -> Floats:
            firing = {
                unit
                for stage in self.setting.stages
                if stage.rule.repeat == "rounds"
                for step in stage.steps
                for group in step.groups[self.side]
                if group.rule.value == "ordinary" and (step.rounds is None or step.rounds[1] is None)
                for unit in group.rule.who
            }
            return np.array([self._power(state, phase, firing) for state in self.states.states])

        return self.memo.of(("power", phase), make)

    def _power(self, state: State, phase: frozenset[int], firing: set[str]) -> float:
        counts = self.volleys.counts(state)
        unkept = 0
        present = self.setting.bits(frozenset(u for u, n in counts.items() if n))
        for bit, keepers in keepers_of(self.setting, self.side):
            if not keepers & present:
                unkept |= bit
        shots: dict[tuple[int, int], int] = {}
        for unit, values in self.volleys.values(state, phase).items():
            rules = self.volleys.units[unit]
            kept = unit in self.pieces.fires_always or not unkept >> self.setting.bit[unit] & 1
            if unit not in firing or not kept:
                continue
            for value, n in values:
                key = shot(value, self.volleys.sides, rules.rolls[self.side])
                shots[key] = shots.get(key, 0) + n * rules.dice[self.side]
        return mean_hits(make_volley(shots))


@lru_cache(maxsize=2048)
def make_side(
    setting: Setting,
    side: int,
    pieces: Pieces,
    order: tuple[Loss, ...] | None,
    keep_land: int,
    exposed: tuple[Exposure, ...],
    leaving: tuple[int, int],
    starts: tuple[State, ...] = (),
) -> SideProgram:
    """Build one side, or take the one that an earlier battle built."""
    segments = make_segments(setting, side, pieces, order, keep_land)
    return SideProgram(setting, side, pieces, segments, exposed, leaving, starts)


@lru_cache(maxsize=8192)
def cached_pieces(setting: Setting, side: int, counts: Counts, overland: Counts, damaged: Counts) -> Pieces:
    """`make_pieces`, kept between battles."""
    return make_pieces(setting, side, counts, overland, damaged)
