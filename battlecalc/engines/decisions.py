"""Decisions from the exact engine's own tables: conditions on the odds, and the best that either side can do.

Values are pulled back from the ends of a battle through the same operations that push its odds forward. A
round that changes nothing comes back to where it began, and needs no iteration: see
`battlecalc.engines.kernels.pull`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines import exact, kernels
from battlecalc.engines.backward import Stretch, walk_back
from battlecalc.engines.payoffs import payoffs
from battlecalc.engines.stopping import in_runs
from battlecalc.errors import BattleError, StateSpaceError
from battlecalc.program.fight import Fight
from battlecalc.program.layout import AFTER, AGAIN, GONE, OP_WORDS, SLOT, VERDICTS, WHERE_ASKED
from battlecalc.program.policy import answer_table
from battlecalc.program.program import Decided, Program
from battlecalc.rulesets.schema import SIDES

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What one decision is worth in every pair of states, to the attacker.

    Attributes
    ----------
    decided : Decided
    stop, go_on : ndarray, shape (attacker's states, defender's states)
        Value of using the right and of not using it.
    open : ndarray of bool
        Where there is a choice at all.
    """

    decided: Decided
    stop: Floats
    go_on: Floats
    open: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """Best decisions of a program: the value of its start to the attacker, and every choice."""

    value: float
    choices: tuple[Choice, ...]


def decide(program: Program, fight: Fight, max_states: int) -> Decisions | None:
    """Work out all policies that look ahead, once: conditions on the odds, then best decisions.

    Returns what the best decisions are worth, None where no side asks for them.

    Raises
    ------
    StateSpaceError
        Where the exact tables that this takes do not fit.
    """
    if "decisions" not in program.memo:
        program.memo["decisions"] = _decide(program, fight, max_states)
    found = program.memo["decisions"]
    assert found is None or isinstance(found, Decisions)
    return found


def _decide(program: Program, fight: Fight, max_states: int) -> Decisions | None:
    asks = {
        side: [d for d in program.decisions if d.rule.side == side and _asks_for_odds(fight, d)]
        for side in (0, 1)
    }
    best = {d.rule.side for d in program.decisions if d.best}
    if not best and not any(asks.values()):
        return None
    if program.cells > max_states:
        raise StateSpaceError(
            f"policies on the odds look through {program.cells:,} pairs of states, more than {max_states:,}: "
            "conditions on round, units, land, value and ratio need none, or raise max_states"
        )
    for side in (0, 1):
        if asks[side]:
            worth = payoffs(program, "win", side)
            for choice in _Backward(program, worth, frozenset()).choices(asks[side]):
                odds = choice.go_on if side == 0 else -choice.go_on
                _answer(program, fight, choice.decided, odds)
    if not best:
        return None
    for side in best:
        if fight.sides[side].objective == "capture" and not _captures(program):
            raise BattleError(f"nothing is captured in {fight.sequence}, so {SIDES[side]} cannot play for it")
    side = 0 if best == {0, 1} else best.pop()
    worth = payoffs(program, fight.sides[side].objective, side, fight.territory)  # type: ignore[arg-type]
    wanted = [d for d in program.decisions if d.best]
    backward = _Backward(program, worth, frozenset(d.op for d in wanted))
    choices = tuple(backward.choices(wanted))
    program.forget_answers()
    return Decisions(backward.value, choices)


def _captures(program: Program) -> bool:
    return program.setting.ruleset.sequences[program.setting.sequence_id].capture


def _asks_for_odds(fight: Fight, decided: Decided) -> bool:
    policy = fight.sides[decided.rule.side].policy(decided.rule.rule.right)
    return any(test.variable == "odds" for clause in policy.clauses for test in clause)


def _answer(program: Program, fight: Fight, decided: Decided, odds: Floats) -> None:
    policy = fight.sides[decided.rule.side].policy(decided.rule.rule.right)
    _, answers = answer_table(program.setting, program.sides, decided.rule, policy, decided.counted, odds)
    program.answers[decided.table : decided.table + program.cells] = answers
    program.forget_answers()


def worth_of(program: Program, worth: Floats) -> float:
    """Mean worth of a program's ends under the policies that its answers hold, by the backward pass."""
    backward = _Backward(program, worth, frozenset())
    backward.run()
    return backward.value


class _Backward:
    """Values pulled back through all stages of a program."""

    def __init__(self, program: Program, worth: Floats, best: frozenset[int]) -> None:
        self.program, self.worth, self.best = program, worth, best
        self.room = exact.Room(program)
        self.pull = _choose(program)
        self.wanted: list[Decided] = []
        self.found: list[Choice] = []
        self.value = 0.0

    def run(self) -> None:
        """Walk the schedule back; `value` is that of the start."""
        values = walk_back(self.program, self.worth, self._go)
        self.value = float(sum(chance * values[a, d] for a, d, chance in self.program.starts))

    def choices(self, wanted: list[Decided]) -> list[Choice]:
        """Decide, and tell what each wanted decision is worth."""
        self.wanted = wanted
        self.run()
        return self.found

    def _go(self, stretch: Stretch) -> Floats:
        program, variant = self.program, stretch.variant
        value = np.zeros((variant.count, *program.sizes))
        flags = np.array(
            [variant.ops + n * OP_WORDS in self.best for n in range(variant.count)], dtype=np.int8
        )
        pull = partial(
            self.pull,
            program.words,
            program.probabilities,
            program.answers,
            program.row_records,
            *program.signatures,
            variant.ops,
            variant.count,
            stretch.both,
            stretch.loop,
            flags,
            self.worth,
            value,
            np.ascontiguousarray(stretch.after),
            *self.room.of(variant.count),
            np.zeros((variant.count + 1, 4)),
            np.zeros(variant.count),
            self.room.place,
        )
        in_runs(pull, program.cells)
        for decided in self.wanted:
            if variant.ops <= decided.op < variant.ops + variant.count * OP_WORDS:
                self.found.append(self._choice(decided, stretch, value))
        start: Floats = value[0]
        return start

    def _choice(self, decided: Decided, stretch: Stretch, value: Floats) -> Choice:
        words, variant = self.program.words, stretch.variant
        place = (decided.op - variant.ops) // OP_WORDS
        record = words[decided.op : decided.op + OP_WORDS].tolist()
        side, sizes = decided.rule.side, self.program.sizes
        last = value[0] if stretch.loop else stretch.after
        following = value[place + 1] if place + 1 < variant.count else last
        map_ = words[record[AFTER] : record[AFTER] + sizes[side]]
        gone = (
            words[record[GONE] : record[GONE] + sizes[side]][map_] != 0
            if record[SLOT] >= 0
            else np.zeros(sizes[side], bool)
        )
        again = value[place] if record[AGAIN] else following
        moved = again[map_] if side == 0 else again[:, map_]
        if record[SLOT] >= 0:
            ended = self.worth[record[SLOT]][map_] if side == 0 else self.worth[record[SLOT]][:, map_]
            moved = np.where(gone[:, None] if side == 0 else gone[None, :], ended, moved)
        own = (map_ != np.arange(sizes[side])) | gone
        can = np.broadcast_to(own[:, None] if side == 0 else own[None, :], sizes)
        if record[WHERE_ASKED] >= 0:
            can = can & (self.program.pairs(record[WHERE_ASKED]) != 0)
        alive = self.program.pairs(record[VERDICTS]) == -1
        return Choice(decided, moved, following, can & alive)


def _choose(program: Program) -> Callable[..., Any]:
    """Compiled kernel where it is at hand or pays, else plain Python: every variant takes a pass."""
    passes = sum(len(set(row)) for code in program.stages for row in code.variants)
    small = passes * exact.plain_seconds(program) < exact.PLAIN_SECONDS
    if small and "battlecalc.engines.compiled" not in sys.modules:
        return kernels.pull
    from battlecalc.engines import compiled

    return compiled.pull  # type: ignore[no-any-return]
