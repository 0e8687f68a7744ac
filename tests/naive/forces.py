"""Forces as dicts and frozen tuples, and the names that units bear in them.

``battleship*`` is a battleship with one hit left of two, ``fort (2 hits left)`` a fort with two of four;
``overland tank`` is a tank that came by land to an invasion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tests.naive.tables import full_hits

Frozen = tuple[tuple[str, int], ...]
OVERLAND = "overland "


def freeze(force: Mapping[str, int]) -> Frozen:
    """Sorted tuple of (name, count) without zeros."""
    return tuple(sorted((name, n) for name, n in force.items() if n))


def merge(*forces: Iterable[tuple[str, int]]) -> Frozen:
    """Sum of several frozen forces."""
    total: dict[str, int] = {}
    for force in forces:
        for name, n in force:
            total[name] = total.get(name, 0) + n
    return freeze(total)


def base(name: str) -> str:
    """Strip a name of its damage and of the way it came."""
    return name.removeprefix(OVERLAND).split(" (")[0].rstrip("*")


def hits_left(ruleset: str, side: int, name: str) -> int:
    """Hits that one unit of this name still takes."""
    if "(" in name:
        return int(name.split("(")[1].split()[0])
    return 1 if name.endswith("*") else full_hits(ruleset, side, base(name))


def named(ruleset: str, side: int, unit: str, hits: int) -> str:
    """Name of a unit type with so many hits left."""
    full = full_hits(ruleset, side, unit)
    if hits == full:
        return unit
    if full == 2:
        return unit + "*"
    return f"{unit} ({hits} hit{'s' if hits > 1 else ''} left)"


def counts(force: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Count units by type, damaged ones and overland ones with the others."""
    total: dict[str, int] = {}
    for name, n in force:
        total[base(name)] = total.get(base(name), 0) + n
    return total


def has(force: Iterable[tuple[str, int]], units: Iterable[str]) -> bool:
    """Whether the force has any unit of these types."""
    types = frozenset(units)
    return any(base(name) in types for name, _ in force)


def only(force: Iterable[tuple[str, int]], wanted: Callable[[str], bool]) -> Frozen:
    """Part of a force whose names are wanted."""
    return tuple((name, n) for name, n in force if wanted(name))


def size(ruleset: str, side: int, force: Iterable[tuple[str, int]]) -> int:
    """All hits that a force still takes."""
    return sum(n * hits_left(ruleset, side, name) for name, n in force)


def survivors(*forces: Iterable[tuple[str, int]]) -> Frozen:
    """Add up forces as a player reads them: overland units among the others."""
    return merge(*(((name.removeprefix(OVERLAND), n) for name, n in force) for force in forces))
