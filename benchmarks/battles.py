"""Battles that are measured: the six reference battles, many small ones, forces of growing size."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import battlecalc as bc

_SIX = json.loads(
    (Path(__file__).parent.parent / "tests" / "data" / "battles.json").read_text(encoding="utf-8")
)
NAMES = tuple(_SIX["battles"])
LAND = ("a_small_land", "b_large_land", "e_huge_land")
WINS = {name: asked["attacker_wins"] for name, asked in _SIX["battles"].items()}
RULESET = "aa-1942-2e"


@cache
def question(name: str) -> tuple[str, str, bc.Side, bc.Side]:
    """Arguments of one reference battle."""
    asked, orders = _SIX["battles"][name], _SIX["loss_orders"]
    at_sea = asked["sequence"] == "naval"
    forces = [
        ", ".join(f"{n} {unit}" for unit, n in asked[side].items()) for side in ("attacker", "defender")
    ]
    sides = [
        bc.Side(force, loss_order=orders["sea" if at_sea else f"land_{order}"])
        for force, order in zip(forces, ("attack", "defence"), strict=True)
    ]
    return RULESET, asked["sequence"], sides[0], sides[1]


def counts(name: str, side: str) -> dict[str, int]:
    """Units of one side of a reference battle, in its order of loss."""
    asked = _SIX["battles"][name][side]
    order = _SIX["loss_orders"]["land_attack" if side == "attacker" else "land_defence"]
    return {unit: asked.get(unit, 0) for unit in order}


@cache
def small_battles(count: int = 1000) -> tuple[tuple[str, str, str, str], ...]:
    """Different land battles of six units a side, as a bot asks for them."""
    rng = Random(1942)
    units = ("infantry", "artillery", "tank", "fighter", "bomber")

    def force() -> str:
        chosen = [rng.choice(units) for _ in range(6)]
        return ", ".join(f"{chosen.count(unit)} {unit}" for unit in units if unit in chosen)

    battles: dict[tuple[str, str], None] = {}
    while len(battles) < count:
        battles[force(), force()] = None
    return tuple(("aa-1942", "land", attacker, defender) for attacker, defender in islice(battles, count))


def grown(sequence: str, units: int) -> tuple[str, str, str, str]:
    """Ask for a battle of so many units a side, always in the same proportions."""
    shares: dict[str, dict[str, float]] = {
        "land": {"infantry": 0.6, "artillery": 0.2, "tank": 0.1, "fighter": 0.1},
        "naval": {"submarine": 0.3, "destroyer": 0.3, "fighter": 0.2, "cruiser": 0.1, "battleship": 0.1},
    }
    numbers = {unit: round(share * units) for unit, share in shares[sequence].items()}
    force = ", ".join(f"{n} {unit}" for unit, n in numbers.items() if n)
    return RULESET, sequence, force, force


def forget() -> None:
    """Drop what earlier battles left behind, but not what only depends on the ruleset."""
    from battlecalc import assumed, sides
    from battlecalc.program import asking, build, side

    caches: tuple[Any, ...] = (
        sides.read_side,
        assumed.assumed_in,
        build.make_program,
        asking.sides_of,
        side.make_side,
        side.cached_pieces,
    )
    for cached in caches:
        cached.cache_clear()
