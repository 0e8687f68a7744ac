"""Who is lost first, and which hits may fall on whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from tests.naive.forces import OVERLAND, Frozen, base, freeze, hits_left, named
from tests.naive.tables import AIR, LAND, V3, cost, value

TargetTest = Callable[[str], bool]

TARGETS: dict[str, TargetTest] = {
    "any": lambda unit: True,
    "air": lambda unit: unit in AIR,
    "land": lambda unit: unit in LAND,
    "ships": lambda unit: unit not in AIR,  # submarine fire
    "no submarines": lambda unit: unit != "submarine",  # planes without a destroyer
    "surface": lambda unit: unit not in AIR and unit != "submarine",  # pass-through fire
}


def may_hit(targets: str, unit: str) -> bool:
    """Whether fire at these targets may fall on this unit type."""
    if targets.startswith("only "):
        return unit == targets.removeprefix("only ")
    return TARGETS[targets](unit)


class Wound(NamedTuple):
    """One hit that a side can take: a harmless one or the last one of a unit."""

    unit: str
    harmless: bool


def fires_at(ruleset: str, sequence: str, side: int, unit: str) -> int:
    """Step of the round in which a unit fires; only ties of the default order ask for it."""
    if ruleset == "great-war" and sequence == "land":
        if unit in AIR or unit in ("artillery", "rail_gun", "adjacent_rail_gun", "fort"):
            return 2 + side
        if unit == ("storm_troops", "entrenched_infantry")[side]:
            return 4
        return 5
    return 1 if sequence == "naval" and unit == "submarine" else 5


def default_order(ruleset: str, sequence: str, side: int, units: Sequence[str]) -> list[str]:
    """Cheapest, weakest, later in the round, name; units without a cost last."""

    def rank(unit: str) -> tuple[bool, float, int, int, str]:
        price = cost(ruleset, unit)
        step = fires_at(ruleset, sequence, side, unit)
        return (price is None, price or 0, value(ruleset, side, unit), -step, unit)

    return sorted(units, key=rank)


def loss_line(
    ruleset: str,
    sequence: str,
    side: int,
    force: Mapping[str, int],
    explicit: Sequence[str | tuple[str, int]] | None,
    keep_land: int = 0,
) -> tuple[Wound, ...]:
    """Every wound that the force can take at the start, first taken first."""
    left: dict[Wound, int] = {}
    for name, n in force.items():
        unit = base(name)
        left[Wound(unit, False)] = left.get(Wound(unit, False), 0) + n
        harmless = n * (hits_left(ruleset, side, name) - 1)
        if harmless:
            left[Wound(unit, True)] = left.get(Wound(unit, True), 0) + harmless
    units = default_order(ruleset, sequence, side, sorted({wound.unit for wound in left}))
    line: list[Wound] = []

    def append(wound: Wound, n: int) -> None:
        line.extend([wound] * min(n, left.get(wound, 0)))
        left[wound] = max(0, left.get(wound, 0) - n)

    entries = [(entry, 10**9) if isinstance(entry, str) else entry for entry in explicit or ()]
    starred = {name.rstrip("*") for name, _ in entries if name.endswith("*")}
    for unit in units:
        if unit not in starred:
            append(Wound(unit, True), 10**9)
    for name, n in entries:
        append(Wound(name.rstrip("*"), name.endswith("*")), n)
    for unit in units:
        append(Wound(unit, True), 10**9)
        append(Wound(unit, False), 10**9)
    line = _keep(ruleset, line, keep_land)
    if ruleset in V3 or ruleset == "aa-1914":
        line.sort(key=lambda wound: wound.unit == "transport")  # stable: transports last
    if ruleset == "aa-1914" and Wound("infantry", False) in line:  # an army's last unit is an infantry
        line.reverse()
        line.remove(Wound("infantry", False))
        line.reverse()
        line.append(Wound("infantry", False))
    return tuple(line)


def _keep(ruleset: str, line: list[Wound], keep_land: int) -> list[Wound]:
    """Put the best land units last: best attack, then dearest, then those that the order loses later."""
    land = [i for i, wound in enumerate(line) if wound.unit in LAND and not wound.harmless]
    best = sorted(land, key=lambda i: (value(ruleset, 0, line[i].unit), cost(ruleset, line[i].unit), i))
    kept = set(best[len(best) - keep_land :]) if keep_land else set()
    return [w for i, w in enumerate(line) if i not in kept] + [line[i] for i in sorted(kept)]


def current_line(
    ruleset: str, side: int, line: Sequence[Wound], force: Frozen, aboard: Frozen = ()
) -> list[Wound]:
    """Wounds that the units in the battle can still take.

    Units of one type are lost from the front of the line, so those that are left hold its last places;
    of these, units still aboard hold the latest ones.
    """
    here: dict[Wound, int] = {}
    elsewhere: dict[Wound, int] = {}
    for name, n in force:
        unit = base(name)
        here[Wound(unit, False)] = here.get(Wound(unit, False), 0) + n
        spare = n * (hits_left(ruleset, side, name) - 1)
        here[Wound(unit, True)] = here.get(Wound(unit, True), 0) + spare
    for name, n in aboard:
        elsewhere[Wound(base(name), False)] = n
    left: list[Wound] = []
    for wound in reversed(line):
        if elsewhere.get(wound, 0):
            elsewhere[wound] -= 1
        elif here.get(wound, 0):
            here[wound] -= 1
            left.append(wound)
    left.reverse()
    healths: dict[str, list[int]] = {}
    for name, n in force:
        healths.setdefault(base(name), []).extend([hits_left(ruleset, side, name)] * n)
    return _harmless_before_last(left, healths)


def _harmless_before_last(line: list[Wound], healths: dict[str, list[int]]) -> list[Wound]:
    """Nobody loses a fresh battleship by one hit: a harmless hit is moved forward where one is needed."""
    rest = list(line)
    result: list[Wound] = []
    while rest:
        wound = rest[0]
        health = healths[wound.unit]
        if not wound.harmless and 1 not in health:
            wound = Wound(wound.unit, True)
        rest.remove(wound)
        result.append(wound)
        if wound.harmless:
            weakest = min(h for h in health if h > 1)
            health.remove(weakest)
            health.append(weakest - 1)
        else:
            health.remove(1)
    return result


def can_pair(units: Sequence[str], hits: Sequence[str]) -> bool:
    """Whether every unit can be given a hit of its own that may fall on it."""
    owner: dict[int, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for h, targets in enumerate(hits):
            if h not in tried and may_hit(targets, units[i]):
                tried.add(h)
                if h not in owner or place(owner[h], tried):
                    owner[h] = i
                    return True
        return False

    return all(place(i, set()) for i in range(len(units)))


@cache
def take_hits(
    ruleset: str, side: int, line: tuple[Wound, ...], force: Frozen, hits: Frozen, aboard: Frozen = ()
) -> Frozen:
    """Force after these hits (targets, number): as many as possible count, then in the owner's order."""
    each = [targets for targets, n in hits for _ in range(n)]
    chosen: list[Wound] = []
    for wound in current_line(ruleset, side, line, force, aboard):
        if len(chosen) == len(each):
            break
        if can_pair([w.unit for w in [*chosen, wound]], each):
            chosen.append(wound)
    left = dict(force)
    for wound in chosen:
        wound_one(ruleset, side, left, wound)
    return freeze(left)


def wound_one(ruleset: str, side: int, force: dict[str, int], wound: Wound) -> None:
    """Take one wound; harmless ones go to the unit that is hurt most and can bear another."""
    able = [name for name, n in force.items() if n and base(name) == wound.unit]
    if wound.harmless:
        able = [name for name in able if hits_left(ruleset, side, name) > 1]
    able.sort(key=lambda name: (hits_left(ruleset, side, name), name.startswith(OVERLAND)))
    name = able[0]
    force[name] -= 1
    left = hits_left(ruleset, side, name) - 1
    if wound.harmless:
        prefix = OVERLAND if name.startswith(OVERLAND) else ""
        after = prefix + named(ruleset, side, wound.unit, left)
        force[after] = force.get(after, 0) + 1
    else:
        assert left == 0, (wound, force)
