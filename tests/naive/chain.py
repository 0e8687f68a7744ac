"""A naval battle first, then the landing with what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.naive.forces import Frozen, base, counts, freeze, merge, only
from tests.naive.process import Chances, End
from tests.naive.tables import AIR, FOOT, LAND, SHIPS, cost

Load = tuple[str, ...]
# (land units and planes, ships, transports that carry infantry types) -> ends of the landing
Landing = Callable[[Frozen, Frozen, int | None], Chances]


def loads(ruleset: str, cargo: Mapping[str, int], transports: int) -> list[Load]:
    """Spread the cargo over the transports, the dearest first; the first load listed sinks last."""
    units = sorted(cargo, key=lambda unit: (-(cost(ruleset, unit) or 0), unit))
    dearest = [unit for unit in units for _ in range(cargo[unit])]
    holds: list[list[str]] = [[] for _ in range(transports)]
    dearest.sort(key=lambda unit: unit in FOOT)  # stable: what needs a transport of its own, or the big place
    for unit in dearest:
        free = [hold for hold in holds if has_room(ruleset, hold, unit)]
        assert free, "too much cargo"
        min(free, key=len).append(unit)

    def worth(hold: list[str]) -> tuple[bool, float, list[str]]:
        return (bool(hold), sum(cost(ruleset, unit) or 0 for unit in hold), hold)

    return [tuple(hold) for hold in sorted(holds, key=worth, reverse=True)]


def has_room(ruleset: str, hold: list[str], unit: str) -> bool:
    """Find room: 2 infantry types or 1 other in The Great War, any 2 in 1914, else 1 infantry and 1 any."""
    if ruleset == "great-war":
        return not hold or (len(hold) == 1 and unit in FOOT and hold[0] in FOOT)
    if ruleset == "aa-1914":
        return len(hold) < 2
    return not hold or (len(hold) == 1 and "infantry" in (unit, hold[0]))


def chained(
    ruleset: str,
    attacker: Frozen,
    overland: Frozen,
    defender: Frozen,
    sea_ends: Chances,
    own_transports: int,
    all_transports: int,
    landing: Landing,
) -> tuple[Chances, Any]:
    """Find the ends of the whole, and the chance that the landing goes ahead."""
    cargo = only(attacker, lambda name: name in LAND)
    planes = only(attacker, lambda name: name in AIR)
    ashore = own_transports == 0  # without a transport a force is taken as landed
    formed = [] if ashore else loads(ruleset, dict(cargo), own_transports)
    ends: Chances = {}
    goes_ahead: Any = 0
    known: dict[tuple[Frozen, Frozen, int | None], Chances] = {}
    for sea, p in sea_ends.items():
        sunk = all_transports - counts(sea.attacker).get("transport", 0)
        sunk -= all_transports - own_transports  # empty ones of the escort are lost first
        floating = formed[: len(formed) - max(0, sunk)]
        left = cargo if ashore else freeze(counts((unit, 1) for load in floating for unit in load))
        ships = only(sea.attacker, lambda name: base(name) in SHIPS)
        sea_planes = only(sea.attacker, lambda name: base(name) in AIR)
        force = merge(left, planes)
        fighting = planes + overland + only(left, lambda name: name in FOOT or ruleset != "great-war")
        held = sea.outcome in ("attacker_wins", "defender_retreats", "stalemate")
        if not held or not fighting:
            outcome = "defender_wins" if held else sea.outcome
            end = End(outcome, merge(force, overland, sea.attacker), merge(defender, sea.defender))
            ends[end] = ends.get(end, 0) + p
            continue
        goes_ahead += p
        carrying = None if ashore else sum(1 for load in floating if load[:1] and load[0] in FOOT)
        key = (force, ships, carrying)
        if key not in known:
            known[key] = landing(*key)
        for end, chance in known[key].items():
            whole = end._replace(
                attacker=merge(end.attacker, sea_planes), defender=merge(end.defender, sea.defender)
            )
            ends[whole] = ends.get(whole, 0) + p * chance
    return ends, goes_ahead
