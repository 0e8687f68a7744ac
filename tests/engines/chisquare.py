"""Simulated counts against exact chances: Pearson's statistic over whole tables of end states."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import sqrt

import battlecalc as bc
from battlecalc.endings import Endings

# Normal quantile of 1 - 1e-6: with a fixed seed nothing flickers, and a wrong table is off by far more.
RARE = 4.753


def threshold(degrees: int) -> float:
    """Value that Pearson's statistic exceeds once in a million times (Wilson and Hilferty's cube)."""
    spread = 2 / (9 * degrees)
    return float(degrees * (1 - spread + RARE * sqrt(spread)) ** 3)


def statistic(counts: Mapping[Hashable, int], chances: Mapping[Hashable, float]) -> tuple[float, int]:
    """Pearson's statistic and its degrees of freedom; cells that are expected less than 5 times are one."""
    trials = sum(counts.values())
    rare_count, rare_chance, total, used = 0, 0.0, 0.0, 0
    for cell, chance in chances.items():
        expected, count = chance * trials, counts.get(cell, 0)
        if expected < 5:
            rare_count, rare_chance = rare_count + count, rare_chance + expected
        else:
            total += (count - expected) ** 2 / expected
            used += 1
    if rare_chance >= 5:
        total += (rare_count - rare_chance) ** 2 / rare_chance
        used += 1
    else:  # too few for a term of the sum: their number alone must be believable
        assert rare_count <= rare_chance + RARE * sqrt(rare_chance) + RARE, (rare_count, rare_chance)
    return total, max(used - 1, 0)


def cells_of(odds: bc.Odds) -> dict[Hashable, float]:
    """Weights of the end states of a battle that is no chain, by outcome and states of both sides."""
    ((part,),) = (component.parts for component in odds.components)
    return weights(part)


def weights(part: Endings) -> dict[Hashable, float]:
    """Weights of end states by outcome and states of both sides."""
    cells: dict[Hashable, float] = {}
    keys = zip(part.outcome.tolist(), part.attacker_state.tolist(), part.defender_state.tolist(), strict=True)
    for key, weight in zip(keys, part.weight.tolist(), strict=True):
        cells[key] = cells.get(key, 0) + weight
    return cells


def assert_same(simulated: bc.Odds, exact: bc.Odds) -> None:
    """Fail where the simulation's table cannot come from the exact one."""
    counts, chances = cells_of(simulated), cells_of(exact)
    impossible = counts.keys() - chances.keys()
    assert not impossible, f"counted, but exactly never reached: {sorted(impossible)[:5]}"
    total, degrees = statistic(counts, chances)
    assert total <= (threshold(degrees) if degrees else 1e-6), (total, degrees)
