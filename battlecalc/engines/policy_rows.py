"""Best decisions as a player reads them: who stands where, what to do, and what each choice is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.engines.decisions import Choice, Decisions
from battlecalc.engines.exact import Walk, walk_rounds
from battlecalc.forces import format_force
from battlecalc.program.layout import OP_WORDS
from battlecalc.program.program import Program
from battlecalc.program.states import SideStates
from battlecalc.rulesets.schema import SIDES

MOST_ROWS = 5_000
# Pairs of states that a battle meets less often than this are not worth a row.
_RARE = 1e-9


class PolicyRows(Mapping[str, Sequence[Mapping[str, Any]]]):
    """Side -> rows of its best decisions, worked out when somebody looks.

    A row has ``right``, ``round`` (``"3+"``: from then on), ``attacker`` and ``defender`` (forces in the
    battle), ``decision``, ``stop`` and ``go_on`` (values of the two choices to the side that decides),
    ``chance`` (how often the battle comes there, when it is played so). Likeliest first, at the most
    `MOST_ROWS`.
    """

    def __init__(self, program: Program, decisions: Decisions) -> None:
        self._program, self._decisions = program, decisions
        self._visits: dict[int, NDArray[np.float64]] | None = None

    def __iter__(self) -> Iterator[str]:
        """Go through the sides that decide for the best."""
        sides = {choice.decided.rule.side for choice in self._decisions.choices}
        return (SIDES[side] for side in sorted(sides))

    def __len__(self) -> int:
        """Count such sides."""
        return len(list(iter(self)))

    def __getitem__(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of one side."""
        if name not in list(iter(self)):
            raise KeyError(name)
        side = SIDES.index(name)
        rows: list[dict[str, Any]] = []
        for choice in self._decisions.choices:
            if choice.decided.rule.side == side:
                rows += self._rows(choice)
        rows.sort(key=lambda row: -row["chance"])
        return rows[:MOST_ROWS]

    def _rows(self, choice: Choice) -> Iterator[dict[str, Any]]:
        program, decided = self._program, choice.decided
        visits = self._met(decided.op)
        size = program.sizes[1]
        cells = np.flatnonzero(choice.open & (visits > _RARE))
        cells = cells[np.argsort(-visits.ravel()[cells], kind="stable")][:MOST_ROWS]
        answers = program.answers[decided.table : decided.table + program.cells]
        sign = 1 if decided.rule.side == 0 else -1
        rounds = str(decided.first) if decided.last == decided.first else f"{decided.first}+"
        for cell in cells.tolist():
            a, d = divmod(cell, size)
            yield {
                "right": decided.rule.rule.right,
                "round": rounds,
                "attacker": _force(program.sides[0].states, a),
                "defender": _force(program.sides[1].states, d),
                "decision": decided.rule.rule.right if answers[cell] else "fight on",
                "stop": sign * float(choice.stop[a, d]),
                "go_on": sign * float(choice.go_on[a, d]),
                "chance": float(visits[a, d]),
            }

    def _met(self, op: int) -> NDArray[np.float64]:
        """How often each pair of states is met at one operation."""
        if self._visits is None:
            walk = Walk(self._program)
            walk.visits = {}
            code, shares = walk.opening()
            for _ in walk_rounds(walk, code, shares, steady=True):
                pass
            self._visits = walk.visits
        for ops, visits in self._visits.items():
            if ops <= op < ops + len(visits) * OP_WORDS:
                found: NDArray[np.float64] = visits[(op - ops) // OP_WORDS]
                return found
        return np.zeros(self._program.sizes)


def _force(states: SideStates, number: int) -> str:
    """Write the units of a state that are in the battle or aboard; damaged ones with a star."""
    counts: dict[str, int] = {}
    for n, bucket in zip(states.states[number], states.walker.buckets, strict=True):
        kind = states.walker.kinds[bucket.kind]
        if n and bucket.place in (0, 2):
            name = kind.unit.id + ("*" if bucket.hits < kind.hits else "")
            counts[name] = counts.get(name, 0) + n
    return format_force(counts)
