"""The twin's front door: `battle`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.naive import axis_land, axis_sea, great_war, great_war_sea
from tests.naive.chain import chained
from tests.naive.forces import Frozen, freeze, merge
from tests.naive.process import Chances, Policy, Question, Sequence, State, play
from tests.naive.questions import Force, Order, hurt, modes, prepare
from tests.naive.tables import SHIPS

OUTCOMES = (
    "attacker_wins",
    "defender_wins",
    "mutual_destruction",
    "attacker_retreats",
    "defender_retreats",
    "contested",
    "stalemate",
    "unresolved",
)
Pair = tuple[Policy | None, Policy | None]


class Result(dict[tuple[str, Frozen, Frozen], Any]):
    """Chances of (outcome, attacker's survivors, defender's survivors), with captures beside them."""

    def __init__(self, ends: Chances) -> None:
        super().__init__()
        self.captures: Any = 0  # chance that the attacker wins with a unit that can hold the territory
        self.captured: dict[str, Any] = {}
        self.landing: Any = None
        self.ends = ends
        for end, p in ends.items():
            key = (end.outcome, end.attacker, end.defender)
            self[key] = self.get(key, 0) + p
            self.captures += p * end.captures
            for name, n in end.captured:
                self.captured[name] = self.captured.get(name, 0) + p * n

    def outcomes(self) -> dict[str, Any]:
        """Chance of every outcome."""
        return {name: sum(p for key, p in self.items() if key[0] == name) for name in OUTCOMES}

    def expected(self, side: int, name: str | None = None) -> Any:
        """Mean number of a side's survivors, of one name or of all."""
        return sum(p * n for key, p in self.items() for unit, n in key[1 + side] if name in (None, unit))

    def chance(self, wanted: Any) -> Any:
        """Chance that wanted(outcome, attacker's survivors, defender's survivors) holds."""
        return sum(p for (outcome, a, d), p in self.items() if wanted(outcome, dict(a), dict(d)))


def rules(q: Question) -> Sequence:
    """Pick the steps of the battle asked for."""
    if q.ruleset == "great-war":
        land, invasion, naval = great_war.LAND_BATTLE, great_war.INVASION, great_war_sea.NAVAL_BATTLE
    else:
        land, invasion, naval = axis_land.LAND_BATTLE, axis_land.LAND_BATTLE, axis_sea.NAVAL_BATTLE
    return {"land": land, "invasion": invasion, "naval": naval}[q.sequence]


def ends_of(q: Question, start: State) -> Chances:
    """Play one battle to its ends."""
    return play(q, start, rules(q))


def battle(
    ruleset: str,
    sequence: str,
    attacker: Force,
    defender: Force,
    *,
    loss_order: tuple[Order, Order] = (None, None),
    technologies: tuple[Any, Any] = ((), ()),
    options: Mapping[str, Any] | None = None,
    retreat: Pair = (None, None),
    contest: Policy | None = None,
    air_retreat: Pair = (None, None),
    submerge: Pair = (None, None),
    rounds: int | None = None,
    keep_land: tuple[int, int] = (0, 0),
    damaged: tuple[Force, Force] = ({}, {}),
    dice: str | Mapping[str, str] = "standard",
    overland: Force | None = None,
    sea_attacker: Force | None = None,
    sea_defender: Force | None = None,
    sea_loss_order: tuple[Order, Order] = (None, None),
    sea_retreat: Pair = (None, None),
    sea_contest: Policy | None = None,
    sea_submerge: Pair = (None, None),
    exact: bool = True,
) -> Result:
    """Exact odds of one battle.

    `attacker`, `defender` and the like map unit names to counts; pairs are (attacker's, defender's).
    Loss orders are lists of names or (name, count), ``"battleship*"`` for harmless hits. A policy is a
    function (round, own force, enemy's force) -> bool or None for never; it must not change its mind
    after its attribute `horizon` (default 8) of rounds. `exact=False` calculates in floats.
    """
    everywhere: dict[str, Any] = {
        "technologies": (frozenset(technologies[0]), frozenset(technologies[1])),
        "dice": modes(dice),
        "one": Fraction(1) if exact else 1.0,
    }
    here: dict[str, Any] = {
        "retreat": retreat,
        "contest": contest,
        "air_retreat": air_retreat,
        "submerge": submerge,
        "rounds": rounds,
    }
    switches = dict(options or {})
    if not sea_defender:
        forces = (attacker, defender)
        asked = {**everywhere, **here, "options": switches}
        return Result(
            ends_of(*prepare(ruleset, sequence, forces, loss_order, keep_land, damaged, overland, **asked))
        )

    ships = {unit: n for unit, n in attacker.items() if unit in SHIPS}
    fleet = dict(merge(ships.items(), (sea_attacker or {}).items()))
    hurt_ships = {unit: n for unit, n in damaged[0].items() if unit in SHIPS}
    order_at_sea = [*(loss_order[0] or ()), *(sea_loss_order[0] or ())]
    sea_ends = ends_of(
        *prepare(
            ruleset,
            "naval",
            (fleet, sea_defender),
            (order_at_sea, sea_loss_order[1]),
            (0, 0),
            (hurt_ships, {}),
            retreat=sea_retreat,
            contest=sea_contest,
            submerge=sea_submerge,
            options=switches,
            **everywhere,
        )
    )

    def landing(force: Frozen, ships_left: Frozen, carrying: int | None) -> Chances:
        asked = {**everywhere, **here, "options": {**switches, "sea battle fought": True}}
        q, start = prepare(
            ruleset,
            "invasion",
            (dict(force), defender),
            loss_order,
            keep_land,
            ({}, damaged[1]),
            overland,
            **asked,
        )
        q.transports = carrying
        q.apart = (merge(ships_left, q.apart[0]), q.apart[1])
        q.ships = ships_left if ruleset == "great-war" else ()  # there ships that fought still bombard
        return ends_of(q, start)

    ends, goes_ahead = chained(
        ruleset,
        freeze(attacker),
        freeze(overland or {}),
        hurt(ruleset, 1, defender, damaged[1]),
        sea_ends,
        ships.get("transport", 0),
        fleet.get("transport", 0),
        landing,
    )
    result = Result(ends)
    result.landing = goes_ahead
    return result


def rounds_fought(
    most: int, ruleset: str, sequence: str, attacker: Force, defender: Force, **asked: Any
) -> list[Any]:
    """Chances that a battle takes 0, 1, ... `most` rounds, and more: what is unresolved after so many.

    Not for battles with submerging, which may end between two rounds.
    """
    going_on = [
        battle(ruleset, sequence, attacker, defender, rounds=n, **asked).outcomes()["unresolved"]
        for n in range(most + 1)
    ]
    return [before - after for before, after in zip([1, *going_on], [*going_on, 0], strict=True)]
