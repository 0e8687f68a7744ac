"""What a unit or a force is worth: one unit more, and profit for the money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from battlecalc import run
from battlecalc.battle import Battle
from battlecalc.errors import BattlecalcError, BattleError
from battlecalc.sides import side_name
from battlecalc.sweeping.judging import Goal, make_goal
from battlecalc.sweeping.limits import limit_ranges, side_cost, unit_cost
from battlecalc.sweeping.runner import sweep
from battlecalc.sweeping.variables import with_units
from battlecalc.words import quote

if TYPE_CHECKING:
    import pandas as pd

    from battlecalc.results import Odds

_EVEN = 0.5  # the goal's chance does not matter here


def additions(battle: Battle, side: str = "attacker", what: str = "win", **how: Any) -> pd.DataFrame:
    """Tell what one unit more does for a side, the best one first.

    Parameters
    ----------
    battle : Battle
    side : {"attacker", "defender"}
    what : {"win", "capture", "hold"}
        What the chance is of (see `require`).
    **how
        `method`, `trials`, `seed` ... of `odds`.

    Returns
    -------
    DataFrame
        One row for each unit that the side could add: ``unit``, ``cost``; ``chance`` with it, and
        ``more`` than without it; ``more_per_ipc``; ``profit``: by how much it raises the side's expected
        gain (enemy's value destroyed less own value lost, and the territory where it is held);
        ``profit_per_ipc``.

    Examples
    --------
    >>> battle = Battle("aa-1942-2e", "land", "4 inf, 1 art", "4 inf, 1 fighter")
    >>> additions(battle)[["unit", "cost", "chance", "more"]].round(3)
            unit  cost  chance   more
    0     bomber  12.0   0.613  0.462
    1       tank   6.0   0.512  0.362
    2    fighter  10.0   0.512  0.362
    3  artillery   4.0   0.467  0.316
    4   infantry   3.0   0.322  0.171
    """
    import pandas as pd

    goal = make_goal(side_name(side), what, _EVEN, battle)
    before = run.odds(battle, **how)
    given = battle.given()[side]
    rows = []
    for unit in battle.ruleset.units:
        count = dict(battle.attacker.counts if side == "attacker" else battle.defender.counts).get(unit, 0)
        try:
            larger = battle.replace(**{side: with_units(given, battle.ruleset, {unit: count + 1})})
        except BattlecalcError:  # a unit that cannot be in this battle
            continue
        after, cost = run.odds(larger, **how), unit_cost(battle, goal.side, unit)
        more = _chance(goal, after) - _chance(goal, before)
        profit = after.expected_gain(side) - before.expected_gain(side)
        rows.append(
            {
                "unit": unit,
                "cost": cost,
                "chance": _chance(goal, after),
                "more": more,
                "more_per_ipc": more / cost if cost else None,
                "profit": profit,
                "profit_per_ipc": profit / cost if cost else None,
            }
        )
    columns = ["unit", "cost", "chance", "more", "more_per_ipc", "profit", "profit_per_ipc"]
    table = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[1:], float))
    return table.sort_values("chance", ascending=False, kind="stable", ignore_index=True)


def most_profit(
    battle: Battle,
    limits: Mapping[str, Any],
    side: str = "attacker",
    odds: float | None = None,
    what: str = "win",
    **how: Any,
) -> pd.DataFrame:
    """Rank forces within limits by what they bring in for their money.

    Parameters
    ----------
    battle : Battle
        The other side, and whatever of this one the limits do not name.
    limits : mapping of str to range, (least, most) or most
        How many there may be of each unit.
    side : {"attacker", "defender"}
    odds : float, optional
        Leave out forces with a smaller chance of `what`.
    what : {"win", "capture", "hold"}
        See `require`.
    **how
        `method`, `trials`, `seed`, `executor`, `progress` ... of `sweep`.

    Returns
    -------
    DataFrame
        One row a force: a column a unit, ``cost`` (of all that the side fields), ``chance``, ``profit``
        (expected gain: enemy's value destroyed less own value lost, and the territory where it is held)
        and ``profit_per_ipc``.

    Examples
    --------
    >>> battle = Battle("aa-1942-2e", "land", "1 inf", "2 inf", territory=2)
    >>> most_profit(battle, {"inf": 6, "fighter": 2}, odds=0.5).head(3).round(2)
       infantry  fighter  cost  chance  profit  profit_per_ipc
    0         6        0  18.0    0.97    3.58            0.20
    1         4        1  22.0    0.99    4.30            0.20
    2         5        1  25.0    1.00    4.75            0.19
    """
    goal = make_goal(side_name(side), what, _EVEN if odds is None else odds, battle)
    ranges = limit_ranges(battle.ruleset, goal.side, None, limits)
    table = sweep(battle, {f"{side}.{unit}": counts for unit, counts in ranges.items()}, **how)
    table = table[table["error"].isna()].rename(columns={f"{side}.{unit}": unit for unit in ranges})
    given = battle.given()[side]
    costs = []
    for counts in table[list(ranges)].itertuples(index=False):
        force = with_units(given, battle.ruleset, dict(zip(ranges, map(int, counts), strict=True)))
        cost = side_cost(battle.replace(**{side: force}), goal.side)
        if cost is None:
            raise BattleError(f"a unit of {quote(force.force)} has no cost, so there is no profit per IPC")
        costs.append(float(cost))
    table["cost"] = costs
    chances = table[["attacker_wins", "defender_wins", "captures"]].itertuples(index=False, name=None)
    table["chance"] = [goal.chance(*three) for three in chances]
    gain = table["expected_gain"]
    table["profit"] = gain if side == "attacker" else battle.territory - gain
    table["profit_per_ipc"] = table["profit"] / table["cost"]
    if odds is not None:
        table = table[table["chance"] >= odds]
    table = table.sort_values("profit_per_ipc", ascending=False, kind="stable", ignore_index=True)
    return table[[*ranges, "cost", "chance", "profit", "profit_per_ipc"]]


def _chance(goal: Goal, odds: Odds) -> float:
    outcomes = odds.outcomes
    return goal.chance(outcomes["attacker_wins"], outcomes["defender_wins"], odds.captures)
