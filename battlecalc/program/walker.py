"""How one side changes: counts of pieces by bucket, and edges between them for hits, landings and leaving.

A state is a tuple of counts over *buckets* (kind, hits left, place).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

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

    `mode`: ``owner`` (his order of loss), ``die`` (one bucket: `kind`, `hits`), ``called`` (the shooter
    picks; with nothing of `bits` left the owner picks among `others`). `pending`: a lost unit still fires.
    `passengers`: how many ride on the carrier and are lost with it.
    """

    mode: str
    bits: int
    pending: bool = False
    kind: int = -1
    hits: int = 0
    passengers: int = 0
    others: int = 0


class Signature(NamedTuple):
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
        """Return the force before the battle."""
        state = [0] * len(self.buckets)
        for n, kind in enumerate(self.kinds):
            if kind.aboard:
                state[self.at[Bucket(n, kind.hits, ABOARD)]] = kind.count
            else:
                state[self.battle[n][0]] = kind.count - kind.damaged
                if kind.damaged:
                    state[self.battle[n][1]] += kind.damaged
        return tuple(state)

    def padded(self, state: State) -> State:
        """Return a state given over the battle's places alone with all other places empty."""
        return state + (0,) * (len(self.buckets) - len(state))

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
        """Return the function that applies one hit; a state that the hit cannot fall on maps to itself."""
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
        """Take the passenger of a lost carrier, unless those left have room for all (empty ones go first)."""
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
            simple = [(battle[s.kind][0], s.floor, self._aboard(s.kind)) for s in segments]

            def one_hit_units(state: State) -> State:
                for bucket, floor, aboard in simple:
                    if state[bucket] and state[bucket] + (state[aboard] if aboard else 0) > floor:
                        return (*state[:bucket], state[bucket] - 1, *state[bucket + 1 :])
                return state

            return one_hit_units

        entries = [(s.kind, s.harmless, s.floor, battle[s.kind], self._aboard(s.kind)) for s in segments]

        def any_units(state: State) -> State:
            for kind, harmless, floor, buckets, aboard in entries:
                left = more = 0  # units, harmless hits that they can take
                for bucket in buckets:
                    more += left
                    left += state[bucket]
                if harmless:
                    if more <= floor:
                        continue
                elif not left or left + (state[aboard] if aboard else 0) <= floor:
                    continue
                after = list(state)
                if state[buckets[-1]] and not harmless:
                    self._lose(after, kind, mask)
                else:  # a unit takes its harmless hits before its last one, whatever the order says
                    hurt = self._next_hurt(state, buckets)
                    after[buckets[hurt]] -= 1
                    after[buckets[hurt + 1]] += 1
                return tuple(after)
            return state

        return any_units

    def _aboard(self, kind: int) -> int:
        """Return the bucket of units still aboard, 0 for none: they hold the last places of an order."""
        return self.at.get(Bucket(kind, self.kinds[kind].hits, ABOARD), 0)

    @staticmethod
    def _next_hurt(state: State, buckets: tuple[int, ...]) -> int:
        """Index of the bucket whose unit takes the next harmless hit: the most damaged that survives it."""
        return next(n for n in range(len(buckets) - 2, -1, -1) if state[buckets[n]])

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
        """Let the shooter pick: the dearest unit that the hit finishes, else the dearest; ties by name."""
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
        """Take away casualties that have fired."""
        return tuple(0 if b.place == PENDING else n for n, b in zip(state, self.buckets, strict=True))

    def without(self, bits: int) -> Edge:
        """Take units out of the battle that are destroyed without a die."""
        destroyed = frozenset(
            number
            for number, b in enumerate(self.buckets)
            if b.place == BATTLE and self.kinds[b.kind].bit & bits
        )

        def gone(state: State) -> State:
            return tuple(0 if number in destroyed else n for number, n in enumerate(state))

        return gone

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
        """Bring one wave ashore, the first is number 1; waves are fixed before the battle."""
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
