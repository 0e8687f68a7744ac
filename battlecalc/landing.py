"""Cargo of a landing: whether it fits its transports, and what is left of it when some of them were sunk."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from battlecalc.errors import BattleError, ForceError
from battlecalc.forces import MOST, format_force
from battlecalc.rulesets.schema import Sequence, Units
from battlecalc.words import whole_number

if TYPE_CHECKING:
    from battlecalc.battle import Battle
    from battlecalc.rulesets import Ruleset

Loads = tuple[tuple[Units, ...], ...]
"""What one transport can still take: alternative sets of slots."""

Counts = tuple[tuple[str, int], ...]


def places(sequence: Sequence, side: int, force: Iterable[str]) -> dict[str, str]:
    """Where each unit of a force is at the start: ``battle``, ``aboard``, ``offshore`` or ``waiting``."""
    units = frozenset(force)
    where = dict.fromkeys(units, "battle")
    for role in sequence.roles:
        if (role.side == "defender") == bool(side) and (not role.if_has or role.if_has & units):
            where.update(dict.fromkeys(role.who & units, role.where))
    return where


def split_landing(ruleset: Ruleset, sequence: Sequence, counts: Counts) -> tuple[Counts, Counts, Counts]:
    """Split a landing force into transports offshore, all ships offshore, and cargo; planes are in none."""
    where = places(sequence, 0, (unit for unit, _ in counts))
    ships = tuple((unit, n) for unit, n in counts if where[unit] == "offshore")
    transports = tuple((unit, n) for unit, n in ships if unit in ruleset.cargo)
    cargo = tuple((u, n) for u, n in counts if where[u] != "offshore" and "air" not in ruleset.units[u].tags)
    return transports, ships, cargo


def without_waves(sequence: Sequence, counts: Counts) -> Iterator[str]:
    """Say of units that carriers would land in waves that they land at once: no carrier is in the force."""
    where = places(sequence, 0, (unit for unit, _ in counts))
    for stage in sequence.stages:
        for landing in (landing for step in stage.steps for landing in step.land):
            units = [(unit, n) for unit, n in counts if unit in landing.who and where[unit] == "battle"]
            more = sum(n for _, n in units) > landing.each  # than one carrier would land
            if landing.side == "attacker" and more and not landing.carrier & where.keys():
                names, carriers = (
                    " and ".join(unit for unit, _ in units),
                    " or ".join(sorted(landing.carrier)),
                )
                yield f"{names} land at once, not in waves: no {carriers} is in the force"


def check_capacity(ruleset: Ruleset, sequence: Sequence, counts: Counts) -> None:
    """Raise a `ForceError` that names the capacity where cargo does not fit the transports."""
    transports, _, cargo = split_landing(ruleset, sequence, counts)
    groups = [(ruleset.cargo[carrier].loads, n) for carrier, n in transports]
    if not transports or fits(cargo, groups):
        return
    loads, there = groups[-1]
    enough = bisect_left(
        range(there, MOST), True, key=lambda more: fits(cargo, [*groups[:-1], (loads, more)])
    )
    do = f" ({there + enough} would do)" if there + enough < MOST else ""
    capacity = " and ".join(
        f"1 {carrier} carries {_capacity(ruleset, sequence, carrier)}" for carrier, _ in transports
    )
    raise ForceError(f"{format_force(cargo)} do not fit into {format_force(transports)}{do}: {capacity}")


def fits(cargo: Counts, groups: Iterable[tuple[Loads, int]]) -> bool:
    """Whether cargo fits into transports, exactly.

    Parameters
    ----------
    cargo : tuple of (unit, count)
    groups : iterable of (loads, count)
        Transports that can take the same.

    Notes
    -----
    Once each transport has chosen one of its alternatives, Hall's theorem decides: every set of kinds must
    find as many slots that take one of them. That is linear in how many transports choose what.
    """
    groups = [group for group in groups if group[1]]
    kinds: dict[frozenset[Units], int] = {}
    slots = {slot for loads, _ in groups for load in loads for slot in load}
    for unit, count in cargo:
        taken_by = frozenset(slot for slot in slots if unit in slot)
        kinds[taken_by] = kinds.get(taken_by, 0) + count
    sets = [chosen for size in range(1, len(kinds) + 1) for chosen in combinations(kinds, size)]
    needs = [sum(kinds[kind] for kind in chosen) for chosen in sets]
    unions = [frozenset().union(*chosen) for chosen in sets]
    rows = [
        ([[sum(slot in union for slot in load) for union in unions] for load in loads], n)
        for loads, n in groups
    ]
    return _solvable(rows, needs)


def _solvable(rows: list[tuple[list[list[int]], int]], needs: list[int]) -> bool:
    """Whether numbers of transports for each alternative exist that meet all needs."""
    if not rows:
        return max(needs, default=0) <= 0
    (choices, count), rest = rows[0], rows[1:]
    if len(choices) == 1:
        return _solvable(rest, [need - count * gives for need, gives in zip(needs, choices[0], strict=True)])
    if len(choices) == 2 and not rest:
        return _in_interval(choices[0], choices[1], count, needs)
    for number in range(count + 1):
        left = [need - number * gives for need, gives in zip(needs, choices[0], strict=True)]
        if _solvable([(choices[1:], count - number), *rest], left):
            return True
    return False


def _in_interval(first: list[int], second: list[int], count: int, needs: list[int]) -> bool:
    """Whether some number of transports that take `first`, the others `second`, meets all needs."""
    least, most = 0, count
    for a, b, need in zip(first, second, needs, strict=True):
        missing = need - count * b
        if a > b:
            least = max(least, -(-missing // (a - b)))
        elif a < b:
            most = min(most, -missing // (b - a))
        elif missing > 0:
            return False
    return least <= most


def cargo_left(battle: Battle, transports_left: int | Mapping[str, int]) -> dict[str, int]:
    """Count the cargo of a chained landing that is left with so many transports.

    Loads are formed before the sea battle: the dearest unit first, each onto the transport with the fewest
    units (of these, the one with the dearest load) that leaves room for the rest. Empty transports sink
    first, those of `sea_attacker` among them, then the one with the cheapest load.

    Parameters
    ----------
    battle : Battle
        A landing; a force without transports has landed already and keeps all.
    transports_left : int or mapping of str to int
        Transports that survived the sea battle, by kind where there are several.

    Returns
    -------
    dict of str to int
        Cargo left in ruleset order, planes and ships not counted.
    """
    ruleset = battle.ruleset
    transports, _, cargo = split_landing(ruleset, battle.sequence, battle.attacker.counts)
    if not transports:
        return dict(cargo)
    kinds = [carrier for carrier, _ in transports]
    if not isinstance(transports_left, Mapping):
        if len(kinds) > 1:
            raise BattleError(f"transports left must be given by kind, there are {' and '.join(kinds)}")
        transports_left = {kinds[0]: transports_left}
    afloat = {carrier: _number(transports_left, carrier) for carrier in kinds}
    left = dict.fromkeys((unit for unit, _ in cargo), 0)
    for carrier, load, count in form_loads(ruleset, battle.attacker.technologies, transports, cargo):
        kept = min(count, afloat[carrier])
        afloat[carrier] -= kept
        for unit in load:
            left[unit] += kept
    return {unit: count for unit, count in left.items() if count}


def _number(transports_left: Mapping[str, int], carrier: str) -> int:
    return whole_number(transports_left.get(carrier, 0), f"{carrier} left", BattleError, most=2 * MOST)


@lru_cache(maxsize=256)
def form_loads(
    ruleset: Ruleset, technologies: frozenset[str], transports: Counts, cargo: Counts
) -> tuple[tuple[str, tuple[str, ...], int], ...]:
    """Load the transports; (carrier, units aboard, transports loaded so), dearest load first."""
    units = ruleset.for_side("attacker", technologies).units
    cost = {unit: units[unit].cost or 0.0 for unit, _ in cargo}
    order = sorted(cargo, key=lambda entry: (-cost[entry[0]], entry[0]))
    loaded = _deal(ruleset, transports, order, cost, look_ahead=False)
    if loaded is None:
        loaded = _deal(ruleset, transports, order, cost, look_ahead=True)
    assert loaded is not None  # the capacity was checked
    return tuple(sorted(loaded, key=lambda entry: (-sum(cost[unit] for unit in entry[1]), entry[1])))


_Ship = tuple[str, tuple[str, ...], Loads]


def _deal(
    ruleset: Ruleset,
    transports: Counts,
    order: list[tuple[str, int]],
    cost: Mapping[str, float],
    look_ahead: bool,
) -> list[tuple[str, tuple[str, ...], int]] | None:
    """Deal cargo out unit by unit, equal transports together; None where something finds no room."""
    fleet: dict[_Ship, int] = {(carrier, (), ruleset.cargo[carrier].loads): n for carrier, n in transports}
    for number, (unit, count) in enumerate(order):
        for left in range(count - 1, -1, -1):
            rest = ((unit, left), *order[number + 1 :])
            for ship in sorted(fleet, key=lambda s: (len(s[1]), -sum(cost[u] for u in s[1]), s[0])):
                room = _take(ship[2], unit)
                if not room:
                    continue
                loaded = (ship[0], (*ship[1], unit), room)
                trial = {**fleet, ship: fleet[ship] - 1}
                trial[loaded] = trial.get(loaded, 0) + 1
                if not look_ahead or fits(rest, [(s[2], n) for s, n in trial.items()]):
                    fleet = {s: n for s, n in trial.items() if n}
                    break
            else:
                return None
    return [(carrier, aboard, n) for (carrier, aboard, _), n in fleet.items()]


@lru_cache(maxsize=4096)
def _take(loads: Loads, unit: str) -> Loads:
    """Load a unit: what the transport can still take afterwards; empty where there is no room."""
    left = {
        tuple(sorted(load[:number] + load[number + 1 :], key=sorted))
        for load in loads
        for number, slot in enumerate(load)
        if unit in slot
    }
    best = [load for load in left if not any(_worse(load, other) for other in left)]
    return tuple(sorted(best, key=lambda load: [sorted(slot) for slot in load]))


def _worse(load: tuple[Units, ...], other: tuple[Units, ...]) -> bool:
    """Whether whatever fits into `load` fits into `other` too (asked only of loads that differ)."""
    if load == other or len(load) > len(other) or len(other) > 4:
        return False
    ways = permutations(other, len(load))
    return any(all(a <= b for a, b in zip(load, way, strict=True)) for way in ways)


def _capacity(ruleset: Ruleset, sequence: Sequence, carrier: str) -> str:
    """Describe what one transport carries, of the units that may land."""
    alternatives = []
    for load in ruleset.cargo[carrier].loads:
        slots: dict[Units, int] = {}
        for slot in load:
            slots[slot] = slots.get(slot, 0) + 1
        named = []
        for slot, n in slots.items():
            units = [u for u in ruleset.units if u in slot & sequence.takes[0] and _lands(ruleset, u)]
            named.append(f"{n} {' or '.join(units)}")
        alternatives.append(" and ".join(named))
    return ", or ".join(alternatives)


def _lands(ruleset: Ruleset, unit: str) -> bool:
    entry = ruleset.units[unit]
    return "air" not in entry.tags and entry.only in (None, "attacker")
