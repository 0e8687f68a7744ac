"""What is proved of a ruleset when it is loaded: every name is known, and no unit fires twice in a round."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from battlecalc.rulesets.schema import Condition, Group, Modifier, Option, Sequence, Stage, Step, Technology
from battlecalc.rulesets.tables import Where, check_name
from battlecalc.words import quote


def prove(
    sequences: Mapping[str, Sequence],
    modifiers: Iterable[Modifier],
    technologies: Mapping[str, Technology],
    options: Mapping[str, Option],
    where: Where,
) -> None:
    """Check what only the whole of a ruleset can show."""
    advantages = [s.advantage.name for q in sequences.values() for s in q.stages if s.advantage is not None]
    for modifier in modifiers:
        place = where / "modifiers" / modifier.name
        _names(modifier.when, place, technologies, options, sequences, advantages)
    for sequence in sequences.values():
        here = where / "sequences" / sequence.id
        _chain(sequence, sequences, here)
        earlier: list[str] = []
        for number, stage in enumerate(sequence.stages):
            place = here / "stages" / stage.name
            if stage.repeat == "rounds" and number + 1 < len(sequence.stages):
                place.fail('a stage with repeat = "rounds" must be the last')
            _names(stage.when, place, technologies, options, sequences, earlier)
            for step in stage.steps:
                _step(step, place / "steps" / step.name, technologies, options, sequences, earlier)
            _fires_once(stage, place)
            _at_landed(stage, place)
            if stage.advantage is not None:
                earlier.append(stage.advantage.name)
        cap = sequence.damage.cap_option if sequence.damage is not None else None
        if cap is not None:
            _number(cap, here / "damage" / "cap_option", options)
        if sequence.decks_option is not None:
            check_name(sequence.decks_option, "option", here / "decks_option", options)


def _chain(sequence: Sequence, sequences: Mapping[str, Sequence], where: Where) -> None:
    """Check that a landing has one battle before it, not a chain of them."""
    if sequence.before is not None and sequences[sequence.before].before is not None:
        (where / "before").fail(f"{sequence.before!r} has a battle before it, too")


def _step(
    step: Step,
    where: Where,
    technologies: Mapping[str, Technology],
    options: Mapping[str, Option],
    sequences: Mapping[str, Sequence],
    advantages: list[str],
) -> None:
    whens = [step.when, *(group.when for group in step.fire), *(decision.when for decision in step.decide)]
    for when in whens:
        _names(when, where, technologies, options, sequences, advantages)
    for group in step.fire:
        if group.dice.option is not None:
            _number(group.dice.option, where / "fire", options)
    if step.called is not None:
        _number(step.called.option, where / "called", options)
    if step.linked is not None:
        _number(step.linked.option, where / "linked", options)


def _number(name: str, where: Where, options: Mapping[str, Option]) -> None:
    numbers = [option.name for option in options.values() if option.kind == "number"]
    check_name(name, "option of kind 'number'", where, numbers)


def _names(
    when: Condition,
    where: Where,
    technologies: Mapping[str, Technology],
    options: Mapping[str, Option],
    sequences: Mapping[str, Sequence],
    advantages: list[str],
) -> None:
    """Check that every name of a condition is known."""
    uses: list[tuple[str, str | None, Collection[str]]] = [
        ("technology", when.technology, technologies),
        ("technology", when.lacks_technology, technologies),
        ("technology", when.enemy_technology, technologies),
        ("technology", when.enemy_lacks_technology, technologies),
        ("option", when.option, options),
        ("option", when.lacks_option, options),
        ("sequence", when.fought, sequences),
        ("sequence", when.not_fought, sequences),
        ("advantage of an earlier stage", when.advantage, advantages),
    ]
    for kind, name, known in uses:
        if name is not None:
            check_name(name, kind, where / "when", known)


def _at_landed(stage: Stage, where: Where) -> None:
    """Check that fire at units that landed stands alone: engines tell origins apart for whole steps only."""
    for step in stage.steps:
        for group in (group for group in step.fire if group.at_landed):
            beside = any(other.side == group.side and not other.at_landed for other in step.fire)
            plain = group.casualties == "owner" and group.dice.kind in ("own", "option")
            if stage.repeat != "once" or step.called or beside or not plain:
                (where / "steps" / step.name / "fire").fail(
                    "'at_landed' is for a stage with repeat = \"once\", a step without other groups of that "
                    "side or called shots, dice of units or options, and casualties of the owner's choice"
                )


# ---------------------------------------------------------------------- nobody fires twice


def _fires_once(stage: Stage, where: Where) -> None:
    volleys = [(number, step, group) for number, step in enumerate(stage.steps) for group in step.fire]
    for (first, before, one), (second, after, two) in combinations(volleys, 2):
        both = one.who & two.who
        if one.side == two.side and both and not _exclusive(before, one, after, two, first == second):
            unit = min(both)
            (where / "steps" / after.name / "fire").fail(
                f"the {one.side}'s {quote(unit)} may fire twice in a round (also in step {before.name!r})"
            )


def _exclusive(before: Step, one: Group, after: Step, two: Group, together: bool) -> bool:
    """Whether two groups of one side never fire in the same round, `one` not later than `two`."""
    pairs = [(a, b) for a in (before.when, one.when) for b in (after.when, two.when)]
    return any(_contradict(a, b, together) for a, b in pairs)


def _contradict(one: Condition, two: Condition, together: bool) -> bool:
    """Whether `one` at its time rules out `two` at a time that is not earlier.

    Units only leave a battle: what a side lacked it lacks later on, but what it had it may have lost in
    between.
    """
    if one.rounds and two.rounds:
        early, late = sorted((one.rounds, two.rounds))
        if early[1] is not None and early[1] < late[0]:
            return True
    fixed = (
        (one.technology, two.lacks_technology),
        (one.lacks_technology, two.technology),
        (one.enemy_technology, two.enemy_lacks_technology),
        (one.enemy_lacks_technology, two.enemy_technology),
        (one.option, two.lacks_option),
        (one.lacks_option, two.option),
        (one.fought, two.not_fought),
        (one.not_fought, two.fought),
    )
    if any(a is not None and a == b for a, b in fixed):
        return True
    lacked_then_had = ((one.own_lacks, two.own_has), (one.enemy_lacks, two.enemy_has))
    had_then_lacked = ((one.own_has, two.own_lacks), (one.enemy_has, two.enemy_lacks)) if together else ()
    return any(has and has <= lacks for lacks, has in lacked_then_had) or any(
        has and has <= lacks for has, lacks in had_then_lacked
    )
