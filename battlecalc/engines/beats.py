"""A battle as a list of beats, where it is so plain that many battles can be fought side by side.

In a beat each side rolls at most one row of dice and loses units along one chain; what comes next depends
on which kinds of units are left, and on nothing else. Most land battles have one beat a round, landings two,
The Great War four; whoever may retreat has a beat for that, if he looks at his own side only. Battles in
which hits are sorted by what they may fall on, or policies look at the enemy, are not plain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from battlecalc.engines.kernels import OVER, STOPPED
from battlecalc.engines.records import (
    MOST_WORDS,
    NO_DICE,
    RECORD_WORDS,
    Guide,
    Ints,
    NotPlain,
    Records,
    Thresholds,
    Unsigned,
)
from battlecalc.program.layout import FIRE, MOVE, OP_WORDS
from battlecalc.program.program import StageCode, Variant
from battlecalc.program.verdicts import GO_ON

Key = tuple[int, int, int]  # a round to fight: stage, advantage, place in the unrolled stage

MOST_BEATS = 64
BEAT_WORDS = 4
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
    beats : ndarray of uint32, shape (4 * B,)
        Offsets of the attacker's and of the defender's records, and of what follows; does a round begin here?
    records : ndarray of uint32, shape (8 * R,)
        For each state of a side: where the guide and the thresholds of its dice begin; where its casualties
        begin in `words`, and how many hits they take; its part of the pair of signatures; room.
    following : ndarray of uint32
        By the pair of signatures after a beat: the next beat, `OVER`, `STOPPED` or `LEFT` (by slot).
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


class BeatMaker:
    """Lays a program out in beats, each distinct record and table once.

    Parameters
    ----------
    records : Records
        Of the program's rows of dice; nothing stored yet.
    """

    def __init__(self, records: Records) -> None:
        self._records, self.program, self.words = records, records.program, records.words
        self._following: list[Unsigned] = []
        self._following_of: dict[bytes, int] = {}
        self._beats: list[list[int]] = []
        self._first_beat: dict[Key, int] = {}
        self._waiting: list[Key] = []
        self._rounds = [self._unrolled(number) for number in range(len(self.program.stages))]

    # ---------------------------------------------------------------- what is plain

    def make(self) -> Beats | None:
        """Lay the battle out; None where it is not plain."""
        codes = self.program.stages
        too_large = RECORD_WORDS * sum(self.program.sizes) > MOST_WORDS
        if codes[-1].repeat != "rounds" or self._limit(codes[-1]) == 0 or too_large:
            return None
        try:
            start = self._begin()
            while self._waiting:
                self._link(self._waiting.pop())
        except NotPlain:
            return None
        words, upto, guide, records = self._records.tables()
        beats = np.array(self._beats, dtype=np.uint32).ravel()
        return Beats(words, upto, guide, beats, records, np.concatenate(self._following), start)

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

    def _check(self, stage: int, variant: Variant) -> None:
        """Raise where a round of this kind is not plain."""
        code = self.program.stages[stage]
        if not all(self._records.is_plain(at) for at in _operations(variant)):
            raise NotPlain
        if code.repeat != "once" and not self._sees_dice(code, variant):
            raise NotPlain  # what goes on without a die has to be told apart

    def _sees_dice(self, code: StageCode, variant: Variant) -> bool:
        """Whether every round of a variant rolls a die: until then, nothing changes in it."""
        fires = []
        for at in _operations(variant):
            if self.words[at] != FIRE:
                break
            fires.append(at)
        if not fires:
            return False
        a, d = (self._kinds(side, fires) for side in (0, 1))
        pair = a[0, :, None] * self.program.signatures[2] + d[0, None, :]
        waits = self._records.verdicts(fires[0])[pair] == GO_ON
        if code.both >= 0:
            waits &= self._records.table(code.both)[pair] != 0
        for n, at in enumerate(fires):
            if (waits & (self._records.verdicts(at)[pair] != GO_ON)).any():
                return False
            (a_idle, a_safe), (d_idle, d_safe) = a[2 * n + 1 : 2 * n + 3], d[2 * n + 1 : 2 * n + 3]
            waits &= (a_idle[:, None] | d_safe[None, :]) & (d_idle[None, :] | a_safe[:, None]) != 0
        return not waits.any()

    def _kinds(self, side: int, fires: Sequence[int]) -> Ints:
        """Return the kinds of states of a side: signature; for each fire: no die? nothing to lose."""
        words, size = self.words, self.program.sizes[side]
        rows = [self._records.signatures(side)]
        for at in fires:
            fire = int(words[at + 4])
            rows.append((words[words[fire + 3 * side] :][:size] <= NO_DICE).astype(np.int32))
            rows.append((words[words[fire + 5 - 3 * side] :][:size] == 0).astype(np.int32))
        codes = rows[0].astype(np.int64)
        for row in rows[1:]:
            codes = 2 * codes + row
        _, places = np.unique(codes, return_index=True)
        return np.array([row[places] for row in rows], dtype=np.int32)

    # ---------------------------------------------------------------- what follows

    def _begin(self) -> tuple[int, int, int]:
        """Lay out the first round; return the states before the battle and its first beat."""
        states = self.program.starts[0][:2]
        pair = self._records.pair(states)
        stage = advantage = 0
        while stage + 1 < len(self.program.stages) and self._is_idle(stage, advantage, states):
            who = self.program.stages[stage].advantage
            advantage = int(self._records.table(who)[pair]) if who >= 0 else advantage
            stage += 1
        code, variant = self.program.stages[stage], self._rounds[stage][0][advantage]
        at = variant.ops
        if code.repeat == "once" and self.words[at] == FIRE and not self._records.is_plain(at):
            return (*states, self._begin_in_one_state((stage, advantage, 0), states))
        start = int(self._due(stage, advantage, 0)[pair])
        if start >= STOPPED:
            raise NotPlain
        return (*states, start)

    def _is_idle(self, stage: int, advantage: int, states: tuple[int, int]) -> bool:
        """Whether nothing happens in a stage if the battle begins with it."""
        code, pair = self.program.stages[stage], self._records.pair(states)
        if code.repeat == "while both have":
            return bool(self._records.table(code.both)[pair] == 0)
        return code.repeat == "once" and all(
            self.words[at] == MOVE
            and self._records.verdicts(at)[pair] == GO_ON
            and self.words[self.words[at + 2] + states[self.words[at + 1]]] == states[self.words[at + 1]]
            for at in _operations(self._rounds[stage][0][advantage])
        )

    def _begin_in_one_state(self, key: Key, states: tuple[int, int]) -> int:
        """Lay out a first operation that is plain because the states before it are known."""
        stage, advantage, place = key
        operations = _operations(self._rounds[stage][place][advantage])
        if self._records.verdicts(operations[0])[self._records.pair(states)] != GO_ON:
            raise NotPlain
        self._first_beat[key] = 0
        self._beats.append(self._records.one_state(operations[0], states))
        for at in operations[1:]:
            self._add_beat(at)
        self._link(key)
        return 0

    def _due(self, stage: int, advantage: int, place: int) -> Unsigned:
        """Return what comes, by the pair of signatures, where a round is due."""
        code = self.program.stages[stage]
        place = min(place, len(self._rounds[stage]) - 1)
        variant = self._rounds[stage][place][advantage]
        begins = self._where_due(variant.ops, self._beat_of((stage, advantage, place)))
        if code.repeat == "while both have":
            begins = np.where(self._records.table(code.both) != 0, begins, self._leaves(stage, advantage))
        return begins

    def _where_due(self, at: int, following: int) -> Unsigned:
        """Return what follows by the pair of signatures: the battle may be over before an operation."""
        return np.where(self._records.verdicts(at) == GO_ON, np.uint32(following), OVER)

    def _leaves(self, stage: int, advantage: int) -> Unsigned:
        """Return what comes after a stage."""
        at = self.program.stages[stage].advantage
        if at < 0:
            return self._due(stage + 1, advantage, 0)
        who = self._records.table(at)
        return np.choose(who, [self._due(stage + 1, n, 0) for n in range(_ADVANTAGES)])

    def _after(self, stage: int, advantage: int, place: int) -> Unsigned:
        """Return what comes after a round."""
        code = self.program.stages[stage]
        if code.repeat == "once":
            return self._leaves(stage, advantage)
        limit = self._limit(code)
        if limit is not None and place + 1 >= limit:
            beyond = next(row for row in code.variants if row[0].last is None or row[0].last > limit)[
                advantage
            ]
            return self._where_due(beyond.ops, int(STOPPED))
        return self._due(stage, advantage, place + 1)

    # ---------------------------------------------------------------- laying out

    def _beat_of(self, key: Key) -> int:
        """Return where the first beat of a round is; it is laid out later."""
        if key not in self._first_beat:
            stage, advantage, place = key
            variant = self._rounds[stage][place][advantage]
            self._check(stage, variant)
            self._first_beat[key] = len(self._beats)
            for at in _operations(variant):
                self._add_beat(at)
            self._waiting.append(key)
            if len(self._beats) > MOST_BEATS:
                raise NotPlain
        return BEAT_WORDS * self._first_beat[key]

    def _add_beat(self, at: int) -> None:
        if not self._records.is_plain(at):
            raise NotPlain
        self._beats.append([self._records.of_side(0, at), self._records.of_side(1, at)])

    def _link(self, key: Key) -> None:
        """Say what follows on each beat of a round."""
        stage, advantage, place = key
        first, operations = self._first_beat[key], _operations(self._rounds[stage][place][advantage])
        for n in range(len(operations)):
            if n + 1 < len(operations):
                table = self._where_due(operations[n + 1], BEAT_WORDS * (first + n + 1))
            else:
                table = self._after(*key)
            is_first = n == 0 and self.program.stages[stage].repeat == "rounds"
            table = self._records.with_leaving(operations[n], table)
            self._beats[first + n] += [self._following_at(table), int(is_first)]

    def _following_at(self, table: Unsigned) -> int:
        known = table.tobytes()
        if known not in self._following_of:
            self._following_of[known] = sum(map(len, self._following))
            self._following.append(table)
        return self._following_of[known]


def _operations(variant: Variant) -> range:
    return range(variant.ops, variant.ops + OP_WORDS * variant.count, OP_WORDS)
