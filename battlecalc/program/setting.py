"""The rules that hold in one kind of battle, with what is known beforehand worked in and sets as bit masks.

A :class:`Setting` depends on ruleset, sequence, technologies, options and dice only, never on the forces: it
is made once and shared by every battle of its kind, together with all that follows from it (plans, verdicts).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from battlecalc.program.memo import Memo
from battlecalc.rulesets.schema import (
    Decision,
    Group,
    Landing,
    Modifier,
    Stage,
    Step,
    Unit,
    Units,
)

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset


@dataclass(frozen=True, slots=True)
class Presence:
    """The part of a condition that looks at who is in the battle, as bit masks."""

    own_has: int = 0
    own_lacks: int = 0
    enemy_has: int = 0
    enemy_lacks: int = 0
    both_have: int = 0

    def holds(self, own: int, enemy: int) -> bool:
        """Whether it holds for these units in the battle (bit masks of both sides)."""
        return (
            (not self.own_has or bool(self.own_has & own))
            and not self.own_lacks & own
            and (not self.enemy_has or bool(self.enemy_has & enemy))
            and not self.enemy_lacks & enemy
            and (not self.both_have or bool(self.both_have & own and self.both_have & enemy))
        )


@dataclass(frozen=True, slots=True)
class ReadyGroup:
    """A group that can fire under this setting; `rounds` is None or (first, last)."""

    number: int
    side: int
    rule: Group
    who: int
    at: int
    presence: Presence
    rounds: tuple[int, int | None] | None


@dataclass(frozen=True, slots=True)
class ReadyDecision:
    """A right that can be asked for under this setting."""

    number: int
    side: int
    rule: Decision
    leaves: int
    leaves_overland: int
    presence: Presence
    rounds: tuple[int, int | None] | None


@dataclass(frozen=True, slots=True)
class ReadyStep:
    """A step with only the groups and decisions that this setting leaves."""

    number: int
    rule: Step
    low_luck: bool
    groups: tuple[tuple[ReadyGroup, ...], tuple[ReadyGroup, ...]]
    decisions: tuple[ReadyDecision, ...]
    landings: tuple[Landing, ...]
    rounds: tuple[int, int | None] | None
    called: int  # rolls up to this number are called shots; 0: none
    called_who: int
    called_at: int
    key: tuple[int, ...] = ()  # tells steps apart by what may fire or be asked in them

    def __post_init__(self) -> None:
        """Work the key out once: steps are looked up by it for every pair of signatures."""
        fire = (group.number for side in self.groups for group in side)
        key = (self.number, *fire, *(-1 - decision.number for decision in self.decisions))
        object.__setattr__(self, "key", key)

    def in_round(self, number: int) -> ReadyStep | None:
        """Return the step as it is in one round; None where it is skipped."""
        if not _within(number, self.rounds):
            return None
        attacker, defender = (tuple(g for g in side if _within(number, g.rounds)) for side in self.groups)
        return replace(
            self,
            groups=(attacker, defender),
            decisions=tuple(d for d in self.decisions if _within(number, d.rounds)),
        )


def _within(number: int, rounds: tuple[int, int | None] | None) -> bool:
    return rounds is None or (rounds[0] <= number and (rounds[1] is None or number <= rounds[1]))


@dataclass(frozen=True, slots=True)
class ReadyStage:
    """A stage of this setting."""

    number: int
    rule: Stage
    steps: tuple[ReadyStep, ...]
    both_have: int
    advantage_has: int


@dataclass(frozen=True, eq=False)
class Setting:
    """Everything but the forces. Bits are numbered by the ruleset's order of units."""

    ruleset: Ruleset
    sequence_id: str
    technologies: tuple[frozenset[str], frozenset[str]]
    options: Mapping[str, bool | int | str]
    bit: Mapping[str, int]
    units: tuple[Mapping[str, Unit], Mapping[str, Unit]]
    modifiers: tuple[tuple[Modifier, ...], tuple[Modifier, ...]]
    stages: tuple[ReadyStage, ...]
    low_luck: frozenset[str]
    memo: Memo = field(default_factory=Memo)

    def number_of(self, key: Hashable) -> int:
        """Return a small number for a long key, always the same."""
        return self.memo.of(("number", key), lambda: len(self.memo) + 1)

    def bits(self, units: Units) -> int:
        """Bit mask of a set of unit ids."""
        return sum(1 << self.bit[unit] for unit in units)

    @property
    def steps(self) -> tuple[ReadyStep, ...]:
        """Every step of every stage, in order."""
        return tuple(step for stage in self.stages for step in stage.steps)

    @property
    def raid(self) -> bool:
        """Whether this is a raid, on which nobody passes a verdict."""
        return self.ruleset.sequences[self.sequence_id].damage is not None

    def keeps_alive(self, side: int) -> int:
        """Bit mask of the side's units that keep a battle going."""
        return self.memo.of(
            ("keeps alive", side),
            lambda: self.bits(
                frozenset(
                    u.id
                    for u in self.units[side].values()
                    if u.keeps_alive and not u.never_lost and u.alone[side] is None
                )
            ),
        )

    def defenceless(self, side: int) -> int:
        """Bit mask of the side's units that cannot go on alone."""
        return self.memo.of(
            ("defenceless", side),
            lambda: self.bits(
                frozenset(u.id for u in self.units[side].values() if u.alone[side] is not None)
            ),
        )

    def destroyed(self, side: int) -> int:
        """Bit mask of the side's units that are destroyed where nothing else keeps it alive."""
        return self.memo.of(
            ("destroyed", side),
            lambda: self.bits(
                frozenset(u.id for u in self.units[side].values() if u.alone[side] == "destroyed")
            ),
        )
