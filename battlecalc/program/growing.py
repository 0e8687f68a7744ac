"""Finding the states of one side: from the start along every edge that the schedule can follow.

A few states are tuples in a set. Where many are reached at once they are rows of an array: the states found
are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from battlecalc.errors import StateSpaceError
from battlecalc.program.edges import Counts, Edge, State
from battlecalc.program.states import FewStates, Keys, ManyStates, SideStates
from battlecalc.program.walker import Walker


class WideError(Exception):
    """More states are reached at once than sets of tuples are good for."""


class StateSet:
    """States found so far, grown edge by edge along the schedule; `wide`: most that may be new at once."""

    def __init__(self, start: Iterable[State], most: int, wide: int | None = None) -> None:
        self.found: set[State] = set(start)
        self.now: set[State] = set(self.found)
        self.most, self.wide = most, wide

    def hits(self, edge: Edge, most_hits: int) -> None:
        """Add what up to `most_hits` hits along one edge lead to."""
        frontier = self.now
        for _ in range(most_hits):
            frontier = self._new(set(map(edge, frontier)))
            if not frontier:
                break

    def move(self, edge: Edge, optional: bool) -> None:
        """Follow a landing or leaving; `optional`: it may also not happen."""
        moved = {edge(state) for state in self.now}
        self.now = self.now | moved if optional else moved
        self.found |= moved

    def close(self, edges: Sequence[Edge]) -> None:
        """Add all that any number of these edges lead to."""
        frontier = self.now
        while frontier:
            frontier = self._new({edge(state) for state in frontier for edge in edges})

    def destroy(self, edge: Edge) -> None:
        """Add what one edge leads to from any state found."""
        self.found |= set(map(edge, self.found))

    def numbered(self, walker: Walker) -> SideStates:
        """Return all states found, with their numbers."""
        return FewStates(walker, self.found)

    def _new(self, reached: set[State]) -> set[State]:
        reached -= self.now
        self.now |= reached
        self.found |= reached
        _check(len(self.now), self.most)
        if self.wide is not None and len(reached) > self.wide:
            raise WideError
        return reached


class StateRows:
    """A `StateSet` for many states."""

    def __init__(self, start: Iterable[State], most: int) -> None:
        rows = np.array(list(set(start)), dtype=np.int32)
        self.most, self._keys = most, Keys(rows)
        self._now, self._found = _Distinct(), _Distinct()
        self._reach(rows)

    def hits(self, edge: Edge, most_hits: int) -> None:
        """Add what up to `most_hits` hits along one edge lead to."""
        frontier = self._now.rows()
        for _ in range(most_hits):
            frontier = self._reach(edge.rows(frontier))
            if not len(frontier):
                break

    def move(self, edge: Edge, optional: bool) -> None:
        """Follow a landing or leaving; `optional`: it may also not happen."""
        moved = edge.rows(self._now.rows())
        if not optional:
            self._now = _Distinct()
        self._reach(moved)

    def close(self, edges: Sequence[Edge]) -> None:
        """Add all that any number of these edges lead to."""
        frontier = self._now.rows()
        while len(frontier):
            frontier = self._reach(np.concatenate([edge.rows(frontier) for edge in edges]))

    def destroy(self, edge: Edge) -> None:
        """Add what one edge leads to from any state found."""
        rows = edge.rows(self._found.rows())
        self._found.add(rows, self._keys.of(rows).tolist())

    def numbered(self, walker: Walker) -> SideStates:
        """Return all states found, with their numbers."""
        return ManyStates(walker, self._found.rows(), self._keys)

    def _reach(self, rows: Counts) -> Counts:
        """Add states, return those that are new."""
        new, keys = self._now.add(rows, self._keys.of(rows).tolist())
        _check(len(self._now), self.most)
        self._found.add(new, keys)
        return new


def _check(states: int, most: int) -> None:
    if states > most:
        raise StateSpaceError(
            f"one side of this battle has more than {most:,} states; "
            "fewer unit types or a simpler order of loss would help"
        )


class _Distinct:
    """Different states, in the order in which they came."""

    def __init__(self) -> None:
        self._keys: set[bytes] = set()
        self._parts: list[Counts] = []

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, rows: Counts, keys: list[bytes]) -> tuple[Counts, list[bytes]]:
        """Add states that are new, return them with their keys."""
        new = {key: place for place, key in enumerate(keys) if key not in self._keys}
        self._keys.update(new)
        added = np.asfortranarray(rows[list(new.values())])
        self._parts.append(added)
        return added, list(new)

    def rows(self) -> Counts:
        """Return all states."""
        self._parts = [np.concatenate(self._parts)]
        return self._parts[0]
