"""The twin's front door: `battle`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.naive import axis_land, axis_sea, great_war, great_war_sea
from tests.naive.forces import Frozen
from tests.naive.process import Chances, Policy, Question, State
from tests.naive.setup import Force, Order, modes, prepare

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
        self.captures: Any = 0
        self.captured: dict[str, Any] = {}
        self.landing: Any = None
        for end, p in ends.items():
            key = (end.outcome, end.attacker, end.defender)
            self[key] = self.get(key, 0) + p
            self.captures += p * end.captures
            for name, n in end.captured:
                self.captured[name] = self.captured.get(name, 0) + p * n

    def outcomes(self) -> dict[str, Any]:
        """Chance of every outcome."""
        return {name: sum(p for key, p in self.items() if key[0] == name) for name in OUTCOMES}

    def expected(self, side: int, name: str | None = None, outcome: str | None = None) -> Any:
        """Mean number of a side's survivors: of one name or of all, in one outcome or in all."""
        return sum(
            p * n
            for key, p in self.items()
            if outcome in (None, key[0])
            for unit, n in key[1 + side]
            if name in (None, unit)
        )

    def chance(self, wanted: Any) -> Any:
        """Chance that wanted(outcome, attacker's survivors, defender's survivors) holds."""
        return sum(p for (outcome, a, d), p in self.items() if wanted(outcome, dict(a), dict(d)))


def play(q: Question, start: State) -> Chances:
    """Ends of one battle."""
    if q.ruleset == "great-war":
        sequences = {"land": great_war.land, "invasion": great_war.invasion, "naval": great_war_sea.naval}
    else:
        sequences = {"land": axis_land.land, "invasion": axis_land.land, "naval": axis_sea.naval}
    return sequences[q.sequence](q, start)


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
    exact: bool = True,
) -> Result:
    """Exact odds of one battle."""
    q, start = prepare(
        ruleset,
        sequence,
        (attacker, defender),
        loss_order,
        keep_land,
        damaged,
        overland or {},
        technologies=(frozenset(technologies[0]), frozenset(technologies[1])),
        options=options or {},
        retreat=retreat,
        contest=contest,
        air_retreat=air_retreat,
        submerge=submerge,
        rounds=rounds,
        dice=modes(dice),
        one=Fraction(1) if exact else 1.0,
    )
    return Result(play(q, start))
