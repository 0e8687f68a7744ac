"""What no rulebook prints and a battle used all the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from battlecalc.landing import places
from battlecalc.rulesets.schema import SIDES

if TYPE_CHECKING:
    from battlecalc.keywords import Options
    from battlecalc.rulesets import Ruleset
    from battlecalc.rulesets.schema import Sequence

Places = dict[str, set[str]]


@lru_cache(maxsize=4096)
def assumed_in(
    ruleset: Ruleset,
    sequence: str,
    units: tuple[frozenset[str], ...],
    overland: frozenset[str],
    technologies: tuple[frozenset[str], frozenset[str]],
    options: Options,
) -> tuple[str, ...]:
    """Names of the assumed values and rules that matter in a battle with these units.

    A value is named ``"artillery.attack"``. An attack value matters for the attacker only, a defence value
    for the defender only, and neither where the unit waits or stands off without firing; cost matters
    always.

    Parameters
    ----------
    units : pair of set of unit ids
        The attacker's without those that come by land, the defender's.
    overland : set of unit ids
        The attacker's that come by land.
    options : the options that the sequence asks for, with their values
    """
    where = [
        {unit: {place} for unit, place in places(ruleset.sequences[sequence], number, own).items()}
        for number, own in enumerate(units)
    ]
    for unit in overland:
        where[0].setdefault(unit, set()).add("battle")
    return tuple(dict.fromkeys(_assumed(ruleset, sequence, (where[0], where[1]), technologies, options)))


def _assumed(
    ruleset: Ruleset,
    sequence: str,
    where: tuple[Places, Places],
    technologies: tuple[frozenset[str], frozenset[str]],
    options: Options,
) -> Iterator[str]:
    rules, units = ruleset.sequences[sequence], (frozenset(where[0]), frozenset(where[1]))
    for number, side in enumerate(SIDES):
        own = units[number]
        rules_of_side = ruleset.for_side(side, technologies[number])
        for unit in rules_of_side.units:
            if unit in own:
                for name in sorted(rules_of_side.units[unit].assumed):
                    if _matters(rules, number, unit, name, where[number][unit]):
                        yield f"{unit}.{name}"
        for modifier in rules_of_side.modifiers:
            served = own.intersection(modifier.to) and (not modifier.source or modifier.source & own)
            if modifier.assumed and modifier.side in (side, "both") and served:
                yield modifier.name
        for technology in sorted(technologies[number]):
            if ruleset.technologies[technology].assumed:
                yield technology
    for rule in rules.assumed:
        if not rule.units or rule.units & (units[0] | units[1]):
            yield rule.rule
    for stage in rules.stages:
        for step in stage.steps:
            if any(units[SIDES.index(group.side)] & group.who for group in step.fire):
                yield from step.assumed
    for name, value in options:
        if ruleset.options[name].assumed and value != ruleset.options[name].default:
            yield name


def _matters(rules: Sequence, number: int, unit: str, name: str, where: set[str]) -> bool:
    """Whether an entry of a unit matters for one side of a sequence, in the places where the unit is."""
    side, here = SIDES[number], bool(where & {"battle", "aboard"})
    ordinary = ("attack", "defence")[number]
    if name not in ("attack", "defence"):
        return here or name not in ("hits", "never_lost")
    if name == ordinary and here:
        return True  # weak units are lost first, and land last
    fire = [group for stage in rules.stages for step in stage.steps for group in step.fire]
    return any(
        group.value == f"{unit}.{name}"
        or (
            (group.side, group.where, group.value) == (side, "offshore", "ordinary")
            and name == ordinary
            and unit in group.who
            and "offshore" in where
        )
        for group in fire
    )
