"""The flat memory: shared blocks, shared rows, chains of repeated hits."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from battlecalc.program.layout import Memory, Rows, chains

few = settings(max_examples=80, derandomize=True, deadline=None, database=None)


@few
@given(st.integers(1, 30).flatmap(lambda n: st.tuples(*(st.integers(k, n - 1) for k in range(n)))))
def test_chains_are_repeated_steps(following: tuple[int, ...]) -> None:
    chain, start, left = chains(np.array(following, dtype=np.int32))
    for state in range(len(following)):
        now = state
        for hits in range(len(following) + 1):
            assert chain[start[state] + min(hits, left[state])] == now
            now = following[now]


def test_equal_blocks_share_one_place() -> None:
    memory = Memory()
    first = memory.put([1, 2, 3])
    assert memory.put(np.array([1, 2, 3], dtype=np.int32)) == first
    assert memory.put([1, 2, 3], key="another") != first
    assert memory.put([9], key="another") == memory.known("another")
    assert memory.known("nothing") is None
    assert memory.words().tolist() == [1, 2, 3, 1, 2, 3]
    assert memory.size == 6
    assert Memory().words().tolist() == []


def test_rows_are_stored_once() -> None:
    rows = Rows()
    number = rows.number("two dice", 0, np.array([0.25, 0.5, 0.25]))
    assert number == rows.known("two dice") == rows.number("two dice", 5, np.ones(1)) == 1
    assert rows.known("three dice") is None
    assert rows.records().tolist() == [[0, 0, 1], [0, 1, 3]]
    assert rows.probabilities().tolist() == [1.0, 0.25, 0.5, 0.25]
