"""`odds_many`: a list or frame of battles in one call, for bots."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from battlecalc.answering import MAX_STATES
from battlecalc.battle import Battle
from battlecalc.errors import BattlecalcError, BattleError
from battlecalc.results.words import sides_words
from battlecalc.rulesets import Ruleset, load_ruleset
from battlecalc.sides import Side
from battlecalc.sweeping.rows import Row, find, frame, make_way, numbers, row_seed
from battlecalc.sweeping.rows import columns as columns_of
from battlecalc.words import quote

if TYPE_CHECKING:
    import pandas as pd

    Force = str | Mapping[str, int] | Side

SIDES = ("attacker", "defender")


def odds_many(
    battles: Iterable[Battle | tuple[Force, Force] | Mapping[str, Any]] | pd.DataFrame,
    ruleset: str | os.PathLike[str] | Ruleset | None = None,
    sequence: str | None = None,
    *,
    method: str = "auto",
    trials: int | None = None,
    precision: float | None = None,
    seed: int | None = None,
    prune: float = 0.0,
    max_states: int = MAX_STATES,
    **battle: Any,
) -> pd.DataFrame:
    """Odds of many battles, equal ones worked out once.

    Parameters
    ----------
    battles : iterable or DataFrame
        Each a `Battle`, a pair (attacker, defender), or a mapping with `attacker`, `defender` and
        whatever else `Battle` takes. Of a frame, each row is one: columns ``attacker`` and ``defender``
        hold forces, or columns such as ``attacker.infantry`` the number of each unit.
    ruleset, sequence, **battle
        What all of them share, where they are no `Battle`.
    method, trials, precision, prune, max_states : see `odds`
    seed : int, optional
        Each simulated battle draws from a seed made of this one and of its question.

    Returns
    -------
    DataFrame
        One row a battle, in the order given: ``attacker``, ``defender`` (as text), and the columns of
        `sweep`. A battle that makes no sense has an ``error``, and the others are answered; the index is
        that of a frame.

    Examples
    --------
    >>> table = odds_many([("3 inf", "2 inf"), ("3 inf, 1 art", "2 inf")], "aa-1942", "land")
    >>> table[["attacker", "defender", "attacker_wins"]].round(4)
                      attacker    defender  attacker_wins
    0               3 infantry  2 infantry         0.5167
    1  3 infantry, 1 artillery  2 infantry         0.9309
    """
    way = make_way(method, trials, precision, seed, prune, max_states)
    shared = {"ruleset": None if ruleset is None else load_ruleset(ruleset), "sequence": sequence, **battle}
    given = {name: value for name, value in shared.items() if value is not None}
    rows: list[Row] = []
    known: dict[object, Row] = {}
    chained = False
    for question in _questions(battles):
        try:
            one = _battle(question, given)
            chained = chained or one.sea_battle is not None
            row = known.get(one.key)
            if row is None:
                words = dict(zip(SIDES, sides_words(one), strict=True))
                row = known[one.key] = {**words, **numbers(find(one, way, _seed(way.seed, one), None))}
        except BattlecalcError as error:
            row = {**_words(question), "error": str(error)}
        rows.append(row)
    table = frame(rows, columns_of(SIDES, chained))
    return table.set_axis(cast("pd.DataFrame", battles).index) if hasattr(battles, "iloc") else table


def _seed(seed: int, battle: Battle) -> int:
    return row_seed(seed, ["battle"], [repr(battle)])


def _questions(battles: object) -> Iterator[object]:
    if hasattr(battles, "iloc"):
        yield from _of_frame(battles)
        return
    if isinstance(battles, (str, Battle, Mapping)) or not isinstance(battles, Iterable):
        raise BattleError(f"odds_many takes a list or frame of battles, not {quote(battles)}")
    yield from battles


def _of_frame(table: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame as arguments of `Battle`; empty cells are left out."""
    names = [str(name) for name in table.columns]
    for cells in table.itertuples(index=False, name=None):
        row: dict[str, Any] = {}
        for name, cell in zip(names, cells, strict=True):
            if cell is None or cell != cell:
                continue
            side, dot, unit = name.partition(".")
            if dot and side in SIDES:
                row.setdefault(side, {})[unit] = int(cell) if float(cell).is_integer() else cell
            else:
                row[name] = cell
        yield row


def _battle(question: object, shared: Mapping[str, Any]) -> Battle:
    if isinstance(question, Battle):
        return question
    if isinstance(question, Mapping):
        asked = {**shared, **question}
    elif isinstance(question, (tuple, list)) and len(question) == 2:
        asked = {**shared, "attacker": question[0], "defender": question[1]}
    else:
        raise BattleError(f"a battle is a Battle, a pair of forces or a mapping, not {quote(question)}")
    missing = [name for name in ("ruleset", "sequence", *SIDES) if name not in asked]
    if missing:
        raise BattleError(f"a battle needs {missing[0]}")
    try:
        return Battle(**asked)
    except TypeError as error:
        raise BattleError(str(error).replace("Battle.__init__() got an ", "")) from None


def _words(question: object) -> dict[str, str]:
    """Sides of a question that is no battle, as text."""
    if isinstance(question, (tuple, list)) and len(question) == 2:
        question = dict(zip(SIDES, question, strict=True))
    if not isinstance(question, Mapping):
        return {}
    return {name: str(question[name]) for name in SIDES if name in question}
