"""What no rulebook prints and a battle used all the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from battlecalc.rulesets.schema import SIDES, Sequence, SideName

if TYPE_CHECKING:
    from battlecalc.keywords import Options
    from battlecalc.rulesets import Ruleset

_OTHERS_VALUE = {"attacker": "defence", "defender": "attack"}


@lru_cache(maxsize=4096)
def assumed_in(
    ruleset: Ruleset,
    sequence: str,
    units: tuple[frozenset[str], frozenset[str]],
    technologies: tuple[frozenset[str], frozenset[str]],
    options: Options,
) -> tuple[str, ...]:
    """Names of the assumed values and rules that matter in a battle with these units.

    A value is named ``"artillery.attack"``. An attack value matters for the attacker only, a defence value
    for the defender only, cost, hits and the rest for both.
    """
    found = [
        *_of_side(ruleset, "attacker", units[0], technologies[0]),
        *_of_side(ruleset, "defender", units[1], technologies[1]),
        *_of_sequence(ruleset.sequences[sequence], units),
    ]
    chosen = dict(options)
    found += [
        name for name, option in ruleset.options.items() if option.assumed and chosen[name] != option.default
    ]
    return tuple(dict.fromkeys(found))


def _of_side(
    ruleset: Ruleset, side: SideName, own: frozenset[str], technologies: frozenset[str]
) -> Iterator[str]:
    """Yield values of units, modifiers and technologies."""
    rules = ruleset.for_side(side, technologies)
    for unit in rules.units:
        if unit in own:
            for name in sorted(rules.units[unit].assumed - {_OTHERS_VALUE[side]}):
                yield f"{unit}.{name}"
    for modifier in rules.modifiers:
        served = own.intersection(modifier.to) and (not modifier.source or modifier.source & own)
        if modifier.assumed and modifier.side in (side, "both") and served:
            yield modifier.name
    for technology in sorted(technologies):
        if ruleset.technologies[technology].assumed:
            yield technology


def _of_sequence(rules: Sequence, units: tuple[frozenset[str], frozenset[str]]) -> Iterator[str]:
    """Yield rules of a sequence and of its steps."""
    for rule in rules.assumed:
        if not rule.units or rule.units & (units[0] | units[1]):
            yield rule.rule
    for stage in rules.stages:
        for step in stage.steps:
            if any(units[SIDES.index(group.side)] & group.who for group in step.fire):
                yield from step.assumed
