"""What is known before a battle, worked into its rules: from a ruleset's sequence to a `Setting`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

from battlecalc.program.setting import Presence, ReadyDecision, ReadyGroup, ReadyStage, ReadyStep, Setting
from battlecalc.rulesets.schema import SIDES, Condition, Decision, Group, Step, Units

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset


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
    known = _Known(technologies, values, low_luck, fought, bit)
    stages: list[ReadyStage] = []
    for stage in ruleset.sequences[sequence_id].stages:
        if not known.holds(stage.when, 0):
            continue
        stages.append(
            ReadyStage(
                number=len(stages),
                rule=stage,
                steps=tuple(known.step(step) for step in stage.steps if known.holds(step.when, 0)),
                both_have=known.bits(stage.both_have),
                advantage_has=known.bits(stage.advantage.has) if stage.advantage else 0,
            )
        )
    attacker, defender = (ruleset.for_side(side, own) for side, own in zip(SIDES, technologies, strict=True))
    modifiers = [
        tuple(m for m in rules.modifiers if m.side in ("both", SIDES[side]) and known.holds(m.when, side))
        for side, rules in enumerate((attacker, defender))
    ]
    return Setting(
        ruleset=ruleset,
        sequence_id=sequence_id,
        technologies=technologies,
        options=values,
        bit=bit,
        units=(attacker.units, defender.units),
        modifiers=(modifiers[0], modifiers[1]),
        stages=tuple(stages),
        low_luck=low_luck,
    )


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known; it numbers the steps, groups and decisions that are left as they are made."""

    technologies: tuple[frozenset[str], frozenset[str]]
    options: Mapping[str, bool | int | str]
    low_luck: frozenset[str]
    fought: frozenset[str]
    bit: Mapping[str, int]
    steps: Iterator[int] = field(default_factory=count)
    groups: Iterator[int] = field(default_factory=count)
    decisions: Iterator[int] = field(default_factory=count)

    def bits(self, units: Units) -> int:
        return sum(1 << self.bit[unit] for unit in units)

    def holds(self, when: Condition, side: int) -> bool:
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
        """Return the part of a condition that is not known yet."""
        return Presence(
            self.bits(when.own_has),
            self.bits(when.own_lacks),
            self.bits(when.enemy_has),
            self.bits(when.enemy_lacks),
            self.bits(when.both_have),
        )

    def step(self, step: Step) -> ReadyStep:
        groups: tuple[list[ReadyGroup], list[ReadyGroup]] = ([], [])
        for group in step.fire:
            side = SIDES.index(group.side)
            if self.holds(group.when, side):
                groups[side].append(self.group(group, side))
        called = step.called
        return ReadyStep(
            number=next(self.steps),
            rule=step,
            low_luck=step.purpose in self.low_luck,
            groups=(tuple(groups[0]), tuple(groups[1])),
            decisions=tuple(
                self.decision(decision, side)
                for decision in step.decide
                if self.holds(decision.when, side := SIDES.index(decision.side))
            ),
            landings=step.land,
            rounds=step.when.rounds,
            called=int(self.options[called.option]) if called else 0,
            called_who=self.bits(called.who) if called else 0,
            called_at=self.bits(called.at) if called else 0,
        )

    def group(self, group: Group, side: int) -> ReadyGroup:
        return ReadyGroup(
            number=next(self.groups),
            side=side,
            rule=group,
            who=self.bits(group.who),
            at=self.bits(group.at),
            presence=self.presence(group.when),
            rounds=group.when.rounds,
        )

    def decision(self, decision: Decision, side: int) -> ReadyDecision:
        presence = self.presence(decision.when)
        if decision.needs:
            presence = replace(presence, own_has=self.bits(decision.needs))
        return ReadyDecision(
            number=next(self.decisions),
            side=side,
            rule=decision,
            leaves=self.bits(decision.leaves),
            leaves_overland=self.bits(decision.leaves_overland),
            presence=presence,
            rounds=decision.when.rounds,
        )
