"""The rules that hold in one kind of battle, with what is known beforehand worked in and sets as bit masks.

A :class:`Setting` depends on ruleset, sequence, technologies, options and dice only, never on the forces: it is made once and shared by
every battle of its kind, together with all that follows from it (plans, verdicts).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from battlecalc.rulesets.schema import SIDES, Condition, Decision, Group, Landing, Modifier, Stage, Step, Unit, Units

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

    @property
    def key(self) -> tuple[int, ...]:
        """Tells steps apart by what may fire in them."""
        return (self.number, *(group.number for side in self.groups for group in side))

    def in_round(self, number: int) -> ReadyStep | None:
        """The step as it is in one round; None where it is skipped."""
        if not _within(number, self.rounds):
            return None
        return replace(
            self,
            groups=tuple(tuple(g for g in side if _within(number, g.rounds)) for side in self.groups),
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
    memo: dict[object, object] = field(default_factory=dict)

    def bits(self, units: Units) -> int:
        """Bit mask of a set of unit ids."""
        return sum(1 << self.bit[unit] for unit in units)

    @property
    def steps(self) -> tuple[ReadyStep, ...]:
        """Every step of every stage, in order."""
        return tuple(step for stage in self.stages for step in stage.steps)

    def unit_bits(self, side: int, wanted: str) -> int:
        """Bit mask of the side's units for which the named property holds (``keeps_alive``, ``defenceless``)."""
        key = (wanted, side)
        found = self.memo.get(key)
        if found is None:
            found = sum(
                1 << self.bit[unit.id]
                for unit in self.units[side].values()
                if (
                    unit.alone[side] is not None
                    if wanted == "defenceless"
                    else unit.keeps_alive and not unit.never_lost and unit.alone[side] is None
                )
            )
            self.memo[key] = found
        assert isinstance(found, int)
        return found


@lru_cache(maxsize=512)
def make_setting(
    ruleset: Ruleset,
    sequence_id: str,
    technologies: tuple[frozenset[str], frozenset[str]],
    options: tuple[tuple[str, bool | int | str], ...],
    low_luck: frozenset[str],
    fought: frozenset[str] = frozenset(),
) -> Setting:
    """Work in what is known before the battle.

    Parameters
    ----------
    technologies : (attacker's, defender's)
    options : every option of the ruleset with its value
    low_luck : purposes of dice that are rolled as low luck
    fought : sequences already fought in a chained battle
    """
    values = dict(options)
    bit = {unit: number for number, unit in enumerate(ruleset.units)}
    known = _Known(technologies, values, fought, bit)
    rules = tuple(ruleset.for_side(side, technologies[number]) for number, side in enumerate(SIDES))
    stages: list[ReadyStage] = []
    counters = {"step": 0, "group": 0, "decision": 0}
    for stage in ruleset.sequences[sequence_id].stages:
        if not known.before_battle(stage.when, 0):
            continue
        steps = [s for step in stage.steps if (s := _ready_step(step, known, low_luck, counters)) is not None]
        stages.append(
            ReadyStage(
                number=len(stages),
                rule=stage,
                steps=tuple(steps),
                both_have=known.bits(stage.both_have),
                advantage_has=known.bits(stage.advantage.has) if stage.advantage else 0,
            )
        )
    modifiers = tuple(
        tuple(m for m in rules[side].modifiers if m.side in ("both", SIDES[side]) and known.before_battle(m.when, side))
        for side in (0, 1)
    )
    return Setting(
        ruleset=ruleset,
        sequence_id=sequence_id,
        technologies=technologies,
        options=values,
        bit=bit,
        units=(rules[0].units, rules[1].units),
        modifiers=(modifiers[0], modifiers[1]),
        stages=tuple(stages),
        low_luck=low_luck,
    )


@dataclass(frozen=True, slots=True)
class _Known:
    technologies: tuple[frozenset[str], frozenset[str]]
    options: Mapping[str, bool | int | str]
    fought: frozenset[str]
    bit: Mapping[str, int]

    def bits(self, units: Units) -> int:
        return sum(1 << self.bit[unit] for unit in units)

    def before_battle(self, when: Condition, side: int) -> bool:
        """Whether the parts of a condition hold that are known before the battle."""
        own, enemy = self.technologies[side], self.technologies[1 - side]
        return (
            (when.technology is None or when.technology in own)
            and (when.lacks_technology is None or when.lacks_technology not in own)
            and (when.enemy_technology is None or when.enemy_technology in enemy)
            and (when.enemy_lacks_technology is None or when.enemy_lacks_technology not in enemy)
            and (when.option is None or bool(self.options[when.option]))
            and (when.lacks_option is None or not self.options[when.lacks_option])
            and (when.fought is None or when.fought in self.fought)
            and (when.not_fought is None or when.not_fought not in self.fought)
        )

    def presence(self, when: Condition) -> Presence:
        return Presence(
            self.bits(when.own_has),
            self.bits(when.own_lacks),
            self.bits(when.enemy_has),
            self.bits(when.enemy_lacks),
            self.bits(when.both_have),
        )


def _ready_step(
    step: Step, known: _Known, low_luck: frozenset[str], counters: dict[str, int]
) -> ReadyStep | None:
    if not known.before_battle(step.when, 0):
        return None
    groups: tuple[list[ReadyGroup], list[ReadyGroup]] = ([], [])
    for group in step.fire:
        side = SIDES.index(group.side)
        if known.before_battle(group.when, side):
            ready = ReadyGroup(
                counters["group"],
                side,
                group,
                known.bits(group.who),
                known.bits(group.at),
                known.presence(group.when),
                group.when.rounds,
            )
            groups[side].append(ready)
            counters["group"] += 1
    decisions = []
    for decision in step.decide:
        side = SIDES.index(decision.side)
        if known.before_battle(decision.when, side):
            presence = known.presence(decision.when)
            if decision.needs:
                presence = replace(presence, own_has=known.bits(decision.needs))
            decisions.append(
                ReadyDecision(
                    counters["decision"],
                    side,
                    decision,
                    known.bits(decision.leaves),
                    known.bits(decision.leaves_overland),
                    presence,
                    decision.when.rounds,
                )
            )
            counters["decision"] += 1
    called = int(known.options[step.called.option]) if step.called else 0
    ready_step = ReadyStep(
        number=counters["step"],
        rule=step,
        low_luck=step.purpose in low_luck,
        groups=(tuple(groups[0]), tuple(groups[1])),
        decisions=tuple(decisions),
        landings=step.land,
        rounds=step.when.rounds,
        called=called,
        called_who=known.bits(step.called.who) if step.called else 0,
        called_at=known.bits(step.called.at) if step.called else 0,
    )
    counters["step"] += 1
    return ready_step
