"""Bridge between the naive twin and the library: one neutral call, two answers in the same form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import battlecalc as bc
from tests import naive

Table = dict[tuple[str, tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]], float]

RIGHTS = ("retreat", "contest", "air_retreat", "submerge")


def words(order: Any) -> list[str] | None:
    """Put an order of loss of the twin in the library's words."""
    if order is None:
        return None
    return [entry if isinstance(entry, str) else f"{entry[1]} {entry[0]}" for entry in order]


def policies_of(call: Mapping[str, Any], side: int, where: str = "") -> dict[str, str]:
    """Policies of one side, on land or (``"sea_"``) in the sea battle before."""
    found = {}
    for right in RIGHTS:
        pair = call.get(where + right, (None, None))
        if right == "contest" and not isinstance(pair, tuple):
            pair = (pair, None)
        if pair[side]:
            found[right] = pair[side]
    return found


def as_battle(call: Mapping[str, Any]) -> bc.Battle:
    """Make the library's battle for a neutral call; policies are words (attacker's, defender's)."""
    sides = []
    for n, name in enumerate(("attacker", "defender")):
        sides.append(
            bc.Side(
                call[name],
                technologies=call.get("technologies", ((), ()))[n],
                loss_order=words(call.get("loss_order", (None, None))[n]),
                keep_land=call.get("keep_land", (0, 0))[n],
                damaged=call.get("damaged", ({}, {}))[n] or None,
                **policies_of(call, n),
            )
        )
    keywords: dict[str, Any] = {}
    if call.get("overland"):
        keywords["overland"] = call["overland"]
    if call.get("sea_defender") is not None:
        orders = call.get("sea_loss_order", (None, None))
        for n, name in enumerate(("sea_attacker", "sea_defender")):
            at_sea = {"loss_order": words(orders[n]), **policies_of(call, n, "sea_")}
            keywords[name] = bc.Side(call.get(name) or {}, **at_sea)
    return bc.Battle(
        call["ruleset"],
        call["sequence"],
        *sides,
        rounds=call.get("rounds"),
        dice=call.get("dice", "standard"),
        options=call.get("options") or None,
        **keywords,
    )


def twin_table(call: Mapping[str, Any]) -> tuple[Table, Any]:
    """Return the twin's end states, as floats, and its whole result."""
    arguments = dict(call)
    ruleset = arguments.pop("ruleset")
    for right in ("retreat", "air_retreat", "submerge", "sea_retreat", "sea_submerge"):
        if right in arguments:
            arguments[right] = tuple(
                naive.policy(one, ruleset, side) for side, one in enumerate(arguments[right])
            )
    for right in ("contest", "sea_contest"):
        if right in arguments:
            arguments[right] = naive.policy(arguments[right], ruleset)
    result = naive.battle(
        ruleset, arguments.pop("sequence"), arguments.pop("attacker"), arguments.pop("defender"), **arguments
    )
    return {key: float(p) for key, p in result.items() if p}, result


def table_of(odds: bc.Odds) -> Table:
    """Return the library's end states in the twin's form."""
    table: Table = {}
    frame = odds.outcome_table()
    columns = list(frame.columns)
    for row in frame.itertuples(index=False):
        sides: dict[str, list[tuple[str, int]]] = {"attacker": [], "defender": []}
        for name, value in zip(columns, row, strict=True):
            side, dot, unit = name.partition(".")
            if dot and value:
                sides[side].append((unit, int(value)))
        key = (
            row[columns.index("outcome")],
            tuple(sorted(sides["attacker"])),
            tuple(sorted(sides["defender"])),
        )
        table[key] = table.get(key, 0.0) + float(row[columns.index("probability")])
    return {key: p for key, p in table.items() if p > 0}


def difference(one: Table, other: Table) -> float:
    """Return the largest difference of any end state's probability."""
    return max(
        (abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in one.keys() | other.keys()), default=0.0
    )
