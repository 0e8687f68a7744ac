"""One side of a program: states and all that does not depend on the enemy's, kept between battles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from battlecalc.program.casualties import make_segments
from battlecalc.program.dice import Volley, hit_distribution, make_volley, mean_hits, shot
from battlecalc.program.edges import State
from battlecalc.program.layout import Rows, chains
from battlecalc.program.memo import Memo
from battlecalc.program.pieces import Counts, Pieces, make_pieces
from battlecalc.program.plans import Pool, Standing, keepers_of
from battlecalc.program.reach import MAX_STATES, Exposure, pending_bits, reachable
from battlecalc.program.setting import Setting
from battlecalc.program.states import distinct
from battlecalc.program.volleys import Tally, Volleys
from battlecalc.program.walker import ABOARD, BATTLE, Mask, Walker

if TYPE_CHECKING:
    from battlecalc.losses import Loss

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

# For so many states it pays to count their dice in arrays.
MANY = 500


@dataclass(frozen=True, slots=True)
class SideAsked:
    """What a `SideProgram` follows from, but for `most`: the states that it may have."""

    setting: Setting
    side: int
    pieces: Pieces
    order: tuple[Loss, ...] | None
    keep_land: int
    exposed: tuple[Exposure, ...]
    leaving: tuple[int, int]
    starts: tuple[State, ...] = ()
    defenceless: int = 0
    most: int = field(default=MAX_STATES, compare=False)


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

    def __init__(self, asked: SideAsked) -> None:
        self.setting, self.side, self.pieces = asked.setting, asked.side, asked.pieces
        setting, side, pieces, exposed = asked.setting, asked.side, asked.pieces, asked.exposed
        self.segments = make_segments(setting, side, pieces, asked.order, asked.keep_land)
        walker = Walker(setting, pieces, self.segments, pending_bits(pieces, exposed), asked.leaving)
        others = (walker.padded(start) for start in asked.starts)
        self.states = reachable(setting, walker, exposed, others, asked.most, asked.defenceless)
        self.start = self.states.number(walker.start())
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
            tally = self.volleys.tally(pool, phase) if len(self.states) > MANY else None
            if tally:
                return self._tallied_rows(tally, low_luck)
            states, kind = self._alike(pool, phase)
            rows = [self._row(self.volleys.volley(pool, state, phase), low_luck) for state in states]
            return np.array(rows, dtype=np.int32)[kind]

        return self.memo.of(("own rows", pool.groups, pool.who, phase, low_luck), make)

    def _alike(self, pool: Pool, phase: frozenset[int]) -> tuple[Iterable[State], NDArray[np.intp]]:
        """One state of each kind, and the kind of every state: they differ in units that do not matter."""
        matters = self.volleys.matters(pool, phase)
        if len(self.states) > MANY:
            first, kind = distinct(self.states.rows[:, matters])
            return map(tuple, self.states.rows[first].tolist()), kind
        keys = [tuple([state[bucket] for bucket in matters]) for state in self.states.states]
        one_of = dict(zip(keys, self.states.states, strict=True))
        numbers = {key: number for number, key in enumerate(one_of)}
        return one_of.values(), np.array([numbers[key] for key in keys])

    def _tallied_rows(self, tally: Tally, low_luck: bool) -> Ints:
        """Row number for every state, of dice that are sums over the pieces of a state."""
        rows = self.states.rows
        shots = np.empty((len(rows), len(tally)), dtype=np.int64)
        for column, (each, always) in enumerate(tally.values()):
            shots[:, column] = always
            for bucket, n in each.items():
                shots[:, column] += n * rows[:, bucket]
        first, kind = distinct(shots)
        volleys = (make_volley(dict(zip(tally, n, strict=True))) for n in shots[first].tolist())
        numbers = [self._row(volley, low_luck) for volley in volleys]
        return np.array(numbers, dtype=np.int32)[kind]

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
            places: dict[tuple[tuple[int, int], ...], int] = {}
            rows: list[int] = []
            found = []
            states, kind = self._alike(pool, phase)
            for state in states:
                dice = self.volleys.matched(pool, state, phase, most)
                # beyond its limit no state looks: those that begin alike share their rows
                longest = (*dice, *dice[-1:] * (most - len(dice)))
                if longest not in places:
                    places[longest] = len(rows)
                    rows += self._rows_up_to(longest, low_luck)
                found.append((places[longest], len(dice)))
            first, limits = np.array(found, dtype=np.int32)[kind].T
            return np.array(rows, dtype=np.int32), first, limits

        return self.memo.of(("matched rows", pool.groups, pool.who, phase, most, low_luck), make)

    def _rows_up_to(self, dice: Iterable[tuple[int, int]], low_luck: bool) -> list[int]:
        """Row numbers of the first of these dice: of none, one, two, ... all."""
        rolled: Counter[tuple[int, int]] = Counter()
        rows = [0]
        for die in dice:
            rolled[die] += 1
            rows.append(self._row(make_volley(rolled), low_luck))
        return rows

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
            return np.asarray(self.states.rows @ np.array(weights, dtype=np.float64))

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
        present = self.setting.bits(frozenset(counts))
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
def make_side(asked: SideAsked) -> SideProgram:
    """Build one side, or take the one that an earlier battle built.

    Raises
    ------
    StateSpaceError
        Where it has more states than asked for: as soon as that is known.
    """
    return SideProgram(asked)


@lru_cache(maxsize=8192)
def cached_pieces(setting: Setting, side: int, counts: Counts, overland: Counts, damaged: Counts) -> Pieces:
    """`make_pieces`, kept between battles."""
    return make_pieces(setting, side, counts, overland, damaged)
