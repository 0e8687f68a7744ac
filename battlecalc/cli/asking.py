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

    keywords: dict[str, Any] = {name: given[name] for name in KEYWORDS if given.get(name) is not None}
    for name in SEA_SIDES:
        if given.get(name) is not None:
            keywords[name] = side_of(name, given[name], given)
        elif fields_of(name, given):
            flag = name.replace("_", "-")
            raise BattleError(f"options of --{flag}-... were given, but no --{flag}")
    own, enemy = side_of("attacker", attacker, given), side_of("defender", defender, given)
    battle = Battle(given["ruleset"], sequence, own, enemy, **keywords, **rules_of(given))
    return battle.swapped() if given["swap"] else battle


def rules_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords that change the rules: dice, options, changes."""
    rules: dict[str, Any] = {name: dict(given[name]) for name in ("options", "changes") if given[name]}
    if given["dice"]:
        rules["dice"] = dice_of(given["dice"])
    return rules


def side_of(name: str, force: str, given: Mapping[str, Any]) -> Side:
    """One side with its options."""
    from battlecalc import Side

    return Side(force, **fields_of(name, given))


def fields_of(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of `Side` that the options give to one side."""
    found: dict[str, Any] = {entry.field: given.get(f"{name}_{entry.field}") for entry in SIDE_OPTIONS}
    if found.get("technologies"):
        found["technologies"] = ",".join(found["technologies"])  # each may be a list of several
    return {field: value for field, value in found.items() if value is not None and value != ()}


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
