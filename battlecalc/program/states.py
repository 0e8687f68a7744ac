"""The states of one side: every way its force can look, reached from the start by hits, landings and leaving.

With a fixed order of loss and hits that may fall on anything the states are a ladder; restricted hits make
them a small graph. Numbers go up along every edge, so that one pass in ascending order meets each state after
all that lead to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from battlecalc.errors import StateSpaceError
from battlecalc.program.walker import BATTLE, Edge, Mask, Signature, State, Walker


class StateSet:
    """States found so far, grown edge by edge along the schedule."""

    def __init__(self, start: Iterable[State], most: int) -> None:
        self.found: set[State] = set(start)
        self.now: set[State] = set(self.found)
        self.most = most

    def hits(self, edge: Edge, most_hits: int) -> None:
        """Add what up to `most_hits` hits along one edge lead to."""
        frontier = self.now
        self.now = set(frontier)
        for _ in range(most_hits):
            frontier = set(map(edge, frontier)) - self.now
            if not frontier:
                break
            self.now |= frontier
            self._check()
        self.found |= self.now

    def move(self, edge: Edge, optional: bool) -> None:
        """Follow a landing or leaving; `optional`: it may also not happen."""
        moved = {edge(state) for state in self.now}
        self.now = self.now | moved if optional else moved
        self.found |= self.now

    def close(self, edges: Sequence[Edge]) -> None:
        """Add all that any number of these edges lead to."""
        frontier = self.now
        self.now = set(frontier)
        while frontier:
            frontier = {edge(state) for state in frontier for edge in edges} - self.now
            self.now |= frontier
            self._check()
        self.found |= self.now

    def _check(self) -> None:
        if len(self.now) > self.most:
            raise StateSpaceError(
                f"one side of this battle has more than {self.most:,} states; "
                "fewer unit types or a simpler order of loss would help"
            )


class SideStates:
    """The numbered states of one side.

    Attributes
    ----------
    states : list of count tuples over ``walker.buckets``
    index : dict, the inverse
    signatures : list of distinct `Signature`
    signature : ndarray of int32, shape (S,), index into `signatures`
    """

    def __init__(self, walker: Walker, found: Iterable[State]) -> None:
        self.walker = walker
        self.states = sorted(found, key=lambda state: (-walker.weight(state), [-n for n in state]))
        self.index = {state: number for number, state in enumerate(self.states)}
        numbers: dict[Signature, int] = {}
        self.signature: NDArray[np.int32] = np.array(
            [numbers.setdefault(walker.signature(state), len(numbers)) for state in self.states],
            dtype=np.int32,
        )
        self.signatures = list(numbers)
        self._maps: dict[Mask, NDArray[np.int32]] = {}

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.states)

    def next(self, mask: Mask) -> NDArray[np.int32]:
        """State after one hit, for every state: itself where the hit falls on nothing (or never happens)."""
        found = self._maps.get(mask)
        if found is None:
            found = self._maps[mask] = self.map(self.walker.edge(mask))
        return found

    def map(self, edge: Edge) -> NDArray[np.int32]:
        """Turn an edge into an array of state numbers."""
        index = self.index
        return np.array(
            [index.get(edge(state), number) for number, state in enumerate(self.states)], dtype=np.int32
        )

    def count(self, bits: int) -> NDArray[np.int32]:
        """Units of these kinds that can be hit, for every state."""
        buckets = [
            number
            for number, b in enumerate(self.walker.buckets)
            if b.place == BATTLE and self.walker.kinds[b.kind].bit & bits
        ]
        return np.array([sum(state[b] for b in buckets) for state in self.states], dtype=np.int32)
