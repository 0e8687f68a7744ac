"""Which options a kind of battle asks for: the others are passed over, and said to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from battlecalc.rulesets.schema import SIDES, Condition, Sequence

if TYPE_CHECKING:
    from battlecalc.keywords import Options
    from battlecalc.rulesets import Ruleset


def passed_over(
    base: Ruleset, rules: Ruleset, sequence: str, options: Options, changes: Mapping[str, Any] | None
) -> frozenset[str]:
    """Return the options that are set and change nothing in a sequence.

    Parameters
    ----------
    base, rules : Ruleset
        Without and with the options and changes applied.
    options : every option with its value

    Examples
    --------
    >>> from battlecalc.rulesets import load_ruleset
    >>> rules = load_ruleset("great-war")
    >>> sorted(passed_over(rules, rules, "land", (("mines", True), ("from_contested", True)), None))
    ['mines']
    """
    switched = {name: value for name, value in options if value != base.options[name].default}
    if not switched:
        return frozenset()
    asked = set(_asked(rules, rules.sequences[sequence]))
    return frozenset(
        name
        for name in switched.keys() - asked
        if not _patches(base, rules, sequence, {n: v for n, v in switched.items() if n != name}, changes)
    )


def note(option: str, sequence: str, ruleset: str) -> str:
    """Say that an option is passed over."""
    return f"the option {option} is passed over: nothing in {sequence} of {ruleset} asks for it"


def _asked(rules: Ruleset, sequence: Sequence) -> Iterator[str]:
    """Yield the options that a sequence looks at."""
    for when in _conditions(rules, sequence):
        yield from (name for name in (when.option, when.lacks_option) if name is not None)
    steps = [step for stage in sequence.stages for step in stage.steps]
    named = [group.dice.option for step in steps for group in step.fire]
    named += [part.option for step in steps for part in (step.called, step.linked) if part is not None]
    named += [sequence.decks_option, sequence.damage.cap_option if sequence.damage is not None else None]
    yield from (name for name in named if name is not None)


def _conditions(rules: Ruleset, sequence: Sequence) -> Iterator[Condition]:
    for side in SIDES:
        yield from (
            modifier.when for modifier in rules.for_side(side, frozenset(rules.technologies)).modifiers
        )
    for stage in sequence.stages:
        yield stage.when
        for step in stage.steps:
            yield step.when
            yield from (group.when for group in step.fire)
            yield from (decision.when for decision in step.decide)


def _patches(
    base: Ruleset,
    rules: Ruleset,
    sequence: str,
    others: Mapping[str, bool | int | str],
    changes: Mapping[str, Any] | None,
) -> bool:
    """Whether an option changes a sequence or what takes part in it, beside the other options."""
    without = base.resolve(others, changes)
    return without is not rules and (
        without.sequences.get(sequence) != rules.sequences[sequence]
        or any(
            without.for_side(side, known) != rules.for_side(side, known)
            for side in SIDES
            for known in (frozenset[str](), frozenset(rules.technologies))
        )
    )
