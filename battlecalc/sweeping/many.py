"""`odds_many`: a list or frame of battles in one call, for bots."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, cast

from battlecalc.answering import MAX_STATES
from battlecalc.battle import Battle
from battlecalc.errors import BattlecalcError, BattleError
from battlecalc.results.words import sides_words
from battlecalc.rulesets import Ruleset, load_ruleset
from battlecalc.rulesets.schema import SIDES
from battlecalc.sides import Side
from battlecalc.sweeping.rows import (
    Row,
    Way,
    columns,
    find,
    frame,
    make_way,
    means_of,
    numbers,
    numbers_of_means,
    row_seed,
)
from battlecalc.words import quote

if TYPE_CHECKING:
    import pandas as pd

    Force = str | Mapping[str, int] | Side


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
    """Odds of many battles, together where they have the same rules and orders of loss.

    Parameters
    ----------
    battles : iterable or DataFrame
        Each a `Battle`, a pair (attacker, defender), or a mapping with `attacker`, `defender` and whatever
        else `Battle` takes. Of a frame, each row is one: columns ``attacker`` and ``defender`` hold forces,
        or columns such as ``attacker.infantry`` the number of each unit.
    ruleset, sequence, **battle
        What all of them share, where they are no `Battle`.
    method, trials, precision, prune, max_states : see `odds`
    seed : int, optional
        Each simulated battle draws from a seed made of this one and of its question.

    Returns
    -------
    DataFrame
        One row a battle, in the order given: ``attacker``, ``defender`` (as text), and the columns of
        `sweep`. A battle that makes no sense has an ``error``, and the others are answered; the index is that
        of a frame.

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
    reader = _Reader(given)
    questions = list(_questions(battles))
    read = [reader.read(question) for question in questions]
    answers = _answers((one for one in read if isinstance(one, Battle)), way)
    rows = [
        answers[one] if isinstance(one, Battle) else {**_words(question), "error": str(one)}
        for question, one in zip(questions, read, strict=True)
    ]
    chained = any(isinstance(one, Battle) and one.sea_battle is not None for one in read)
    wanted = columns(SIDES, chained)
    table = frame(rows, wanted)
    return table.set_axis(cast("pd.DataFrame", battles).index) if hasattr(battles, "iloc") else table


class _Reader:
    """Reads questions into battles; those that say the same are one battle."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given
        self._pairs: dict[object, Battle | BattlecalcError] = {}

    def read(self, question: object) -> Battle | BattlecalcError:
        """Read one question; what is wrong with it instead, where it makes no sense."""
        key = _pair(question)
        if key is None:
            return self._read(question)
        if key not in self._pairs:
            self._pairs[key] = self._read(question)
        return self._pairs[key]

    def _read(self, question: object) -> Battle | BattlecalcError:
        try:
            return _battle(question, self._given)
        except BattlecalcError as error:
            return error


def _answers(battles: Iterable[Battle], way: Way) -> dict[Battle, Row]:
    """Rows of battles: together where that can be, else one by one."""
    distinct = list(dict.fromkeys(battles))
    together = means_of(distinct, way)
    answers: dict[Battle, Row] = {}
    for battle, means in zip(distinct, together, strict=True):
        words = dict(zip(SIDES, sides_words(battle), strict=True))
        try:
            if means is not None:
                row = numbers_of_means(means, battle)
            else:
                row = numbers(find(battle, way, _seed(way.seed, battle), None))
            answers[battle] = words | row
        except BattlecalcError as error:
            answers[battle] = words | {"error": str(error)}
    return answers


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
    for whole in SIDES:
        if whole in names and any(name.startswith(f"{whole}.") for name in names):
            raise BattleError(f"a frame has either a column {whole!r} or columns such as '{whole}.infantry'")
    for cells in table.itertuples(index=False, name=None):
        row: dict[str, Any] = {}
        for name, cell in zip(names, cells, strict=True):
            if _is_empty(cell):
                continue
            side, dot, unit = name.partition(".")
            if dot and side in SIDES:
                row.setdefault(side, {})[unit] = _count(cell)
            else:
                row[name] = cell
        yield row


def _is_empty(cell: object) -> bool:
    """Whether a cell holds None, NaN or what a table of whole numbers has in its place."""
    import pandas as pd

    return cell is None or cell is pd.NA or (isinstance(cell, Real) and cell != cell)


def _count(cell: Any) -> Any:
    """Return a whole number as one; what is none is the battle's to refuse."""
    return int(float(cell)) if isinstance(cell, Real) and float(cell).is_integer() else cell


def _pair(question: object) -> tuple[object, object] | None:
    """Key of a question that says no more than two forces in words."""
    if isinstance(question, Mapping) and question.keys() == set(SIDES):
        question = question["attacker"], question["defender"]
    if (
        isinstance(question, (tuple, list))
        and len(question) == 2
        and all(isinstance(f, str) for f in question)
    ):
        return question[0], question[1]
    return None


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
