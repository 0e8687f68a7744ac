"""A ruleset in words and in plain data: what ``battlecalc units`` and ``battlecalc rulesets`` print."""

from __future__ import annotations

from typing import Any

from battlecalc.rulesets.ruleset import Ruleset
from battlecalc.rulesets.schema import SIDES, Option, Unit

HEADER = ("unit", "attack", "defence", "dice", "hits", "cost", "also", "aliases")


def unit_rows(ruleset: Ruleset) -> list[tuple[str, ...]]:
    """Rows under `HEADER`, one a unit; ``*`` marks a value that no rulebook prints.

    >>> from battlecalc.rulesets import load_ruleset
    >>> unit_rows(load_ruleset("great-war"))[2]
    ('cavalry', '2*', '1*', '1', '1', '3*', '', 'cav')
    """
    return [_row(unit) for unit in ruleset.units.values()]


def _row(unit: Unit) -> tuple[str, ...]:
    def marked(value: str, *fields: str) -> str:
        return value + "*" if value != "-" and unit.assumed & set(fields) else value

    def fights(side: int, field: str) -> str:
        absent = unit.only not in (None, SIDES[side]) or (unit.never_lost and not unit.values[field])
        return marked("-" if absent else str(unit.values[field]), field)

    return (
        unit.id,
        fights(0, "attack"),
        fights(1, "defence"),
        marked(_pair(unit.dice), "dice"),
        "-" if unit.never_lost else marked(_pair(unit.hits), "hits"),
        "-" if unit.cost is None else marked(f"{unit.cost:g}", "cost"),
        ", ".join(_also(unit)),
        ", ".join(unit.aliases),
    )


def _pair(pair: tuple[int, int]) -> str:
    return str(pair[0]) if pair[0] == pair[1] else f"{pair[0]}/{pair[1]}"


def _also(unit: Unit) -> list[str]:
    """Named values and what is special, in a word or two each."""
    words = [f"{name} {value}" for name, value in unit.values.items() if name not in ("attack", "defence")]
    if unit.only is not None:
        words.append("attacks only" if unit.only == "attacker" else "defends only")
    if unit.decks:
        words.append(f"{unit.decks} decks")
    traits = {
        "never lost": unit.never_lost,
        "lost last": unit.last,
        "captured": unit.captured,
        "absorbs": unit.absorbs,
        "holds nothing": not unit.keeps_alive and not unit.never_lost,
    }
    words.extend(word for word, holds in traits.items() if holds)
    words.extend(f"{side} needs {technology}" for side, technology in unit.needs.items())
    return words


def units_document(ruleset: Ruleset) -> dict[str, Any]:
    """Return the units as plain data."""
    return {
        "ruleset": ruleset.id,
        "name": ruleset.name,
        "sides": ruleset.sides,
        "units": [_unit_document(unit) for unit in ruleset.units.values()],
    }


def _unit_document(unit: Unit) -> dict[str, Any]:
    sides = {side: number for number, side in enumerate(SIDES)}
    return {
        "id": unit.id,
        "aliases": list(unit.aliases),
        "tags": sorted(unit.tags),
        "values": dict(unit.values),
        "dice": {side: unit.dice[number] for side, number in sides.items()},
        "rolls": {side: unit.rolls[number] for side, number in sides.items()},
        "hits": {side: unit.hits[number] for side, number in sides.items()},
        "cost": unit.cost,
        "only": unit.only,
        "needs": dict(unit.needs),
        "never_lost": unit.never_lost,
        "keeps_alive": unit.keeps_alive,
        "last": unit.last,
        "captured": unit.captured,
        "decks": unit.decks,
        "assumed": sorted(unit.assumed),
    }


def ruleset_document(ruleset: Ruleset) -> dict[str, Any]:
    """Return what a ruleset can do, as plain data."""
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "source": ruleset.source,
        "sides": ruleset.sides,
        "sequences": list(ruleset.sequences),
        "options": {
            option.name: {
                "kind": option.kind,
                "default": option.default,
                "values": option_values(option),
                "about": option.about,
                "assumed": option.assumed,
            }
            for option in ruleset.options.values()
        },
        "technologies": {
            technology.name: {"about": technology.about, "assumed": technology.assumed}
            for technology in ruleset.technologies.values()
        },
    }


def option_values(option: Option) -> str:
    """Values that an option may have, in words."""
    if option.kind == "flag":
        return "true or false"
    if option.kind == "number":
        return f"0 to {option.most}"
    return " or ".join(option.choices)


def ruleset_lines(ruleset: Ruleset) -> list[str]:
    """Return what a ruleset can do, for a reader."""
    lines = [f"{ruleset.id}: {ruleset.name}"]
    if ruleset.source:
        lines.append(f"  from {ruleset.source}")
    if ruleset.about:
        lines.append(f"  {ruleset.about}")
    for sequence in ruleset.sequences.values():
        names = " or ".join((sequence.id, *sequence.aliases))
        lines.append(f"  {names}: {', then '.join(stage.name for stage in sequence.stages)}")
    for option in ruleset.options.values():
        mark = " (assumed)" if option.assumed else ""
        values = f"{option_values(option)}, else {str(option.default).lower()}"
        lines.append(f"  option {option.name} ({values}): {option.about}{mark}")
    for technology in ruleset.technologies.values():
        mark = " (assumed)" if technology.assumed else ""
        lines.append(f"  technology {technology.name}: {technology.about}{mark}")
    return lines
