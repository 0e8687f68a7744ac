"""The Program: a battle as flat arrays, the one thing that both engines walk."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.endings import OUTCOME_INDEX
from battlecalc.program.setting import ReadyDecision, Setting
from battlecalc.program.side import SideProgram


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision as it stands in the code: what the engines ask, and what a policy's finder may change.

    Attributes
    ----------
    rule : ReadyDecision
    op : offset of its record in memory
    table : offset of its answers in `Program.answers`
    joint : answers by both states (else by the own state only)
    first, last : rounds in which this record is walked
    counted : what its policy takes for the number of the first of these
    best : whether the side asks for the best decision here
    """

    rule: ReadyDecision
    op: int
    table: int
    joint: bool
    first: int
    last: int | None
    counted: int
    best: bool


@dataclass(frozen=True, slots=True)
class Variant:
    """Operations of the rounds `first` to `last`: `count` records from offset `ops`."""

    first: int
    last: int | None
    ops: int
    count: int


@dataclass(frozen=True, slots=True)
class StageCode:
    """One stage: variants by round class and by advantage (none, attacker, defender).

    `both` is the offset of the table by signatures that says whether the stage goes on (``while both have``),
    `advantage` of the one that says who gets the advantage when it is over; -1 where there is none.
    """

    repeat: str
    variants: tuple[tuple[Variant, ...], ...]
    both: int
    advantage: int
    limit: int | None
    then: int


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """What an engine needs, and nothing that only a player understands.

    Attributes
    ----------
    words : ndarray of int32
        Memory of `battlecalc.program.layout`.
    probabilities : ndarray of float64
        Rows of hits.
    answers : ndarray of uint8
        Answers of policies, addressed by `Decided.table`.
    row_records : offset of the row records in `words`
    signatures : (offset of the attacker's signatures, the defender's, number of the defender's)
    without : pair of offsets of the maps that destroy the defenceless
    verdicts : offset of the table (codes of verdicts) that judges cells at the end
    script : offset of the stage records that the simulator reads
    slots : code (see `battlecalc.program.verdicts.Verdict`) of every slot of ends but the first ("as the
    verdict of the cell says at the end") and the last (unresolved)
    starts : list of (attacker's state, defender's state, probability)
    """

    setting: Setting
    sides: tuple[SideProgram, SideProgram]
    words: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    answers: NDArray[np.uint8]
    row_records: int
    row_count: int
    signatures: tuple[int, int, int]
    without: tuple[int, int]
    verdicts: int
    script: int
    stages: tuple[StageCode, ...]
    decisions: tuple[Decided, ...]
    slots: tuple[int, ...]
    starts: tuple[tuple[int, int, float], ...]
    rounds: int | None
    memo: dict[str, Any] = field(default_factory=dict)

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of states of the attacker and of the defender."""
        return len(self.sides[0].states), len(self.sides[1].states)

    @property
    def cells(self) -> int:
        """Number of pairs of states."""
        return self.sizes[0] * self.sizes[1]

    @property
    def rows(self) -> NDArray[np.int32]:
        """Fewest hits of each row of dice, where its probabilities begin and how many there are."""
        return self.words[self.row_records : self.row_records + 3 * self.row_count].reshape(-1, 3)

    def pairs(self, offset: int) -> NDArray[np.int32]:
        """Spread a table over pairs of signatures to all cells, shape `sizes`."""
        a, d, width = self.signatures
        sig_a = self.words[a : a + self.sizes[0]]
        sig_d = self.words[d : d + self.sizes[1]]
        spread: NDArray[np.int32] = self.words[offset + sig_a[:, None] * width + sig_d[None, :]]
        return spread

    def forget_answers(self) -> None:
        """Forget what engines made of answers that have changed since."""
        for made in ("lists", "tables"):
            self.memo.pop(made, None)

    def verdict_of_cells(self) -> NDArray[np.int32]:
        """Verdict codes of all cells by the steady rules."""
        return self.pairs(self.verdicts)

    def last_outcome(self) -> int:
        """Outcome of battles that the last round leaves undecided."""
        code = self.stages[-1]
        if code.limit is not None and (self.rounds is None or self.rounds >= code.limit):
            return code.then
        return OUTCOME_INDEX["unresolved"]
