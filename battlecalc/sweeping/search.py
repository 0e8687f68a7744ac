"""Searches over counts of units: they know forces as tuples of whole numbers and ask a `reaches` about each.

"Monotone" means that one more unit never hurts: what reaches the goal reaches it with any unit more. Battles
are like that almost always, but no rule says so. Forces are passed over on that ground; every answer is
therefore compared with all that came before, and where two do not agree, everything is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Force = tuple[int, ...]
Reaches = Callable[[Force], bool]
SCANNED = 64
ROUNDING = 1e-9


class NotMonotone(Exception):
    """One more unit made things worse."""


@dataclass(frozen=True, slots=True)
class Fewest:
    """What `fewest` found.

    Attributes
    ----------
    count : int or None
        None where no count reaches the goal.
    monotone : bool
        Whether all counts that were tried agree that more is better.
    scanned : bool
        Whether every smaller count was tried.
    """

    count: int | None
    monotone: bool
    scanned: bool


def fewest(reaches: Callable[[int], bool], low: int, high: int, scan: int = SCANNED) -> Fewest:
    """Least count from `low` to `high` that reaches the goal.

    Bisection, and then every smaller count if there are no more than `scan`, else the neighbours.

    >>> fewest(lambda n: n * n >= 50, 0, 100)
    Fewest(count=8, monotone=True, scanned=True)
    >>> fewest(lambda n: n in (3, 8, 9, 10), 0, 10)
    Fewest(count=3, monotone=False, scanned=True)
    """
    known: dict[int, bool] = {}

    def ask(count: int) -> bool:
        if count not in known:
            known[count] = reaches(count)
        return known[count]

    below, above, step = low - 1, low, 1
    while not ask(above) and above < high:
        below, above, step = above, min(above + step, high), 2 * step
    if not ask(above):
        below = above = high + 1
    while above - below > 1:
        middle = (above + below) // 2
        below, above = (below, middle) if ask(middle) else (middle, above)
    scanned = above - low <= scan
    for count in range(low if scanned else max(above - 2, low), min(above + 3, high + 1)):
        ask(count)
    monotone = all(known[a] <= known[b] for a in known for b in known if a < b)
    if not monotone and not scanned:
        scanned = True
        next((count for count in range(low, high + 1) if ask(count)), None)
    good = min((count for count, good in known.items() if good), default=None)
    return Fewest(good, monotone, scanned)


class Cheapest:
    """Search for the cheapest forces within limits that reach a goal.

    Parameters
    ----------
    reaches : callable
        Whether a force reaches the goal; asked once for each force at most.
    ranges : sequence of range
        Counts allowed for each unit.
    costs : sequence of float
        Of one unit.
    wanted : int
        So many forces are looked for: the cheapest ones from which no unit can be left out, and those that
        cost no more than the last of them.
    """

    def __init__(
        self, reaches: Reaches, ranges: Sequence[range], costs: Sequence[float], wanted: int
    ) -> None:
        self._reaches = reaches
        self.ranges, self.wanted = list(ranges), wanted
        self.costs = np.array(costs, dtype=float)
        self.asked: dict[Force, bool] = {}
        self._failed = _Rows(len(self.ranges))
        self._good = _Rows(len(self.ranges))

    def ask(self, force: Force) -> bool:
        """Whether a force reaches the goal; raises `NotMonotone` where an earlier answer says otherwise."""
        if force not in self.asked:
            good = self.asked[force] = self._reaches(force)
            row = np.array(force)
            contrary = (self._failed.rows >= row) if good else (self._good.rows <= row)
            (self._good if good else self._failed).add(row)
            if contrary.all(axis=1).any():
                raise NotMonotone(force)
        return self.asked[force]

    def cost(self, force: Force) -> float:
        """Cost of a force."""
        return float(self.costs @ np.array(force))

    def scan(self) -> list[Force]:
        """Ask about every force, the cheapest first, until enough are found: right whatever the rules are."""
        found: list[Force] = []
        for force in sorted(product(*self.ranges), key=lambda force: (self.cost(force), force)):
            if self.cost(force) > self._limit(found):
                break
            if any(_contains(force, smaller) for smaller in found):
                continue
            if force not in self.asked:
                self.asked[force] = self._reaches(force)
            if self.asked[force]:
                found.append(force)
        return found

    def prune(self) -> list[Force]:
        """Ask only where dominated forces leave it open.

        Forces are taken line by line: a line holds all forces that differ in one unit only. On each, the
        largest force that could still be among the cheapest is asked first; if that fails, so does the line.
        """
        axis = max(range(len(self.ranges)), key=lambda n: len(self.ranges[n]))
        step = float(self.costs[axis])
        counts = self.ranges[axis]
        others = [values if n != axis else (0,) for n, values in enumerate(self.ranges)]
        found: list[Force] = []
        for line in sorted(product(*others), key=lambda line: (self.cost(line), line)):
            base, limit = self.cost(line), self._limit(found)
            if base + step * counts[0] > limit:
                break
            possible = [n for n in counts if base + step * n <= limit]
            least = self._first(_along(line, axis, possible))
            if least is not None:
                found = minimal([*found, least], self.cost)
        return [force for force in found if self.cost(force) <= self._limit(found)]

    def _limit(self, found: list[Force]) -> float:
        """Cost of the last force that is wanted; those of the same cost count, too."""
        return self.cost(found[self.wanted - 1]) + ROUNDING if len(found) >= self.wanted else np.inf

    def _first(self, line: list[Force]) -> Force | None:
        """Return the smallest force of a line that reaches the goal."""
        failed = self._failed.rows
        low = next(
            (n for n, force in enumerate(line) if not (failed >= np.array(force)).all(axis=1).any()),
            len(line),
        )
        if low == len(line):
            return None
        good = self._good.rows
        high = next(
            (n for n, force in enumerate(line) if (good <= np.array(force)).all(axis=1).any()), len(line)
        )
        if high == len(line):
            if not self.ask(line[-1]):
                return None
            high -= 1
        while low < high:
            middle = (low + high) // 2
            if self.ask(line[middle]):
                high = middle
            else:
                low = middle + 1
        return line[high]


class _Rows:
    """Forces as the rows of one growing array."""

    def __init__(self, width: int) -> None:
        self._room = np.zeros((64, width), dtype=np.int64)
        self._used = 0

    def add(self, row: NDArray[np.int64]) -> None:
        if self._used == len(self._room):
            self._room = np.concatenate((self._room, np.zeros_like(self._room)))
        self._room[self._used] = row
        self._used += 1

    @property
    def rows(self) -> NDArray[np.int64]:
        return self._room[: self._used]


def minimal(forces: Iterable[Force], cost: Callable[[Force], float]) -> list[Force]:
    """Return the forces that contain no other one of them, the cheapest first.

    >>> minimal([(2, 1), (1, 1), (0, 3)], lambda force: 3 * force[0] + 4 * force[1])
    [(1, 1), (0, 3)]
    """
    kept: list[Force] = []
    for force in sorted(set(forces), key=lambda force: (cost(force), force)):
        if not any(_contains(force, smaller) for smaller in kept):
            kept.append(force)
    return kept


def _contains(force: Force, smaller: Force) -> bool:
    return all(a >= b for a, b in zip(force, smaller, strict=True))


def _along(line: Force, axis: int, counts: Iterable[int]) -> list[Force]:
    return [(*line[:axis], count, *line[axis + 1 :]) for count in counts]
