"""The states of one side: every way its force can look, reached from the start by hits, landings and leaving.

With a fixed order of loss and hits that may fall on anything the states are a ladder; restricted hits make
them a small graph. Numbers go up along every edge, so that one pass in ascending order meets each state after
all that lead to it.

A few states are numbered as tuples. Where there are many (large fleets), they are rows of an array, told
apart by their bytes: the results are the same. `battlecalc.program.growing` finds them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from battlecalc.program.edges import Counts, Edge, State
from battlecalc.program.walker import BATTLE, Mask, Signature, Walker

Ints = NDArray[np.int32]

_MOST_CODES = 2**62


class Keys:
    """What tells states apart: their counts as bytes, in the order of the counts.

    Parameters
    ----------
    starts : states from which all others come, so that no count is larger than all pieces of one of them
    """

    def __init__(self, starts: Counts) -> None:
        most = int(starts.sum(axis=1).max())
        self._count = np.min_scalar_type(most).newbyteorder(">")

    def of(self, rows: Counts) -> NDArray[np.bytes_]:
        """Return the keys of some states."""
        counts = np.ascontiguousarray(rows, dtype=self._count)
        return counts.view(f"S{rows.shape[1] * self._count.itemsize}").ravel()


def distinct(rows: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Tell rows of small numbers apart: the first of each kind, as they come, and the kind of every row.

    >>> first, kind = distinct(np.array([[7, 1], [0, 2], [7, 1]]))
    >>> first.tolist(), kind.tolist()
    ([0, 1], [0, 1, 0])
    """
    codes, size = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        width = int(column.max()) + 1
        if size * width > _MOST_CODES:
            found, codes = np.unique(codes, return_inverse=True)
            size = len(found)
        codes = codes * width + column
        size *= width
    _, first, kind = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[kind]


class SideStates:
    """The numbered states of one side.

    Attributes
    ----------
    states : list of count tuples over ``walker.buckets``
    index : dict, the inverse
    rows : ndarray of int32, shape (S, buckets), the states as an array
    signatures : list of distinct `Signature`
    signature : ndarray of int32, shape (S,), index into `signatures`
    """

    def __init__(self, walker: Walker) -> None:
        self.walker = walker
        self.signatures: list[Signature]
        self.signature: Ints
        self._maps: dict[Mask, Ints] = {}

    @cached_property
    def states(self) -> list[State]:
        """The states as tuples."""
        return list(map(tuple, self.rows.tolist()))

    @cached_property
    def index(self) -> dict[State, int]:
        """The number of every state."""
        return {state: number for number, state in enumerate(self.states)}

    @cached_property
    def rows(self) -> Counts:
        """The states as rows of an array."""
        return np.array(self.states, dtype=np.int32).reshape(len(self), -1)

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.signature)

    def number(self, state: State) -> int:
        """Return the number of one state."""
        return self.index[state]

    def next(self, mask: Mask) -> Ints:
        """State after one hit, for every state: itself where the hit falls on nothing (or never happens)."""
        found = self._maps.get(mask)
        if found is None:
            found = self._maps[mask] = self.map(self.walker.edge(mask))
        return found

    def map(self, edge: Edge) -> Ints:
        """Turn an edge into an array of state numbers."""
        raise NotImplementedError

    def count(self, bits: int) -> Ints:
        """Units of these kinds that can be hit, for every state."""
        buckets = [
            number
            for number, b in enumerate(self.walker.buckets)
            if b.place == BATTLE and self.walker.kinds[b.kind].bit & bits
        ]
        return np.asarray(self.rows[:, buckets].sum(axis=1, dtype=np.int32))


class FewStates(SideStates):
    """States numbered as tuples."""

    def __init__(self, walker: Walker, found: Iterable[State]) -> None:
        super().__init__(walker)
        self.states = sorted(found, key=lambda state: (-walker.weight(state), [-n for n in state]))
        numbers: dict[Signature, int] = {}
        self.signature = np.array(
            [numbers.setdefault(walker.signature(state), len(numbers)) for state in self.states],
            dtype=np.int32,
        )
        self.signatures = list(numbers)

    def map(self, edge: Edge) -> Ints:
        """Turn an edge into an array of state numbers."""
        index = self.index
        return np.array(
            [index.get(edge(state), number) for number, state in enumerate(self.states)], dtype=np.int32
        )


class ManyStates(SideStates):
    """States numbered as rows of an array."""

    def __init__(self, walker: Walker, found: Counts, keys: Keys) -> None:
        super().__init__(walker)
        self._keys = keys
        falling = np.argsort(keys.of(found))[::-1]
        weights = found @ np.array(walker.worth, dtype=np.int64)
        order = falling[np.argsort(-weights[falling], kind="stable")]
        self.rows = np.asfortranarray(found[order])
        own = keys.of(self.rows)
        self._numbers = np.argsort(own).astype(np.int32)
        self._sorted = own[self._numbers]
        self._sign()

    def _sign(self) -> None:
        """Find the signatures: they depend on which buckets are empty."""
        first, pattern = distinct(self.rows > 0)
        numbers: dict[Signature, int] = {}
        signatures = [self.walker.signature(state) for state in map(tuple, self.rows[first].tolist())]
        known = [numbers.setdefault(signature, len(numbers)) for signature in signatures]
        self.signature, self.signatures = np.array(known, dtype=np.int32)[pattern], list(numbers)

    def number(self, state: State) -> int:
        """Return the number of one state."""
        return int(self._find(np.array([state], dtype=np.int32))[0])

    def map(self, edge: Edge) -> Ints:
        """Turn an edge into an array of state numbers."""
        found = self._find(edge.rows(self.rows))
        return np.where(found < 0, np.arange(len(self), dtype=np.int32), found)

    def _find(self, rows: Counts) -> Ints:
        """Return the numbers of some states, -1 where there is no such state."""
        keys = self._keys.of(rows)
        place = np.minimum(self._sorted.searchsorted(keys), len(self) - 1)
        return np.where(self._sorted[place] == keys, self._numbers[place], np.int32(-1))
