"""What no rulebook prints and a battle used all the same."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import lru_cache
from typing import TYPE_CHECKING

from battlecalc.landing import places
from battlecalc.rulesets.schema import SIDES, Sequence, SideName

if TYPE_CHECKING:
    from battlecalc.keywords import Options
    from battlecalc.rulesets import Ruleset

Places = dict[str, set[str]]

_ORDINARY = {"attacker": "attack", "defender": "defence"}


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
    rules = ruleset.sequences[sequence]
    where = [
        {unit: {place} for unit, place in places(rules, number, own).items()}
        for number, own in enumerate(units)
    ]
    for unit in overland:
        where[0].setdefault(unit, set()).add("battle")
    found = [
        *_of_side(ruleset, rules, "attacker", where[0], technologies[0]),
        *_of_side(ruleset, rules, "defender", where[1], technologies[1]),
        *_of_sequence(rules, (where[0].keys(), where[1].keys())),
    ]
    switched = ((ruleset.options[name], value) for name, value in options)
    found += [option.name for option, value in switched if option.assumed and value != option.default]
    return tuple(dict.fromkeys(found))


def _of_side(
    ruleset: Ruleset, sequence: Sequence, side: SideName, where: Places, technologies: frozenset[str]
) -> Iterator[str]:
    """Yield values of units, modifiers and technologies."""
    rules = ruleset.for_side(side, technologies)
    for unit in rules.units:
        if unit in where:
            for name in sorted(rules.units[unit].assumed):
                if _matters(sequence, side, unit, name, where[unit]):
                    yield f"{unit}.{name}"
    for modifier in rules.modifiers:
        served = where.keys() & modifier.to and (not modifier.source or where.keys() & modifier.source)
        if modifier.assumed and modifier.side in (side, "both") and served:
            yield modifier.name
    for technology in sorted(technologies):
        if ruleset.technologies[technology].assumed:
            yield technology


def _matters(rules: Sequence, side: SideName, unit: str, name: str, where: set[str]) -> bool:
    """Whether an entry of a unit matters for one side of a sequence, in the places where the unit is."""
    here = bool(where & {"battle", "aboard"})
    if name not in _ORDINARY.values():
        return here or name not in ("hits", "never_lost")
    ordinary = name == _ORDINARY[side]
    if ordinary and here:
        return True  # weak units are lost first, and land last
    bombards = ordinary and "offshore" in where
    return any(
        group.value == f"{unit}.{name}"
        or (
            bombards
            and unit in group.who
            and (group.side, group.where, group.value) == (side, "offshore", "ordinary")
        )
        for stage in rules.stages
        for step in stage.steps
        for group in step.fire
    )


def _of_sequence(rules: Sequence, units: tuple[Set[str], Set[str]]) -> Iterator[str]:
    """Yield rules of a sequence and of its steps."""
    for rule in rules.assumed:
        if not rule.units or rule.units & (units[0] | units[1]):
            yield rule.rule
    for stage in rules.stages:
        for step in stage.steps:
            if any(units[SIDES.index(group.side)] & group.who for group in step.fire):
                yield from step.assumed
