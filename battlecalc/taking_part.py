"""Who may take part in a battle, and by which rule not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from battlecalc.errors import ForceError
from battlecalc.landing import places
from battlecalc.rulesets.schema import SIDES, Sequence

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset

Counts = tuple[tuple[str, int], ...]


def check(
    ruleset: Ruleset,
    rules: Sequence,
    number: int,
    counts: Counts,
    overland: Counts,
    technologies: frozenset[str],
) -> None:
    """Raise a `ForceError` that names the rule where a force cannot be this side of a sequence."""
    for unit, _ in counts:
        _check_unit(ruleset, rules, number, unit, technologies)
    for unit, _ in overland:
        _check_unit(ruleset, rules, number, unit, technologies)
        if unit not in rules.overland:
            raise ForceError(f"overland: {unit} cannot come by land")
    force = [unit for unit, _ in counts + overland]
    if rules.damage is not None and number == 1:
        return  # a raid may meet nobody
    _check_strength(ruleset, rules, number, force, frozenset(unit for unit, _ in overland))


def _check_unit(
    ruleset: Ruleset, rules: Sequence, number: int, unit: str, technologies: frozenset[str]
) -> None:
    entry, side = ruleset.units[unit], SIDES[number]
    if entry.only not in (None, side):
        raise ForceError(
            f"{unit} only {'attacks' if entry.only == 'attacker' else 'defends'} in {ruleset.id}"
        )
    if unit not in rules.takes[number]:
        names = (unit, *sorted(entry.tags), "all")
        why = next((rules.why_not[name] for name in names if name in rules.why_not), "")
        if not why:
            where = [other.id for other in ruleset.sequences.values() if unit in other.takes[number]]
            why = f"as {side} only in {' and '.join(where)}" if where else f"never as {side}"
        raise ForceError(f"{unit} cannot take part in {rules.id} of {ruleset.id}: {why}")
    needed = entry.needs.get(side)
    if needed is not None and needed not in technologies:
        raise ForceError(f"{unit}: the {side} needs the technology {needed!r} for it")


def _check_strength(
    ruleset: Ruleset, rules: Sequence, number: int, force: list[str], overland: frozenset[str]
) -> None:
    side = SIDES[number]
    if not force:
        raise ForceError(
            f"the force is empty: there is nothing to {'fight with' if number == 0 else 'attack'}"
        )
    where = places(rules, number, force)
    if all(place == "offshore" for place in where.values()):
        raise ForceError("ships alone cannot land: add units that land, or planes")
    fighting = {unit for unit in force if where[unit] in ("battle", "aboard") or unit in overland}
    hittable = {unit for unit in fighting if not never_lost(ruleset, rules, side, unit)}
    one_of = rules.needs_one_of[number]
    enough = not one_of or bool(one_of & set(force))
    if number == 0:
        alive = any(ruleset.units[u].keeps_alive and ruleset.units[u].alone[0] is None for u in hittable)
        if enough and alive:
            return
        wrong = "cannot attack alone"
    else:
        captured = rules.capture and any(ruleset.units[unit].captured for unit in force)
        if enough and (hittable or captured):
            return
        wrong = "alone can be neither fought nor captured"
    names = [u for u in ruleset.units if u in one_of and ruleset.units[u].only in (None, side)]
    one = f"one of {', '.join(names)}" if len(names) > 1 else f"one {''.join(names)}"
    needed = f": at least {one} must take part" if names else ""
    raise ForceError(f"{' and '.join(force)} {wrong}{needed}")


def silent_ships(rules: Sequence, counts: Counts) -> Iterator[str]:
    """Yield the ships of a landing that do not bombard because nothing of the force lands."""
    force = frozenset(unit for unit, _ in counts)
    for stage in rules.stages:
        for step in stage.steps:
            for group in step.fire:
                if group.side == "attacker" and group.at_most_per and not group.at_most_per & force:
                    yield from sorted(group.who & force)


def never_lost(ruleset: Ruleset, rules: Sequence, side: str, unit: str) -> bool:
    """Whether a unit cannot be a casualty of this side in this sequence."""
    return ruleset.units[unit].never_lost or any(
        role.never_lost and role.side == side and unit in role.who for role in rules.roles
    )
