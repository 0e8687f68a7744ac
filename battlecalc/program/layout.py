"""One flat memory for everything that an engine looks up: int32 words with offsets, and the tables of hits.

A compiled loop over one array is twice as fast as over forty: the offsets are in the records, and what a
battle touches stays in the first-level cache. This module knows how words are laid out, not what they mean in
a battle.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

# Kinds of operations, the first word of their records of OP_WORDS words, and the places of the other words:
# see `battlecalc.program.build`.
FIRE, DECIDE, MOVE = 0, 1, 2
SIDE, VERDICTS, OP_WORDS = 1, 9, 10
PLANS, ONE_DRAW = 2, 4
WHERE_ASKED, BY_BOTH, ANSWERS, AFTER, GONE, SLOT, AGAIN = 2, 3, 4, 5, 6, 7, 8
# Kinds of draws, the first word of their records, and the places of the other words; those of plans, whose
# first word is the number of draws: see `battlecalc.program.draws`.
OWN, MATCHED, CALLED = 0, 1, 2
ROWS, LIMITS, COUNTS, CHAIN, TO_LOSE, CALLED_CHAIN, CALLED_TO_LOSE, WIDTH = 1, 2, 3, 4, 5, 6, 7, 8
TANGLE, DRAWS = 1, 2


class Memory:
    """Append-only int32 memory; equal blocks are stored once."""

    def __init__(self) -> None:
        self._blocks: list[NDArray[np.int32]] = []
        self._at: dict[Hashable, int] = {}
        self.size = 0

    def put(self, words: Sequence[int] | NDArray[np.int32], key: Hashable = None) -> int:
        """Store a block, return its offset; blocks of one `key` (default: their bytes) share one place."""
        block = np.asarray(words, dtype=np.int32)
        if key is None:
            key = block.tobytes()
        found = self._at.get(key)
        if found is None:
            found = self._at[key] = self.size
            self._blocks.append(block)
            self.size += len(block)
        return found

    def known(self, key: Hashable) -> int | None:
        """Return the offset of the block that was put under this key."""
        return self._at.get(key)

    def words(self) -> NDArray[np.int32]:
        """Return the whole memory."""
        return np.concatenate(self._blocks) if self._blocks else np.zeros(0, dtype=np.int32)


class Rows:
    """Distributions of hits, each stored once; row 0 is "no dice"."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._records: list[tuple[int, int, int]] = []
        self._tables: list[NDArray[np.float64]] = []
        self._size = 0
        self.number("no dice", 0, np.ones(1))

    def known(self, key: Hashable) -> int | None:
        """Return the number of the row stored under this key."""
        return self._numbers.get(key)

    def number(self, key: Hashable, first: int, probabilities: NDArray[np.float64]) -> int:
        """Store a distribution under a key, return its number."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self._records)
            self._records.append((first, self._size, len(probabilities)))
            self._tables.append(probabilities)
            self._size += len(probabilities)
        return found

    def records(self) -> NDArray[np.int32]:
        """Return the records of all rows, (rows, 3): first number of hits, start in the tables, entries."""
        return np.array(self._records, dtype=np.int32)

    def probabilities(self) -> NDArray[np.float64]:
        """Return all distributions, one after another."""
        return np.concatenate(self._tables)


def chains(following: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Lay out repeated steps so that "n hits later" is one look-up.

    Parameters
    ----------
    following : ndarray of int32, shape (S,)
        State after one hit; itself where nothing is left to hit. Edges go up.

    Returns
    -------
    chain, start, left : ndarrays of int32
        State after n hits is ``chain[start[s] + min(n, left[s])]``.

    Examples
    --------
    >>> chain, start, left = chains(np.array([1, 2, 2], dtype=np.int32))
    >>> int(chain[start[0] + min(5, left[0])])
    2
    """
    size = len(following)
    if size > 1 and following[-1] == size - 1 and np.array_equal(following[:-1], np.arange(1, size)):
        ladder = np.arange(size, dtype=np.int32)
        return ladder, ladder, ladder[::-1].copy()
    steps = following.tolist()
    start, left = [-1] * size, [0] * size
    chain: list[int] = []
    for state in range(size):
        if start[state] >= 0:
            continue
        path = [state]
        while steps[path[-1]] != path[-1]:
            path.append(steps[path[-1]])
        base = len(chain)
        chain += path
        for n, passed in enumerate(path):
            if start[passed] < 0:
                start[passed], left[passed] = base + n, len(path) - 1 - n
    chain_words, start_words, left_words = (np.array(words, dtype=np.int32) for words in (chain, start, left))
    return chain_words, start_words, left_words
