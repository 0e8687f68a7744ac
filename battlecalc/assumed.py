"""What no rulebook prints and a battle used all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from battlecalc.rulesets.schema import SIDES, Sequence

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset
    from battlecalc.sides import ReadySide

_OTHERS_VALUE = {"attacker": "defence", "defender": "attack"}


def assumed_in(
    ruleset: Ruleset,
    rules: Sequence,
    sides: tuple[ReadySide, ReadySide],
    options: Mapping[str, bool | int | str],
) -> Iterator[str]:
    """Yield names of the assumed values and rules that matter in a battle.

    A value is named ``"artillery.attack"``. An attack value matters for the attacker only, a defence value
    for the defender only, cost, hits and the rest for both.
    """
    taking_part = sides[0].units | sides[1].units
    for number, side in enumerate(SIDES):
        own = sides[number]
        rules_of_side = ruleset.for_side(side, own.technologies)
        for unit in rules_of_side.units:
            if unit in own.units:
                for name in sorted(rules_of_side.units[unit].assumed - {_OTHERS_VALUE[side]}):
                    yield f"{unit}.{name}"
        for modifier in rules_of_side.modifiers:
            served = own.units.intersection(modifier.to) and (
                not modifier.source or modifier.source & own.units
            )
            if modifier.assumed and modifier.side in (side, "both") and served:
                yield modifier.name
        for technology in sorted(own.technologies):
            if ruleset.technologies[technology].assumed:
                yield technology
    for rule in rules.assumed:
        if not rule.units or rule.units & taking_part:
            yield rule.rule
    for stage in rules.stages:
        for step in stage.steps:
            if any(sides[SIDES.index(group.side)].units & group.who for group in step.fire):
                yield from step.assumed
    for name, option in ruleset.options.items():
        if option.assumed and options[name] != option.default:
            yield name
