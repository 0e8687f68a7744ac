"""Rights that the situation takes away: asked for, in the sequence, and of no use to this force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from battlecalc.policies import NEVER
from battlecalc.rulesets.schema import SIDES, Condition, Decision, Sequence

if TYPE_CHECKING:
    from battlecalc.sides import ReadySide

Options = Mapping[str, bool | int | str]


def taken_away(
    rules: Sequence, number: int, own: ReadySide, enemy: ReadySide, options: Options
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
    decision: Decision, conditions: tuple[Condition, ...], own: ReadySide, enemy: ReadySide, options: Options
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
