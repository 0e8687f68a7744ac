"""The contract's words for policies, as functions that the twin asks (all but the odds and ``best``)."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fractions import Fraction

from tests.naive.dice import mean
from tests.naive.forces import base, counts
from tests.naive.hits import ordinary_dice
from tests.naive.process import Policy
from tests.naive.tables import LAND, cost

COMPARE: dict[str, Callable[[Fraction, Fraction], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
}


def policy(words: str | None, ruleset: str, side: int = 0) -> Policy | None:
    """Make a function of words like ``"round >= 2 and units <= 3 or value < 10"``.

    ``ratio`` knows no technologies and takes what is aboard or adjacent as seen: land battles only.
    """
    if words in (None, "never"):
        return None
    if words == "always":
        words = "round >= 0"
    clauses = [
        [
            re.fullmatch(r"\s*(\w+)\s*(>=|<=|==|<|>)\s*([\d.]+)\s*", part).groups()
            for part in clause.split(" and ")
        ]
        for clause in words.split(" or ")
    ]

    def measure(what: str, number: int, own: dict[str, int], enemy: dict[str, int]) -> Fraction:
        here = counts(
            (name, n) for name, n in own.items() if base(name) not in ("fort", "industrial_complex")
        )
        if what == "round":
            return Fraction(number)
        if what == "units":
            return Fraction(sum(here.values()))
        if what == "land":
            return Fraction(sum(n for unit, n in here.items() if unit in LAND))
        if what == "value":
            return sum((n * Fraction(cost(ruleset, unit) or 0) for unit, n in here.items()), Fraction(0))
        assert what == "ratio", what
        mine = mean(ordinary_dice(ruleset, own, side))
        theirs = mean(ordinary_dice(ruleset, enemy, 1 - side))
        return mine / theirs if theirs else Fraction(10**9)

    def decide(number: int, own: dict[str, int], enemy: dict[str, int]) -> bool:
        return any(
            all(
                COMPARE[sign](measure(what, number, own, enemy), Fraction(limit))
                for what, sign, limit in clause
            )
            for clause in clauses
        )

    asked = [int(float(limit)) + 1 for clause in clauses for what, _, limit in clause if what == "round"]
    decide.horizon = max([0, *asked])  # type: ignore[attr-defined]
    return decide
