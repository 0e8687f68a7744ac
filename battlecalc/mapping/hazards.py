"""What mines and forts on the way are expected to sink."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import comb

from battlecalc.mapping.board import View
from battlecalc.mapping.routes import Ways
from battlecalc.mapping.rules import MovementRules, Unit


@dataclass(frozen=True, slots=True)
class Hazard:
    """Mines in a zone, or forts beside a passage, that a ship's route meets."""

    kind: str
    """`"mines"` or `"forts"`."""
    at: str
    """The zone entered."""
    forts: int = 0


def on_route(view: View, ways: Ways, unit: Unit, route: tuple[str, ...]) -> tuple[Hazard, ...]:
    """Hazards of a ship's route in the order they are met."""
    if unit.domain != "sea":
        return ()
    found = []
    for start, end in pairwise(route):
        forts = 0 if "dives" in unit.tags else ways.forts_beside(start, end)
        if forts:
            found.append(Hazard("forts", f"{start} - {end}", forts))
        if ways.mined(end):
            found.append(Hazard("mines", end))
    return tuple(found)


def at_least(hits: int, dice: int, chance: float) -> float:
    """Chance of so many hits or more.

    >>> round(at_least(1, 2, 0.5), 4)
    0.75
    """
    return sum(comb(dice, k) * chance**k * (1 - chance) ** (dice - k) for k in range(hits, dice + 1))


def expected_losses(
    rules: MovementRules, moves: Iterable[tuple[str, int, tuple[Hazard, ...]]]
) -> dict[str, float]:
    """Mean losses of ships on the way, by unit.

    Parameters
    ----------
    rules : MovementRules
        The game's rules.
    moves : iterable of (unit, count, hazards)
        Ships that go together, with what they meet.

    Notes
    -----
    Each mined zone rolls one die a ship, and the ship bears its own hits. A fort's hits fall on the ships
    that pass it together: harmless ones first, then the cheapest ship. The chances to get through are
    multiplied: one ship is lost once, however much it meets.
    """
    moves = list(moves)
    passing: dict[tuple[str, int], dict[str, int]] = {}
    for unit, count, hazards in moves:
        for hazard in hazards:
            if hazard.kind == "forts":
                fleet = passing.setdefault((hazard.at, hazard.forts), {})
                fleet[unit] = fleet.get(unit, 0) + count
    sunk = {where: _under_fire(rules, fleet, where[1]) for where, fleet in passing.items()}
    lost: dict[str, float] = {}
    for unit, count, hazards in moves:
        mined = sum(hazard.kind == "mines" for hazard in hazards)
        through = 1 - at_least(rules.units[unit].hits, mined, rules.mine_value / rules.sides)
        for hazard in hazards:
            if hazard.kind == "forts":
                where = (hazard.at, hazard.forts)
                through *= 1 - sunk[where][unit] / passing[where][unit]
        lost[unit] = lost.get(unit, 0.0) + count * (1 - through)
    return {unit: mean for unit, mean in lost.items() if mean > 0}


def _under_fire(rules: MovementRules, fleet: Mapping[str, int], forts: int) -> dict[str, float]:
    """Mean losses of a fleet that passes forts together."""
    dice, chance = rules.fort_dice * forts, rules.fort_value / rules.sides
    hits = sum((rules.units[unit].hits - 1) * count for unit, count in fleet.items())
    lost = {}
    for unit in sorted(fleet, key=lambda name: (rules.units[name].cost, name)):
        lost[unit] = sum(
            at_least(hits + k, dice, chance) for k in range(1, fleet[unit] + 1) if hits + k <= dice
        )
        hits += fleet[unit]
    return lost
