"""Both sides together: rights that the situation takes away, and what no side can know alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from battlecalc.errors import BattlecalcError, BattleError, PolicyError
from battlecalc.keywords import STANDARD, Dice, Options
from battlecalc.policies import BEST, NEVER
from battlecalc.rulesets.schema import SIDES, Condition, Decision, Sequence
from battlecalc.sides import ReadySide, read_side

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset

Values = Mapping[str, bool | int | str]


def read_pair(
    rules: Ruleset, kind: Sequence, given: Mapping[str, Any], options: Options, notes: list[str]
) -> tuple[ReadySide, ReadySide]:
    """Read both sides; policies that the situation takes away become "never" and are noted."""
    ready = []
    for number, name in enumerate(SIDES):
        try:
            side, passed_over = read_side(
                rules, kind.id, number, given[name], (given["overland"] or "", "")[number]
            )
        except BattlecalcError as wrong:
            raise type(wrong)(f"{name}: {wrong}") from None
        ready.append(side)
        notes += passed_over
    for number, name in enumerate(SIDES):
        own, enemy = ready[number], ready[1 - number]
        taken = dict(taken_away(kind, number, own, enemy, dict(options)))
        if taken:
            notes += [f"{name}'s {right} is passed over: {why}" for right, why in taken.items()]
            policies = tuple((right, NEVER if right in taken else policy) for right, policy in own.policies)
            ready[number] = dataclasses.replace(own, policies=policies)
    return ready[0], ready[1]


def check_pair(kind: Sequence, sides: tuple[ReadySide, ReadySide], dice: Dice, options: Options) -> None:
    """Check what no side can know alone."""
    if all(any(policy is BEST for _, policy in side.policies) for side in sides):
        one, other = (side.objective for side in sides)
        if one != other:
            raise PolicyError(f"two sides at their best play for one objective, not {one!r} and {other!r}")
    if dice is STANDARD:
        return
    kinds, values = dict(dice), dict(options)
    for stage in kind.stages:
        for step in stage.steps:
            if step.called and values[step.called.option] and kinds[step.purpose] == "low-luck":
                raise BattleError(
                    f"{step.called.option} needs dice that are rolled one by one, so not low-luck"
                )


def taken_away(
    rules: Sequence, number: int, own: ReadySide, enemy: ReadySide, options: Values
) -> Iterator[tuple[str, str]]:
    """Yield (right, why) for each policy that can never be asked in this battle."""
    for right, policy in own.policies:
        if policy is NEVER:
            continue
        reasons = [
            _obstacle(decision, conditions, own, enemy, options)
            for decision, conditions in _decisions(rules, number, right)
        ]
        if reasons and None not in reasons:
            yield right, str(reasons[0])


def _decisions(rules: Sequence, number: int, right: str) -> Iterator[tuple[Decision, tuple[Condition, ...]]]:
    for stage in rules.stages:
        for step in stage.steps:
            for decision in step.decide:
                if decision.right == right and decision.side == SIDES[number]:
                    both = Condition(both_have=stage.both_have)
                    yield decision, (stage.when, both, step.when, decision.when)


def _obstacle(
    decision: Decision, conditions: tuple[Condition, ...], own: ReadySide, enemy: ReadySide, options: Values
) -> str | None:
    """Say why a decision is never asked in this battle; None where it may be."""
    for when in conditions:
        if when.option is not None and not options[when.option]:
            return f"only with the option {when.option}"
        if when.lacks_option is not None and options[when.lacks_option]:
            return f"the option {when.lacks_option} forbids it"
        if when.technology is not None and when.technology not in own.technologies:
            return f"only with the technology {when.technology}"
        if when.lacks_technology in own.technologies or when.enemy_lacks_technology in enemy.technologies:
            return f"the technology {when.lacks_technology or when.enemy_lacks_technology} forbids it"
        if when.enemy_technology is not None and when.enemy_technology not in enemy.technologies:
            return f"only against the technology {when.enemy_technology}"
        if any(needed and not needed & own.units for needed in (when.own_has, when.both_have)):
            return "no unit of this force has the right"
        if any(needed and not needed & enemy.units for needed in (when.enemy_has, when.both_have)):
            return "the enemy has nothing to use it against"
    if decision.needs and not decision.needs & own.units:
        return "no unit of this force has the right"
    leaving = frozenset(u for u, _ in own.counts) & decision.leaves
    by_land = frozenset(u for u, _ in own.overland) & (decision.leaves | decision.leaves_overland)
    if decision.right != "contest" and not leaving and not by_land:
        return "no unit of this force has the right"
    return None
