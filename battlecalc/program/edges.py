"""How the pieces of a side change places: hits and leavings of one piece, and moves of many at once.

An edge is data that is read in two ways: for one state, a tuple of counts by bucket, and for many states, the
rows of an array. Plain Python is faster for a few states, the array for thousands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

State = tuple[int, ...]
Counts = NDArray[np.int32]

# Target of pieces that are out of the battle for good.
LOST = -1


class Edge(Protocol):
    """A way from every state to another, or to itself where there is nothing to change."""

    def __call__(self, state: State) -> State:
        """Follow it from one state."""

    def rows(self, rows: Counts) -> Counts:
        """Follow it from many states, (states, buckets)."""


class Riders(NamedTuple):
    """Passengers that are lost with a carrier, unless the carriers left have room for `most`."""

    carriers: tuple[int, ...]
    most: int
    passengers: tuple[int, ...]


class Choice(NamedTuple):
    """One piece that may change its bucket."""

    source: int
    target: int
    riders: Riders | None = None


class Rank(NamedTuple):
    """Choices of which the first with a piece is taken, while more than `floor` is left of what is `counted`.

    `counted`: (bucket, weight) of what the floor asks for; empty for a floor of 0, which always holds.
    """

    choices: tuple[Choice, ...]
    floor: int = 0
    counted: tuple[tuple[int, int], ...] = ()


class OnePiece:
    """One piece changes its bucket: the first that the ranks name.

    >>> OnePiece([Rank((Choice(0, LOST),), floor=1, counted=((0, 1),)), Rank((Choice(1, 0),))])((1, 2))
    (2, 1)
    """

    def __init__(self, ranks: Sequence[Rank]) -> None:
        self.ranks = tuple(ranks)

    def __call__(self, state: State) -> State:
        """Follow the edge from one state."""
        for choices, floor, counted in self.ranks:
            for source, target, riders in choices:
                if not state[source]:
                    continue
                if floor and sum([weight * state[bucket] for bucket, weight in counted]) <= floor:
                    break
                after = list(state)
                after[source] -= 1
                if target != LOST:
                    after[target] += 1
                if riders is not None and sum([after[b] for b in riders.carriers]) < riders.most:
                    lost = next((b for b in riders.passengers if after[b]), None)
                    if lost is not None:
                        after[lost] -= 1
                return tuple(after)
        return state

    def rows(self, rows: Counts) -> Counts:
        """Follow the edge from many states."""
        after = rows.copy(order="F")
        waiting = np.ones(len(rows), dtype=bool)
        for choices, floor, counted in self.ranks:
            able = waiting
            if floor:
                able = able & (sum(weight * rows[:, bucket] for bucket, weight in counted) > floor)
            for source, target, riders in choices:
                moved = able & (rows[:, source] > 0)
                after[:, source] -= moved
                if target != LOST:
                    after[:, target] += moved
                if riders is not None:
                    _take_riders(after, riders, moved)
                waiting = waiting & ~moved
                able = able & ~moved
        return after


def _take_riders(after: Counts, riders: Riders, moved: NDArray[np.bool_]) -> None:
    """Take one passenger each from the states that lost a carrier too many."""
    sinking = moved & (after[:, riders.carriers].sum(axis=1) < riders.most)
    for bucket in riders.passengers:
        lost = sinking & (after[:, bucket] > 0)
        after[:, bucket] -= lost
        sinking = sinking & ~lost


class ManyPieces:
    """Pieces change their buckets together: of each source all, or so many at the most.

    >>> ManyPieces([(0, 1, 2), (2, LOST, None)])((3, 0, 5))
    (1, 2, 0)
    """

    def __init__(self, moves: Sequence[tuple[int, int, int | None]]) -> None:
        self.moves = tuple(moves)

    def __call__(self, state: State) -> State:
        """Follow the edge from one state."""
        if not self.moves:
            return state
        after = list(state)
        for source, target, most in self.moves:
            n = after[source] if most is None else min(most, after[source])
            after[source] -= n
            if target != LOST:
                after[target] += n
        return tuple(after)

    def rows(self, rows: Counts) -> Counts:
        """Follow the edge from many states."""
        after = rows.copy(order="F")
        for source, target, most in self.moves:
            n = after[:, source].copy() if most is None else np.minimum(after[:, source], most)
            after[:, source] -= n
            if target != LOST:
                after[:, target] += n
        return after
