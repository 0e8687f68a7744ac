"""The states of one side: every way its force can look, reached from the start by hits, landings and leaving.

A state is a tuple of counts over *buckets* (kind, hits left, place). With a fixed order of loss and hits that may fall on
anything the states are a ladder; restricted hits make them a small graph. Numbers go up along every edge, so that one
pass in ascending order meets each state after all that lead to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from battlecalc.errors import StateSpaceError
from battlecalc.program.casualties import Segment
from battlecalc.program.pieces import Pieces
from battlecalc.program.setting import Setting

State = tuple[int, ...]
Edge = Callable[[State], State]

BATTLE, PENDING, ABOARD, AWAY = 0, 1, 2, 3


class Bucket(NamedTuple):
    """Pieces of one kind with the same hits left in the same place."""

    kind: int
    hits: int
    place: int


class Mask(NamedTuple):
    """What one hit may fall on, and who decides.

    `mode`: ``owner`` (his order of loss), ``die`` (one bucket: `kind`, `hits`), ``called`` (the shooter picks; with nothing of `bits` left
    the owner picks among `others`). `pending`: a lost unit still fires. `passengers`: how many ride on the carrier and are lost with it.
    """

    mode: str
    bits: int
    pending: bool = False
    kind: int = -1
    hits: int = 0
    passengers: int = 0
    others: int = 0


@dataclass(frozen=True, slots=True)
class Signature:
    """Which units are present: can be hit, hit but still to fire, still aboard (bit masks)."""

    battle: int
    pending: int
    aboard: int

    @property
    def present(self) -> int:
        """Units that count as being in the battle."""
        return self.battle | self.pending


class Walker:
    """The edges between states of one side, as functions on count tuples."""

    def __init__(
        self,
        setting: Setting,
        pieces: Pieces,
        segments: Sequence[Segment],
        pending_bits: int = 0,
        leaving: tuple[int, int] = (0, 0),
    ) -> None:
        self.setting, self.pieces = setting, pieces
        self.kinds = pieces.kinds
        self.segments = segments
        self.buckets = tuple(
            Bucket(n, hits, place)
            for place in (BATTLE, PENDING, ABOARD, AWAY)
            for n, kind in enumerate(self.kinds)
            for hits in (range(kind.hits, 0, -1) if place in (BATTLE, AWAY) else (kind.hits,))
            if place == BATTLE
            or (place == PENDING and kind.bit & pending_bits)
            or (place == ABOARD and kind.aboard)
            or (place == AWAY and kind.bit & (leaving[0] | (leaving[1] if kind.overland else 0)))
        )
        self.at = {bucket: number for number, bucket in enumerate(self.buckets)}
        self.battle = tuple(
            tuple(self.at[Bucket(n, hits, BATTLE)] for hits in range(kind.hits, 0, -1))
            for n, kind in enumerate(self.kinds)
        )
        self._edges: dict[Mask, Edge] = {}

    def start(self) -> State:
        """The force before the battle."""
        state = [0] * len(self.buckets)
        for n, kind in enumerate(self.kinds):
            if kind.aboard:
                state[self.at[Bucket(n, kind.hits, ABOARD)]] = kind.count
            else:
                state[self.battle[n][0]] = kind.count - kind.damaged
                if kind.damaged:
                    state[self.battle[n][1]] += kind.damaged
        return tuple(state)

    def weight(self, state: State) -> int:
        """Falls along every edge: hits left, those aboard twice, those gone away none."""
        worth = (4, 1, 8, 0)
        return sum(
            n * worth[b.place] * (1 if b.place == PENDING else b.hits)
            for n, b in zip(state, self.buckets, strict=True)
            if n
        )

    def signature(self, state: State) -> Signature:
        """Units present in a state."""
        masks = [0, 0, 0, 0]
        for n, bucket in zip(state, self.buckets, strict=True):
            if n:
                masks[bucket.place] |= self.kinds[bucket.kind].bit
        return Signature(masks[BATTLE], masks[PENDING], masks[ABOARD])

    def edge(self, mask: Mask) -> Edge:
        """The function that applies one hit; a state that the hit cannot fall on maps to itself."""
        found = self._edges.get(mask)
        if found is None:
            make = {"owner": self._owner_edge, "die": self._die_edge, "called": self._called_edge}[mask.mode]
            found = self._edges[mask] = make(mask)
        return found

    def _lose(self, state: list[int], kind: int, mask: Mask) -> None:
        """Take one unit with its last hit left out of the battle."""
        state[self.battle[kind][-1]] -= 1
        if mask.pending:
            state[self.at[Bucket(kind, self.kinds[kind].hits, PENDING)]] += 1
        if mask.passengers:
            self._lose_passenger(state, kind, mask.passengers)

    def _lose_passenger(self, state: list[int], carrier: int, passengers: int) -> None:
        """A carrier is gone: so is its passenger, unless enough carriers are left for all of them (empty ones go first)."""
        left = sum(state[b] for b in self.battle[carrier])
        if left < passengers:
            linked = next(s.rule.linked for s in self.setting.steps if s.rule.linked)
            for n, kind in enumerate(self.kinds):
                if kind.unit.id == linked.unit and state[self.battle[n][-1]]:
                    state[self.battle[n][-1]] -= 1
                    return

    def _owner_edge(self, mask: Mask) -> Edge:
        segments = [s for s in self.segments if self.kinds[s.kind].bit & mask.bits]
        battle, single = self.battle, all(len(self.battle[s.kind]) == 1 for s in segments)
        if single and not mask.pending and not mask.passengers:
            simple = [(battle[s.kind][0], s.floor) for s in segments]

            def one_hit_units(state: State) -> State:
                for bucket, floor in simple:
                    if state[bucket] > floor:
                        return (*state[:bucket], state[bucket] - 1, *state[bucket + 1 :])
                return state

            return one_hit_units

        def any_units(state: State) -> State:
            for s in segments:
                buckets = battle[s.kind]
                hurt = self._next_hurt(state, buckets)
                if s.harmless:
                    spare = sum(state[b] * (len(buckets) - 1 - n) for n, b in enumerate(buckets))
                    if spare <= s.floor:
                        continue
                elif sum(state[b] for b in buckets) <= s.floor:
                    continue
                after = list(state)
                if state[buckets[-1]] and not s.harmless:
                    self._lose(after, s.kind, mask)
                else:  # a unit takes its harmless hits before its last one, whatever the order says
                    after[buckets[hurt]] -= 1
                    after[buckets[hurt + 1]] += 1
                return tuple(after)
            return state

        return any_units

    @staticmethod
    def _next_hurt(state: State, buckets: tuple[int, ...]) -> int:
        """Index of the bucket whose unit takes the next harmless hit: the most damaged that survives it."""
        for n in range(len(buckets) - 2, -1, -1):
            if state[buckets[n]]:
                return n
        return 0

    def _die_edge(self, mask: Mask) -> Edge:
        buckets = self.battle[mask.kind]
        hurt = len(buckets) - mask.hits

        def one_unit(state: State) -> State:
            if not state[buckets[hurt]]:
                return state
            after = list(state)
            if mask.hits == 1:
                self._lose(after, mask.kind, mask)
            else:
                after[buckets[hurt]] -= 1
                after[buckets[hurt + 1]] += 1
            return tuple(after)

        return one_unit

    def _called_edge(self, mask: Mask) -> Edge:
        """The shooter's pick: the dearest unit that the hit finishes, else the dearest; ties by name."""
        targets = [n for n, kind in enumerate(self.kinds) if kind.bit & mask.bits]
        targets.sort(key=lambda n: (-(self.kinds[n].unit.cost or 0), self.kinds[n].unit.id))
        ordinary = self.edge(Mask("owner", mask.others, mask.pending))

        def picked(state: State) -> State:
            for n in targets:
                if state[self.battle[n][-1]]:
                    after = list(state)
                    self._lose(after, n, mask)
                    return tuple(after)
            for n in targets:
                for hurt, bucket in enumerate(self.battle[n][:-1]):
                    if state[bucket]:
                        after = list(state)
                        after[bucket] -= 1
                        after[self.battle[n][hurt + 1]] += 1
                        return tuple(after)
            return ordinary(state)

        return picked

    def clear_pending(self, state: State) -> State:
        """Casualties that have fired are gone."""
        return tuple(0 if b.place == PENDING else n for n, b in zip(state, self.buckets, strict=True))

    def leave(self, bits: int, overland_bits: int, one: bool = False) -> Edge:
        """Units that go away: all of them, or `one`."""
        going = [
            (self.at[b], self.at[Bucket(b.kind, b.hits, AWAY)])
            for b in self.buckets
            if b.place == BATTLE
            and (
                self.kinds[b.kind].bit & bits
                or (self.kinds[b.kind].overland and self.kinds[b.kind].bit & overland_bits)
            )
        ]

        def gone(state: State) -> State:
            after = list(state)
            for source, target in going:
                n = min(after[source], 1) if one else after[source]
                after[source] -= n
                after[target] += n
                if one and n:
                    break
            return tuple(after)

        return gone

    def landing_of(self, number: int) -> Edge:
        """The wave of the given round comes ashore; a wave is fixed before the battle."""
        wave = self.pieces.waves[number - 1] if number <= len(self.pieces.waves) else ()

        def ashore(state: State) -> State:
            after = list(state)
            for kind, count in wave:
                source = self.at[Bucket(kind, self.kinds[kind].hits, ABOARD)]
                n = min(count, after[source])
                after[source] -= n
                after[self.battle[kind][0]] += n
            return tuple(after)

        return ashore


class StateSet:
    """States found so far, grown edge by edge along the schedule."""

    def __init__(self, start: Iterable[State], most: int) -> None:
        self.found: set[State] = set(start)
        self.now: set[State] = set(self.found)
        self.most = most

    def hits(self, edge: Edge, most_hits: int) -> None:
        """Add what up to `most_hits` hits along one edge lead to."""
        frontier = self.now
        for _ in range(most_hits):
            frontier = {edge(state) for state in frontier} - self.now
            if not frontier:
                break
            self.now = self.now | frontier
            self._check()
        self.found |= self.now

    def move(self, edge: Edge, optional: bool) -> None:
        """Follow a landing or leaving; `optional`: it may also not happen."""
        moved = {edge(state) for state in self.now}
        self.now = self.now | moved if optional else moved
        self.found |= self.now

    def close(self, edges: Sequence[Edge]) -> None:
        """Add all that any number of these edges lead to."""
        frontier = self.now
        while frontier:
            frontier = {edge(state) for state in frontier for edge in edges} - self.now
            self.now = self.now | frontier
            self._check()
        self.found |= self.now

    def _check(self) -> None:
        if len(self.now) > self.most:
            raise StateSpaceError(
                f"one side of this battle has more than {self.most:,} states; fewer unit types or a simpler order of loss would help"
            )


class SideStates:
    """The numbered states of one side.

    Attributes
    ----------
    states : list of count tuples over ``walker.buckets``
    index : dict, the inverse
    signatures : list of distinct `Signature`
    signature : ndarray of int32, shape (S,), index into `signatures`
    """

    def __init__(self, walker: Walker, found: Iterable[State]) -> None:
        self.walker = walker
        self.states = sorted(found, key=lambda state: (-walker.weight(state), [-n for n in state]))
        self.index = {state: number for number, state in enumerate(self.states)}
        numbers: dict[Signature, int] = {}
        self.signature: NDArray[np.int32] = np.array(
            [numbers.setdefault(walker.signature(state), len(numbers)) for state in self.states], dtype=np.int32
        )
        self.signatures = list(numbers)
        self._maps: dict[Mask, NDArray[np.int32]] = {}

    def __len__(self) -> int:
        return len(self.states)

    def next(self, mask: Mask) -> NDArray[np.int32]:
        """State after one hit, for every state; itself where the hit can fall on nothing (or never happens there)."""
        found = self._maps.get(mask)
        if found is None:
            found = self._maps[mask] = self.map(self.walker.edge(mask))
        return found

    def map(self, edge: Edge) -> NDArray[np.int32]:
        """An edge as an array of state numbers."""
        index = self.index
        return np.array(
            [index.get(edge(state), number) for number, state in enumerate(self.states)], dtype=np.int32
        )

    def count(self, bits: int) -> NDArray[np.int32]:
        """Units of these kinds that can be hit, for every state."""
        buckets = [
            number
            for number, b in enumerate(self.walker.buckets)
            if b.place == BATTLE and self.walker.kinds[b.kind].bit & bits
        ]
        return np.array([sum(state[b] for b in buckets) for state in self.states], dtype=np.int32)
