"""Battle files: one battle as TOML, for ``battlecalc run`` and for anyone who keeps battles beside a game.

::

    ruleset = "great-war"
    sequence = "land"
    rounds = 3

    [attacker]
    force = "6 inf, 2 art"
    retreat = "units <= 3"

    [defender]
    force = "5 inf"

    [options]
    from_contested = true
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from battlecalc.battle import Battle
from battlecalc.errors import BattlecalcError, BattleError, nearest
from battlecalc.keywords import KEYWORDS, RUN_KEYWORDS
from battlecalc.sides import Side
from battlecalc.toml_files import read_toml, shown, toml_key, toml_value
from battlecalc.words import quote

_LARGEST = 100_000  # bytes; a battle needs a few hundred
_SIDES = ("attacker", "defender", "sea_attacker", "sea_defender")
_KEYS = ("ruleset", "sequence", "attacker", "defender", *KEYWORDS)
_SIDE_FIELDS = tuple(field.name for field in fields(Side))


def read_battle(path: str | os.PathLike[str]) -> tuple[Battle, dict[str, Any]]:
    """Read a battle file.

    Parameters
    ----------
    path : path
        A TOML file; a ruleset file that it names is looked for beside it first.

    Returns
    -------
    battle : Battle
    run : dict
        Keywords of the run that the file holds (``trials``, ``seed``, ``method`` ...), as they stand there.

    Raises
    ------
    BattlecalcError
        The text names the file and what in it is wrong.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = Path(folder.name) / "verdun.toml"
    >>> write_battle(Battle("great-war", "land", "6 inf", "5 inf"), file, {"seed": 7})
    >>> read_battle(file)
    (Battle('great-war', 'land', '6 inf', '5 inf'), {'seed': 7})
    >>> folder.cleanup()
    """
    table = read_toml(path, "battle", BattleError, shown(path), _LARGEST)
    run = {name: table.pop(name) for name in RUN_KEYWORDS if name in table}
    ruleset = table.get("ruleset")
    if isinstance(ruleset, str) and ruleset.endswith(".toml") and "\0" not in ruleset:
        beside = Path(path).parent / ruleset
        if beside.is_file():
            table["ruleset"] = str(beside)
    try:
        return battle_from_mapping(table), run
    except BattlecalcError as wrong:
        raise type(wrong)(f"{shown(path)}: {wrong}") from None


def write_battle(battle: Battle, path: str | os.PathLike[str], run: Mapping[str, Any] | None = None) -> None:
    """Write a battle file that `read_battle` reads back to an equal battle.

    Parameters
    ----------
    battle : Battle
    path : path
    run : mapping, optional
        Keywords of the run to keep with it.

    Raises
    ------
    BattleError
        Where the file cannot be written.
    """
    try:
        Path(path).write_text(battle_text(battle, run), encoding="utf-8", newline="\n")
    except (OSError, ValueError) as wrong:  # ValueError: a name that is no text
        raise BattleError(f"{shown(path)} cannot be written: {wrong}") from None


def battle_text(battle: Battle, run: Mapping[str, Any] | None = None) -> str:
    r"""Return what `write_battle` writes.

    >>> print(battle_text(Battle("great-war", "land", "6 inf", Side("5 inf", retreat="round >= 3"))))
    ruleset = "great-war"
    sequence = "land"
    <BLANKLINE>
    [attacker]
    force = "6 inf"
    <BLANKLINE>
    [defender]
    force = "5 inf"
    retreat = "round >= 3"
    <BLANKLINE>
    """
    given = battle.given()
    if os.path.exists(given["ruleset"]):
        given["ruleset"] = os.path.abspath(given["ruleset"])
    plain = {name: value for name, value in given.items() if not isinstance(value, (Side, Mapping))}
    lines = _lines({**plain, **(run or {})})
    for name, value in given.items():
        if name not in plain:
            lines += ["", f"[{name}]", *_lines(_side_table(value) if isinstance(value, Side) else value)]
    return "\n".join(lines) + "\n"


def battle_from_mapping(table: Mapping[str, Any]) -> Battle:
    """Make a battle of plain tables, as a battle file or a JSON document holds them.

    Parameters
    ----------
    table : mapping
        ``attacker``, ``defender`` and ``sequence``, and every other argument of `Battle` by its name. Sides
        are force texts or tables with the fields of `Side`. Without ``ruleset`` it is The Great War.

    Examples
    --------
    >>> battle_from_mapping({"sequence": "land", "attacker": {"force": "6 inf"}, "defender": "5 inf"})
    Battle('great-war', 'land', '6 inf', '5 inf')
    """
    for name in table:
        if name not in _KEYS:
            raise BattleError(
                f"unknown key {quote(name)}; {nearest(str(name)[:60], (*_KEYS, *RUN_KEYWORDS))}"
            )
    for name in ("sequence", "attacker", "defender"):
        if name not in table:
            raise BattleError(f"{name} is missing")
    given = {"ruleset": "great-war", **table}
    for name in _SIDES:
        if isinstance(given.get(name), Mapping):
            given[name] = _side(given[name], name)
    return Battle(**given)


def _side(table: Mapping[str, Any], name: str) -> Side:
    for field in table:
        if field not in _SIDE_FIELDS:
            raise BattleError(
                f"[{name}]: unknown key {quote(field)}; {nearest(str(field)[:60], _SIDE_FIELDS)}"
            )
    if "force" not in table:
        raise BattleError(f"[{name}]: force is missing")
    return Side(**table)


def _side_table(side: Side) -> dict[str, Any]:
    values = {field.name: (getattr(side, field.name), field.default) for field in fields(side)}
    return {name: value for name, (value, default) in values.items() if value != default}


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{toml_key(name)} = {_value(value)}" for name, value in table.items() if value is not None]


def _value(value: object) -> str:
    try:
        return toml_value(value)
    except TypeError:
        raise BattleError(f"{quote(value)} has no form in a battle file") from None
