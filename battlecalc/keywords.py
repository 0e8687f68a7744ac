"""Keywords of a battle: dice, options, territory and the force that comes by land."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Any

from battlecalc.errors import BattlecalcError, BattleError, nearest
from battlecalc.forces import format_force, parse_force
from battlecalc.words import quote

if TYPE_CHECKING:
    from battlecalc.rulesets import Ruleset
    from battlecalc.rulesets.schema import Sequence

Dice = tuple[tuple[str, str], ...]
Options = tuple[tuple[str, bool | int | str], ...]

KEYWORDS = (
    "rounds",
    "dice",
    "options",
    "territory",
    "overland",
    "sea_attacker",
    "sea_defender",
    "changes",
)
METHODS = ("monte-carlo", "exact", "auto")
OF_SIMULATION = ("trials", "seed", "precision", "threads")
OF_EXACT = ("prune", "max_states")
RUN_KEYWORDS = ("method", *OF_SIMULATION, *OF_EXACT)
"""How to answer: no part of the battle, but allowed beside it in files."""

PURPOSES = ("battle", "aa", "bombardment", "mines", "raid")
DICE = ("standard", "low-luck")
_LONGEST = 100  # characters of a name or a word
_MOST = 10**12  # beyond any number that means something
STANDARD: Dice = tuple((purpose, "standard") for purpose in PURPOSES)


def read_dice(dice: str | Mapping[str, str]) -> Dice:
    """Read how dice are rolled, for every purpose.

    >>> read_dice({"battle": "low-luck"})[:2]
    (('battle', 'low-luck'), ('aa', 'standard'))
    """
    if isinstance(dice, str):
        return STANDARD if dice == "standard" else tuple((purpose, _kind(dice)) for purpose in PURPOSES)
    kinds = dict.fromkeys(PURPOSES, "standard")
    for purpose, kind in read_mapping(dice, "dice").items():
        if purpose not in kinds:
            raise BattleError(f"unknown purpose of dice {quote(purpose)}; {nearest(purpose[:60], PURPOSES)}")
        kinds[purpose] = _kind(kind)
    read = tuple(kinds.items())
    return STANDARD if read == STANDARD else read


def _kind(kind: object) -> str:
    spelled = kind.lower().replace("_", "-").replace(" ", "-") if isinstance(kind, str) else ""
    if spelled not in DICE:
        raise BattleError(
            f"unknown dice {quote(kind)}; known: standard, low-luck, or a mapping purpose -> one of them"
        )
    return spelled


def dice_words(dice: Dice) -> str | dict[str, str]:
    """Write dice as the constructor takes them: one word where it says all."""
    if dice is STANDARD:
        return "standard"
    kinds = {kind for _, kind in dice}
    if len(kinds) == 1:
        return kinds.pop()
    return {purpose: kind for purpose, kind in dice if kind != "standard"}


@lru_cache(maxsize=64)
def default_rules(ruleset: Ruleset) -> tuple[Options, Ruleset]:
    """Return the options where none is given, and the rules under them."""
    return tuple(ruleset.option_values({}).items()), ruleset.resolve({}, {})


def read_mapping(given: object, what: str) -> dict[str, Any]:
    """Read a mapping name -> number or word into a dict; None is an empty one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise BattleError(f"{what} is a mapping name -> value, not {quote(given)}")
    read: dict[str, bool | int | float | str] = {}
    for name, value in given.items():
        if not isinstance(name, str) or len(name) > _LONGEST:
            raise BattleError(f"{what}: a name is a short text, not {quote(name)}")
        if isinstance(value, bool) or (isinstance(value, str) and len(value) <= _LONGEST):
            read[name] = value
        elif isinstance(value, Integral) and abs(int(value)) <= _MOST:
            read[name] = int(value)
        elif isinstance(value, float):
            read[name] = float(value)
        else:
            raise BattleError(f"{what}: {name!r} is a number, true, false or a word, not {quote(value)}")
    return read


def find_sequence(ruleset: Ruleset, name: object) -> Sequence:
    """Return the sequence of an id or alias."""
    if not isinstance(name, str) or len(name) > 60:
        raise BattleError(
            f"{ruleset.id} has no sequence {quote(name)}; it has {', '.join(ruleset.sequences)}"
        )
    return ruleset.find_sequence(name)


def read_overland(overland: str | Mapping[str, int] | None, ruleset: Ruleset, kind: Sequence) -> str | None:
    """Read the force that comes by land into one spelling; None where there is none."""
    if overland is None:
        return None
    try:
        force = parse_force(overland, ruleset)
    except BattlecalcError as wrong:
        raise type(wrong)(f"overland: {wrong}") from None
    if force and not kind.overland:
        raise BattleError(f"overland: {kind.id} of {ruleset.id} has no part that comes by land")
    return format_force(force) if force else None


def read_territory(territory: object, kind: Sequence) -> float:
    """Read what holding the territory is worth."""
    if type(territory) is float and territory == 0:
        return 0.0
    if isinstance(territory, (bool, str, bytes)) or not hasattr(territory, "__float__"):
        raise BattleError(f"territory is its worth in IPC, not {quote(territory)}")
    try:
        worth = float(territory)
    except (TypeError, ValueError, OverflowError):
        raise BattleError(f"territory is its worth in IPC, not {quote(territory)}") from None
    if not 0 <= worth <= 1e9 or math.isnan(worth):
        raise BattleError(f"territory is its worth in IPC, from 0 to a billion, not {quote(territory)}")
    if worth and not kind.capture:
        raise BattleError(f"territory: nothing is captured in {kind.id}, so holding it is worth nothing")
    return worth
