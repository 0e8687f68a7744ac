"""From the command line's options to a `Battle`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from battlecalc.cli.options import SEA_SIDES, SIDE_OPTIONS
from battlecalc.errors import BattleError

if TYPE_CHECKING:
    from battlecalc import Battle, Side

KEYWORDS = ("rounds", "territory", "overland")


def battle_of(sequence: str, attacker: str, defender: str, given: Mapping[str, Any]) -> Battle:
    """Battle that the options describe; what was not given keeps the library's default."""
    from battlecalc import Battle

    forces = {"attacker": attacker, "defender": defender, "sea_attacker": given.get("sea_attacker")}
    forces["sea_defender"] = given.get("sea_defender")
    sides = {name: side_of(name, force, given) for name, force in forces.items()}
    keywords: dict[str, Any] = {name: given[name] for name in KEYWORDS if given.get(name) is not None}
    keywords |= {name: sides[name] for name in SEA_SIDES if sides[name] is not None}
    if given.get("dice"):
        keywords["dice"] = dice_of(given["dice"])
    for name in ("options", "changes"):
        if given.get(name):
            keywords[name] = dict(given[name])
    battle = Battle(given["ruleset"], sequence, sides["attacker"], sides["defender"], **keywords)
    return battle.swapped() if given.get("swap") else battle


def side_of(name: str, force: str | None, given: Mapping[str, Any]) -> Side | None:
    """One side with its options; None for a fleet that is not there."""
    from battlecalc import Side

    fields = {}
    for entry in SIDE_OPTIONS:
        value = given.get(f"{name}_{entry.field}")
        if value is None or value == ():
            continue
        fields[entry.field] = value
    if "technologies" in fields:
        fields["technologies"] = ",".join(fields["technologies"])
    if force is None:
        if fields:
            flag = name.replace("_", "-")
            raise BattleError(f"options of --{flag}-... were given, but no --{flag}")
        return None
    return Side(force, **fields)


def dice_of(text: str) -> str | dict[str, str]:
    """Dice for everything, or by purpose.

    >>> dice_of("low-luck")
    'low-luck'
    >>> dice_of("battle=low-luck, aa=standard")
    {'battle': 'low-luck', 'aa': 'standard'}
    """
    if "=" not in text:
        return text
    pairs = [part.partition("=") for part in text.split(",")]
    return {purpose.strip(): kind.strip() for purpose, _, kind in pairs}
