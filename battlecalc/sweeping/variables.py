"""What a sweep can vary: ``"attacker.infantry"``, ``"attacker.technologies"``, ``"ruleset"`` ..."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from battlecalc.battle import Battle, ruleset_name
from battlecalc.errors import BattlecalcError, BattleError, ForceError, nearest
from battlecalc.forces import format_force, in_order, parse_force
from battlecalc.keywords import dice_words, find_sequence, read_dice
from battlecalc.losses import parse_loss_order
from battlecalc.policies import RIGHTS, Policy, parse_policy
from battlecalc.rulesets import Ruleset, load_ruleset
from battlecalc.sides import Side, freeze_side
from battlecalc.words import quote, whole_number

SIDES = ("attacker", "defender", "sea_attacker", "sea_defender")
FIELDS = tuple(field.name for field in fields(Side))
OF_BATTLE = ("ruleset", "sequence", "rounds", "dice", "territory", "overland")
TABLES = ("options", "changes")
NOTHING = "none"
DEFAULT = "default"

Label = bool | int | float | str
Kind = Literal["battle", "entry", "side", "field", "unit"]


@dataclass(frozen=True, slots=True)
class Variable:
    """One thing that is varied.

    Attributes
    ----------
    name : str
        As the user wrote it: the name of the column.
    kind : {"battle", "entry", "side", "field", "unit"}
        Keyword of the battle; entry of `options` or `changes`; whole side; field of a `Side`; number of a
        unit.
    of : str
        The keyword, table or side.
    key : str
        The entry, field or unit (its id); empty for keywords and whole sides.
    """

    name: str
    kind: Kind
    of: str
    key: str = ""


def read_variable(name: object, rulesets: Iterable[Ruleset]) -> Variable:
    """Read the name of a variable; a unit has to be one of at least one of the rulesets."""
    if not isinstance(name, str):
        raise BattleError(f"a variable is named by a text such as 'attacker.infantry', not {quote(name)}")
    of, dot, key = (part.strip() for part in name.partition("."))
    if not dot and of in OF_BATTLE:
        return Variable(name, "battle", of)
    if not dot and of in SIDES:
        return Variable(name, "side", of)
    if key and of in TABLES:
        return Variable(name, "entry", of, key)
    if key and of in SIDES:
        if key in FIELDS:
            return Variable(name, "side" if key == "force" else "field", of, "" if key == "force" else key)
        for ruleset in rulesets:
            try:
                return Variable(name, "unit", of, ruleset.unit_id(key))
            except ForceError as error:
                trouble = error
        raise BattleError(
            f"unknown variable {quote(name)}: {trouble}; or a field of a side: {', '.join(FIELDS)}"
        )
    known = [*OF_BATTLE, *SIDES, *(f"{table}.NAME" for table in TABLES), *(f"{side}.UNIT" for side in SIDES)]
    raise BattleError(f"unknown variable {quote(name)}; {nearest(name[:60], known)}")


def read_value(variable: Variable, value: object, rulesets: Iterable[Ruleset]) -> object:
    """Check one value as far as it can be checked alone, and bring it into a form that can be pickled.

    A value is wrong only where every ruleset refuses it.
    """
    if variable.kind == "unit":
        return whole_number(value, variable.name, BattleError)
    if variable.kind == "entry":
        return value
    if variable.kind == "battle" and variable.of != "sequence":
        return _keyword(variable, value)
    for ruleset in rulesets:
        try:
            return _of_side(variable, value, ruleset)
        except BattlecalcError as error:
            trouble = error
    raise type(trouble)(f"{variable.name}: {trouble}")


def _keyword(variable: Variable, value: object) -> object:
    none = None if _is_word(value, NOTHING) else value
    match variable.of:
        case "ruleset":
            return load_ruleset(value)  # type: ignore[arg-type]
        case "rounds":
            return None if none is None else whole_number(value, variable.name, BattleError, most=10**6)
        case "dice":
            return dice_words(read_dice(value))  # type: ignore[arg-type]
        case "territory":
            return number(value)
        case _:
            return none


def _of_side(variable: Variable, value: object, ruleset: Ruleset) -> object:
    if variable.of == "sequence":
        return find_sequence(ruleset, value).id
    if variable.kind == "side":
        return freeze_side(value, ruleset, variable.of)
    if variable.key == "loss_order" and _is_word(value, DEFAULT):
        value = None
    if variable.key in ("technologies", "damaged") and _is_word(value, NOTHING):
        value = ()
    if variable.key == "damaged":
        value = value or None
    if variable.key in RIGHTS:
        parse_policy(value, variable.key)  # type: ignore[arg-type]
    if variable.key == "loss_order":
        parse_loss_order(value, ruleset)  # type: ignore[arg-type]
    side = freeze_side(Side("", **{variable.key: value}), ruleset, variable.of)  # type: ignore[arg-type]
    if variable.key == "damaged" and side.damaged is not None:
        parse_force(side.damaged, ruleset)
    return getattr(side, variable.key)


def _is_word(value: object, word: str) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() == word)


def number(value: object) -> object:
    """Return a number as Python's own, anything else as it is.

    >>> import numpy as np
    >>> number(np.int64(3)), number(2.5), number("x")
    (3, 2.5, 'x')
    """
    if isinstance(value, (bool, str)):
        return value
    if hasattr(value, "__index__"):
        return value.__index__()
    return float(value) if hasattr(value, "__float__") else value


def label(variable: Variable, value: object) -> Label:
    """Return what the column of a variable shows for a value: a number, or a text on one line.

    >>> label(Variable("attacker.loss_order", "field", "attacker", "loss_order"), None)
    'default'
    >>> label(Variable("attacker.technologies", "field", "attacker", "technologies"), ("super_subs", "jets"))
    'super_subs, jets'
    """
    value = number(value)
    if isinstance(value, (bool, int, float)):
        return value
    if value is None or (isinstance(value, tuple) and not value):
        return DEFAULT if variable.key == "loss_order" else NOTHING
    if isinstance(value, Ruleset):
        return ruleset_name(value)
    if isinstance(value, Side):
        text = str(value.force) if value == Side(value.force) else repr(value)
    elif isinstance(value, Policy):
        text = value.text
    elif isinstance(value, Mapping):
        text = ", ".join(f"{name}={entry}" for name, entry in value.items())
    elif isinstance(value, tuple):
        text = ", ".join(map(str, value))
    else:
        text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    return " ".join(text.split()) or "-"


class Template:
    """A battle in which variables are set: the question of every row."""

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.given: dict[str, Any] = {"options": None, "changes": None, **battle.given()}
        self.given["ruleset"] = load_ruleset(self.given["ruleset"])

    def at(self, settings: Iterable[tuple[Variable, Any]]) -> Battle:
        """Battle with the settings applied, whatever their order; a `BattlecalcError` where it makes none."""
        given = dict(self.given)
        ordered = sorted(settings, key=lambda setting: _ORDER.index(setting[0].kind))
        for variable, value in ordered:
            if variable.kind in ("battle", "side"):
                given[variable.of] = value
            elif variable.kind == "entry":
                given[variable.of] = {**(given[variable.of] or {}), variable.key: value}
            else:
                side = given.get(variable.of) or Side("")
                if variable.kind == "unit":
                    given[variable.of] = with_units(side, given["ruleset"], {variable.key: value})
                else:
                    given[variable.of] = replace(side, **{variable.key: value})
        return Battle(**given)


_ORDER = ("battle", "entry", "side", "field", "unit")


def with_units(side: Side, ruleset: Ruleset, counts: Mapping[str, int]) -> Side:
    """Side with as many of the named units as `counts` says, and all others as they are.

    >>> with_units(Side("6 inf, 2 art"), load_ruleset("great-war"), {"art": 3, "tank": 1}).force
    '6 infantry, 3 artillery, 1 tank'
    """
    force = parse_force(side.force, ruleset)
    force |= {ruleset.unit_id(unit): count for unit, count in counts.items()}
    return replace(side, force=format_force(in_order(force, ruleset)))
