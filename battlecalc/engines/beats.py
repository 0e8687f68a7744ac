"""A battle as a list of beats, where it is so plain that many battles can be fought side by side.

In a beat each side rolls at most one row of dice and loses units along one chain; what comes next depends
on the pair of kinds of their states, and on nothing else (`battlecalc.engines.kinds`). Most land battles
have one beat a round, landings two, The Great War four; at sea a step is as many beats as a side has kinds of
hits. Whoever leaves has a beat for that. Battles in which hits with incomparable targets can meet, or dice
are counted by targets, are not plain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from battlecalc.engines.kernels import STOPPED
from battlecalc.engines.kinds import Kinds, NotPlain, Pairs, operations_of
from battlecalc.engines.operations import Plans, Unsigned
from battlecalc.engines.records import MOST_WORDS, RECORD_WORDS, Records
from battlecalc.engines.thresholds import Guide, Thresholds
from battlecalc.program.layout import FIRE
from battlecalc.program.program import StageCode, Variant

MOST_BEATS = 256
BEAT_WORDS = 5
_ADVANTAGES = 3


@dataclass(frozen=True, slots=True)
class Beats:
    """What `battlecalc.engines.kernels.side_by_side` reads; all of it unsigned.

    Attributes
    ----------
    words : ndarray of uint32
        The program's words, and chains of casualties that begin in one state.
    upto : ndarray of uint64
        Thresholds of the rows of dice, with room before them.
    guide : ndarray of uint8 or uint16
        Fewest hits that a word with an upper byte can mean, 256 a row.
    beats : ndarray of uint32, shape (5 * B,)
        Offsets of the attacker's and of the defender's records, and of what follows; does a round begin here?
        does the step go on, so that both sides fire once more as they stood before it?
    records : ndarray of uint32, shape (8 * R,)
        For each state of a side: where the guide and the thresholds of its dice begin; where its casualties
        begin in `words`, and how many hits they take; its part of the pair of kinds; room.
    following : ndarray of uint32
        By the pair of kinds after a beat: the next beat, `OVER`, `STOPPED` or `LEFT` (by slot).
    start : (int, int, int)
        States before the first beat, and where that one is.
    """

    words: Unsigned
    upto: Thresholds
    guide: Guide
    beats: Unsigned
    records: Unsigned
    following: Unsigned
    start: tuple[int, int, int]

    @property
    def in_parts(self) -> bool:
        """Whether some step is more than one beat."""
        return bool(self.beats[BEAT_WORDS - 1 :: BEAT_WORDS].any())


class Place(NamedTuple):
    """Where an operation is due: stage, advantage, place of the round in the unrolled stage, operation."""

    stage: int
    advantage: int
    round: int
    position: int
    first: bool  # no beat of this round came before
    dry: bool  # no die was rolled in this round, which is one that counts


@dataclass(slots=True)
class _Beat:
    """One beat: draw `draw` of the plans with which both sides fire there."""

    number: int
    place: Place
    plans: Plans
    draw: int
    records: tuple[int, int]
    arrivals: Pairs
    following: Unsigned


class BeatMaker:
    """Lays a program out in beats, each distinct record and table once.

    It goes from the first beat to all that can follow, with the pairs of kinds that can arrive there;
    what no battle comes to need not be plain.

    Parameters
    ----------
    records : Records
        Of the program's rows of dice; nothing stored yet.
    """

    def __init__(self, records: Records) -> None:
        self._records, self._operations = records, records.operations
        self.program, self.words = records.program, records.words
        self._beats: list[_Beat] = []
        self._beat_of: dict[tuple[Place, Plans, int], _Beat] = {}
        self._waiting: dict[int, _Beat] = {}
        self._rounds = [self._unrolled(number) for number in range(len(self.program.stages))]

    @property
    def _kinds(self) -> Kinds:
        return self._operations.kinds

    # ---------------------------------------------------------------- what is plain

    def make(self) -> Beats | None:
        """Lay the battle out; None where it is not plain."""
        main = self.program.stages[-1]
        too_large = RECORD_WORDS * sum(self.program.sizes) > MOST_WORDS
        if main.repeat != "rounds" or self._limit(main) == 0 or too_large:
            return None
        try:
            start = self._begin()
            while self._waiting:
                self._link(self._waiting.popitem()[1])
        except NotPlain:
            return None
        words, upto, guide, records = self._records.tables()
        beats, following = self._tables()
        return Beats(words, upto, guide, beats, records, following, start)

    def _tables(self) -> tuple[Unsigned, Unsigned]:
        """Return the beats and all that follows on them, each distinct table once."""
        found: dict[bytes, int] = {}
        tables: list[Unsigned] = []
        beats = []
        for beat in self._beats:
            key = beat.following.tobytes()
            if key not in found:
                found[key] = sum(map(len, tables))
                tables.append(beat.following)
            begins = beat.place.first and beat.draw == 0 and self._is_round(beat.place.stage)
            goes_on = beat.draw + 1 < self._operations.draws(beat.plans)
            beats += [*beat.records, found[key], int(begins), int(goes_on)]
        return np.array(beats, dtype=np.uint32), np.concatenate(tables)

    def _is_round(self, stage: int) -> bool:
        return self.program.stages[stage].repeat == "rounds"

    def _unrolled(self, number: int) -> list[tuple[Variant, ...]]:
        """Variants of the rounds of a stage, the last of them for ever (or the last that is allowed)."""
        code = self.program.stages[number]
        limit = self._limit(code)
        rounds: list[tuple[Variant, ...]] = []
        for row in code.variants:
            last = row[0].first if row[0].last is None else row[0].last
            rounds += [row] * min(last + 1 - row[0].first, MOST_BEATS)
        if limit is not None:
            rounds += [rounds[-1]] * (min(limit, MOST_BEATS + 1) - len(rounds))
        return rounds[:limit]

    def _limit(self, code: StageCode) -> int | None:
        """Most rounds of the main battle."""
        limits = [limit for limit in (code.limit, self.program.rounds) if limit is not None]
        return min(limits, default=None) if code.repeat == "rounds" else None

    # ---------------------------------------------------------------- how it begins

    def _begin(self) -> tuple[int, int, int]:
        """Lay out the first round; return the states before the battle and its first beat."""
        states = self.program.starts[0][:2]
        pair = self._kinds.pair(states)
        stage = advantage = 0
        while self._is_idle(stage, advantage, states):
            who = self.program.stages[stage].advantage
            advantage = int(self._kinds.table(who)[pair]) if who >= 0 else advantage
            stage += 1
        arrivals = np.zeros(self._kinds.pairs, dtype=np.bool_)
        arrivals[pair] = True
        at = self._rounds[stage][0][advantage].ops
        once = self.program.stages[stage].repeat == "once" and self.words[at] == FIRE
        if once and self._operations.goes_on(at)[pair] and not self._operations.is_plain(at, pair):
            return (*states, self._begin_in_one_state(Place(stage, advantage, 0, 0, True, False), states))
        start = int(self._round_due(stage, advantage, 0, arrivals)[pair])
        if not self._beats:
            raise NotPlain  # it is over before it begins
        return (*states, start)

    def _is_idle(self, stage: int, advantage: int, states: tuple[int, int]) -> bool:
        """Whether nothing happens in a stage if the battle begins with it."""
        code, pair = self.program.stages[stage], self._kinds.pair(states)
        if code.repeat == "while both have":
            return bool(self._kinds.table(code.both)[pair] == 0)
        return code.repeat == "once" and all(
            self._operations.goes_on(at)[pair] and self._operations.stays(at, states)
            for at in operations_of(self._rounds[stage][0][advantage])
        )

    def _begin_in_one_state(self, place: Place, states: tuple[int, int]) -> int:
        """Lay out a first operation that is plain because the states before it are known."""
        at = self._operations_at(place)[0]
        beat = self._add_beat(place, (), 0, self._records.one_state(at, states))
        beat.arrivals[self._kinds.pair(states)] = True
        self._waiting[beat.number] = beat
        return BEAT_WORDS * beat.number

    # ---------------------------------------------------------------- what follows

    def _round_due(self, stage: int, advantage: int, number: int, pairs: Pairs) -> Unsigned:
        """Return what comes, by the pair of kinds, where a round is due with these pairs."""
        code = self.program.stages[stage]
        number = min(number, len(self._rounds[stage]) - 1)
        place = Place(stage, advantage, number, 0, True, code.repeat != "once")
        if not pairs.any() or code.repeat != "while both have":
            return self._due(place, pairs)
        both = self._kinds.table(code.both) != 0
        return np.where(both, self._due(place, pairs & both), self._leaves(stage, advantage, pairs & ~both))

    def _due(self, place: Place, pairs: Pairs) -> Unsigned:
        """Return what comes where an operation is due."""
        operations = self._operations_at(place)
        if place.position == len(operations):
            return self._after(place, pairs)
        at = operations[place.position]
        table, due = self._operations.ends(at), pairs & self._operations.goes_on(at)
        if place.dry:
            if place.position and (pairs & ~due).any():
                raise NotPlain
            if self.words[at] == FIRE:
                if (due & self._operations.may_be_dry(operations[place.position :])).any():
                    raise NotPlain  # what goes on without a die has to be told apart
                place = place._replace(dry=False)
        for plans, where in self._operations.ways(at, due):
            if plans is None:  # nothing happens
                after = self._due(place._replace(position=place.position + 1), where)
                table[where] = after[where]
            else:
                table[where] = self._send(place, plans, 0, where)
        return table

    def _leaves(self, stage: int, advantage: int, pairs: Pairs) -> Unsigned:
        """Return what comes after a stage."""
        at = self.program.stages[stage].advantage
        if at < 0:
            return self._round_due(stage + 1, advantage, 0, pairs)
        who = self._kinds.table(at)
        return np.choose(
            who, [self._round_due(stage + 1, n, 0, pairs & (who == n)) for n in range(_ADVANTAGES)]
        )

    def _after(self, place: Place, pairs: Pairs) -> Unsigned:
        """Return what comes after a round."""
        stage, advantage, number = place[:3]
        code = self.program.stages[stage]
        if code.repeat == "once":
            return self._leaves(stage, advantage, pairs)
        if place.dry and pairs.any():
            raise NotPlain
        limit = self._limit(code)
        if limit is not None and number + 1 >= limit:
            variants = next(row for row in code.variants if row[0].last is None or row[0].last > limit)
            at = variants[advantage].ops
            return np.where(self._operations.goes_on(at), STOPPED, self._operations.ends(at))
        return self._round_due(stage, advantage, number + 1, pairs)

    # ---------------------------------------------------------------- laying out

    def _operations_at(self, place: Place) -> range:
        return operations_of(self._rounds[place.stage][place.round][place.advantage])

    def _send(self, place: Place, plans: Plans, draw: int, pairs: Pairs) -> int:
        """Let these pairs arrive at a beat; return where it is. What follows on it is found out later."""
        key = (place, plans, draw)
        beat = self._beat_of.get(key)
        if beat is None:
            at = self._operations_at(place)[place.position]
            records = (
                self._records.of_side(0, at, plans, draw),
                self._records.of_side(1, at, plans, draw),
            )
            beat = self._beat_of[key] = self._add_beat(place, plans, draw, records)
        if (pairs & ~beat.arrivals).any():
            beat.arrivals |= pairs
            self._waiting[beat.number] = beat
        return BEAT_WORDS * beat.number

    def _add_beat(self, place: Place, plans: Plans, draw: int, records: tuple[int, int]) -> _Beat:
        pairs = self._kinds.pairs
        nobody, nothing = np.zeros(pairs, dtype=np.bool_), np.zeros(pairs, dtype=np.uint32)
        beat = _Beat(len(self._beats), place, plans, draw, records, nobody, nothing)
        self._beats.append(beat)
        if len(self._beats) > MOST_BEATS or len(self._beats) * pairs > MOST_WORDS:
            raise NotPlain
        return beat

    def _link(self, beat: _Beat) -> None:
        """Say what follows on a beat."""
        place, pairs = beat.place, self._records.after(beat.records, beat.arrivals)
        if beat.draw + 1 < self._operations.draws(beat.plans):
            following = self._send(place, beat.plans, beat.draw + 1, pairs)
            beat.following = np.full(len(pairs), following, dtype=np.uint32)
            return
        at = self._operations_at(place)[place.position]
        if place.dry and self._operations.may_end(at, beat.arrivals):
            raise NotPlain
        position = place.position if self._operations.is_asked_again(at) else place.position + 1
        table = self._due(place._replace(position=position, first=False), pairs)
        beat.following = self._operations.with_leaving(at, table)
