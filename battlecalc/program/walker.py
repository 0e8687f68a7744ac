"""How one side changes: counts of pieces by bucket, and edges between them for hits, landings and leaving.

A state is a tuple of counts over *buckets* (kind, hits left, place).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from battlecalc.program.casualties import Segment
from battlecalc.program.edges import LOST, Choice, Edge, ManyPieces, OnePiece, Rank, Riders, State
from battlecalc.program.pieces import Pieces
from battlecalc.program.setting import Setting

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
    `passengers`: how many ride on the carrier and are lost with it. `landed`: what came by land is safe.
    """

    mode: str
    bits: int
    pending: bool = False
    kind: int = -1
    hits: int = 0
    passengers: int = 0
    others: int = 0
    landed: bool = False


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
    """The edges between states of one side, as `Edge` objects."""

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
        place_worth = (4, 1, 8, 0)
        self.worth = [place_worth[b.place] * (1 if b.place == PENDING else b.hits) for b in self.buckets]
        # casualties that have fired are taken away
        strip = [number for number, b in enumerate(self.buckets) if b.place == PENDING]
        self.clear_pending: Edge = ManyPieces([(number, LOST, None) for number in strip])
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
        return sum([n * worth for n, worth in zip(state, self.worth, strict=True) if n])

    def signature(self, state: State) -> Signature:
        """Units present in a state."""
        masks = [0, 0, 0, 0]
        for n, bucket in zip(state, self.buckets, strict=True):
            if n:
                masks[bucket.place] |= self.kinds[bucket.kind].bit
        return Signature(masks[BATTLE], masks[PENDING], masks[ABOARD])

    def edge(self, mask: Mask) -> Edge:
        """Return the edge of one hit; a state that the hit cannot fall on maps to itself."""
        found = self._edges.get(mask)
        if found is None:
            make = {"owner": self._by_owner, "die": self._by_die, "called": self._by_shooter}[mask.mode]
            found = self._edges[mask] = OnePiece(make(mask))
        return found

    def _loss(self, kind: int, mask: Mask) -> Choice:
        """Take one unit with its last hit left out of the battle."""
        target = self.at[Bucket(kind, self.kinds[kind].hits, PENDING)] if mask.pending else LOST
        riders = self._riders(kind, mask.passengers) if mask.passengers else None
        return Choice(self.battle[kind][-1], target, riders)

    def _riders(self, carrier: int, passengers: int) -> Riders | None:
        """Passengers of a lost carrier go down unless those left have room for all (empty ones go first)."""
        linked = next(s.rule.linked for s in self.setting.steps if s.rule.linked)
        if self.kinds[carrier].unit.id != linked.carrier:
            return None
        riding = [self.battle[n][-1] for n, kind in enumerate(self.kinds) if kind.unit.id == linked.unit]
        return Riders(self.battle[carrier], passengers, tuple(riding))

    def _hurt(self, kind: int, place: int) -> Choice:
        """Take a harmless hit on a unit in one of the places of its kind."""
        return Choice(self.battle[kind][place], self.battle[kind][place + 1])

    def _by_owner(self, mask: Mask) -> list[Rank]:
        return [
            self._segment(s, mask)
            for s in self.segments
            if self.kinds[s.kind].bit & mask.bits and not (mask.landed and self.kinds[s.kind].overland)
        ]

    def _segment(self, segment: Segment, mask: Mask) -> Rank:
        kind, floor, buckets = segment.kind, segment.floor, self.battle[segment.kind]
        # the most damaged unit that survives it takes the next harmless hit
        choices = [self._hurt(kind, place) for place in range(len(buckets) - 2, -1, -1)]
        if segment.harmless:
            counted = [(bucket, len(buckets) - 1 - place) for place, bucket in enumerate(buckets[:-1])]
        else:  # a unit takes its harmless hits before its last one, whatever the order says
            choices.insert(0, self._loss(kind, mask))
            counted = [(bucket, 1) for bucket in buckets]
            aboard = self.at.get(Bucket(kind, self.kinds[kind].hits, ABOARD))
            if aboard is not None:  # they hold the last places of an order
                counted.append((aboard, 1))
        return Rank(tuple(choices), floor, tuple(counted) if floor else ())

    def _by_die(self, mask: Mask) -> list[Rank]:
        if mask.hits == 1:
            return [Rank((self._loss(mask.kind, mask),))]
        return [Rank((self._hurt(mask.kind, len(self.battle[mask.kind]) - mask.hits),))]

    def _by_shooter(self, mask: Mask) -> list[Rank]:
        """Let the shooter pick: the dearest unit that the hit finishes, else the dearest; ties by name."""
        targets = [n for n, kind in enumerate(self.kinds) if kind.bit & mask.bits]
        targets.sort(key=lambda n: (-(self.kinds[n].unit.cost or 0), self.kinds[n].unit.id))
        finished = [self._loss(n, mask) for n in targets]
        hurt = [self._hurt(n, place) for n in targets for place in range(len(self.battle[n]) - 1)]
        ordinary = self._by_owner(Mask("owner", mask.others, mask.pending))
        return [Rank((*finished, *hurt)), *ordinary]

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
        if one:
            return OnePiece([Rank(tuple(Choice(source, target) for source, target in going))])
        return ManyPieces([(source, target, None) for source, target in going])

    def landing_of(self, number: int) -> Edge:
        """Bring one wave ashore, the first is number 1; waves are fixed before the battle."""
        wave = self.pieces.waves[number - 1] if number <= len(self.pieces.waves) else ()
        return ManyPieces(
            [
                (self.at[Bucket(kind, self.kinds[kind].hits, ABOARD)], self.battle[kind][0], count)
                for kind, count in wave
            ]
        )

    def without(self, bits: int) -> Edge:
        """Take all units of these kinds out of the battle."""
        gone = [n for n, b in enumerate(self.buckets) if b.place == BATTLE and self.kinds[b.kind].bit & bits]
        return ManyPieces([(bucket, LOST, None) for bucket in gone])
