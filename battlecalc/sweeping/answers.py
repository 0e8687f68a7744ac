"""What `require` answers: forces with their chance and cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from battlecalc.battle import Battle
from battlecalc.columns import columns
from battlecalc.results.document import package_version
from battlecalc.results.figures import percent, value_text
from battlecalc.results.words import (
    assumed_words,
    battle_words,
    force_words,
    note_lines,
    plural,
    sides_words,
    unit_words,
    wrap,
)
from battlecalc.sweeping.judging import Goal

if TYPE_CHECKING:
    import pandas as pd

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Candidate:
    """One force of the side that asks.

    Attributes
    ----------
    counts : mapping of str to int
        How many of each unit that was asked about.
    cost : float or None
        Of all that the side fields, in IPC; None where a unit has no cost.
    chance, standard_error : float
        Chance of the goal; the error is 0 where it is exact.
    trials : int or None
        None where it is exact.
    good : bool
        Whether the chance is enough.
    battle : Battle
        The battle with this force.
    """

    counts: Mapping[str, int]
    cost: float | None
    chance: float
    standard_error: float
    trials: int | None
    good: bool
    battle: Battle

    @property
    def text(self) -> str:
        """Units that were asked about, as text."""
        return force_words(self.counts)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What it takes to reach a chance.

    Attributes
    ----------
    battle : Battle
        The question.
    goal : Goal
        Side, what it wants (``"win"``, ``"capture"``, ``"hold"``), and the chance that it wants.
    units : tuple of str
        Units whose number was looked for.
    answer : Candidate or None
        The fewest, or the cheapest; None where nothing within the limits is enough.
    others : tuple of Candidate
        What stands beside it: the counts next to it, or the runners-up.
    judged : int
        Battles that were judged.
    error : float or None
        Probability that one of them was misjudged (where its chance is further than `tolerance` from the
        goal); None where all answers are exact.
    tolerance : float or None
    notes : tuple of str
        How sure it is that nothing smaller does.
    """

    battle: Battle
    goal: Goal
    units: tuple[str, ...]
    answer: Candidate | None
    others: tuple[Candidate, ...]
    judged: int
    error: float | None
    tolerance: float | None
    notes: tuple[str, ...]

    @property
    def count(self) -> int | None:
        """Number of units of the answer, all kinds together; None where there is no answer."""
        return None if self.answer is None else sum(self.answer.counts.values())

    @property
    def force(self) -> dict[str, int] | None:
        """Counts of the answer, by unit."""
        return None if self.answer is None else dict(self.answer.counts)

    @property
    def cost(self) -> float | None:
        """Cost of the answer's whole side."""
        return None if self.answer is None else self.answer.cost

    @property
    def chance(self) -> float | None:
        """Chance of the answer."""
        return None if self.answer is None else self.answer.chance

    def to_frame(self) -> pd.DataFrame:
        """Answer and what stands beside it: units, ``cost``, ``chance``, ``standard_error``, ``good``."""
        import pandas as pd

        rows = [
            {
                **candidate.counts,
                "cost": candidate.cost,
                "chance": candidate.chance,
                "standard_error": candidate.standard_error,
                "good": candidate.good,
            }
            for candidate in self._candidates
        ]
        return pd.DataFrame(rows, columns=[*self.units, "cost", "chance", "standard_error", "good"])

    @property
    def assumed(self) -> tuple[str, ...]:
        """Assumed values and rules that the battles shown used."""
        battles = [candidate.battle for candidate in self._candidates] or [self.battle]
        return tuple(dict.fromkeys(name for battle in battles for name in battle.assumed))

    @property
    def _candidates(self) -> tuple[Candidate, ...]:
        return ((self.answer,) if self.answer is not None else ()) + self.others

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, texts, lists and dicts: what ``--json`` prints."""
        attacker, defender = (dict(side.counts) for side in (self.battle.attacker, self.battle.defender))
        return {
            "battlecalc": package_version(),
            "ruleset": self.battle.ruleset.id,
            "sequence": self.battle.sequence.id,
            "attacker": {"force": attacker},
            "defender": {"force": defender},
            "side": self.goal.side,
            "what": self.goal.what,
            "odds": self.goal.odds,
            "units": list(self.units),
            "answer": None if self.answer is None else _plain(self.answer),
            "others": [_plain(candidate) for candidate in self.others],
            "judged": self.judged,
            "error": self.error,
            "tolerance": self.tolerance,
            "notes": list(self.notes),
            "assumed": list(self.assumed),
        }

    def summary(self) -> str:
        """Answer as the command line prints it."""
        lines = [self.headline(), *self._question(), ""]
        if self._candidates:
            rows = [
                (*_cells(candidate), "answer" if candidate is self.answer else "")
                for candidate in self._candidates
            ]
            lines += columns([("", "chance", "IPC in all"), *rows], left=(0, 3), indent=2)
        lines += note_lines([*self.notes, *assumed_words(self.assumed)], WIDTH)
        return "\n".join(lines).rstrip()

    def headline(self) -> str:
        """Answer in one line."""
        wanted = f"{self.goal.what} with {100 * self.goal.odds:g} %"
        if self.answer is not None:
            cost = "" if self.cost is None else f", {value_text(self.cost)} IPC in all"
            chance = percent(self.answer.chance, self.answer.standard_error)
            return f"{self.answer.text} to {wanted}: {chance}{cost}"
        if len(self.units) == 1:
            return f"no number of {unit_words(self.units[0])} within the limits is enough to {wanted}"
        return f"no force within the limits is enough to {wanted}"

    def _question(self) -> list[str]:
        attacker, defender = sides_words(self.battle)
        enemy = defender if self.goal.side == "attacker" else attacker
        return [*wrap(f"{self.goal.side} against {enemy}", WIDTH), battle_words(self.battle)]

    def __str__(self) -> str:
        """Return the summary."""
        return self.summary()

    def __repr__(self) -> str:
        """Return the answer on one line."""
        return f"<Requirement {self.headline()}; {plural(self.judged, 'battle')} judged>"


def _plain(candidate: Candidate) -> dict[str, Any]:
    return {
        "counts": dict(candidate.counts),
        "cost": candidate.cost,
        "chance": candidate.chance,
        "standard_error": candidate.standard_error,
        "trials": candidate.trials,
        "good": candidate.good,
    }


def _cells(candidate: Candidate) -> tuple[str, str, str]:
    cost = "" if candidate.cost is None else value_text(candidate.cost)
    return candidate.text, percent(candidate.chance, candidate.standard_error), cost
