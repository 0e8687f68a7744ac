"""Searches against asking about everything."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from battlecalc.sweeping.search import Cheapest, Fewest, Force, NotMonotone, fewest, minimal

steady = settings(derandomize=True, deadline=None)


@steady
@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300))
def test_fewest_where_more_is_better(low: int, size: int, threshold: int) -> None:
    high = low + size
    found = fewest(lambda n: n >= threshold, low, high)
    assert found.count == next((n for n in range(low, high + 1) if n >= threshold), None)
    assert found.monotone


@steady
@given(st.sets(st.integers(0, 40)))
def test_fewest_of_few_is_right_whatever_they_are(good: set[int]) -> None:
    found = fewest(good.__contains__, 0, 40)
    assert found.count == min(good, default=None)
    assert found.scanned


def test_fewest_of_many_looks_at_the_neighbours() -> None:
    asked: list[int] = []
    found = fewest(lambda n: asked.append(n) or n >= 150, 0, 500)  # type: ignore[func-returns-value]
    assert found == Fewest(150, monotone=True, scanned=False)
    assert {148, 149, 150, 151, 152} <= set(asked)
    assert len(asked) == len(set(asked)) < 25


def test_fewest_of_many_asks_about_all_where_they_do_not_agree() -> None:
    found = fewest(lambda n: n >= 150 and n != 151, 0, 500)
    assert found == Fewest(150, monotone=False, scanned=True)
    found = fewest(lambda n: (n >= 150 and n != 151) or n == 3, 0, 500)
    assert found == Fewest(3, monotone=False, scanned=True)


def brute(
    reaches: Callable[[Force], bool], ranges: list[range], costs: list[float], wanted: int
) -> list[Force]:
    """Find the cheapest minimal forces by asking about all."""

    def cost(force: Force) -> float:
        return sum(c * n for c, n in zip(costs, force, strict=True))

    found = minimal(filter(reaches, product(*ranges)), cost)
    limit = cost(found[wanted - 1]) + 1e-9 if len(found) >= wanted else float("inf")
    return [force for force in found if cost(force) <= limit]


ranges = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=1, max_size=4)


@steady
@given(st.data(), ranges, st.integers(1, 5))
def test_both_searches_find_the_cheapest(
    data: st.DataObject, limits: list[tuple[int, int]], wanted: int
) -> None:
    counts = [range(low, low + size + 1) for low, size in limits]
    costs = data.draw(
        st.lists(st.sampled_from([1.5, 3.0, 4.0, 6.0, 10.0]), min_size=len(counts), max_size=len(counts))
    )
    strengths = data.draw(st.lists(st.integers(0, 5), min_size=len(counts), max_size=len(counts)))
    goal = data.draw(st.integers(0, 20))

    def reaches(force: Force) -> bool:
        return sum(s * n for s, n in zip(strengths, force, strict=True)) >= goal

    expected = brute(reaches, counts, costs, wanted)
    for search in (
        Cheapest(reaches, counts, costs, wanted).prune,
        Cheapest(reaches, counts, costs, wanted).scan,
    ):
        assert search() == expected


@steady
@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2))), st.integers(1, 4))
def test_scan_needs_no_order(good: set[Force], wanted: int) -> None:
    counts, costs = [range(4), range(4), range(3)], [3.0, 4.0, 6.0]
    assert Cheapest(good.__contains__, counts, costs, wanted).scan() == brute(
        good.__contains__, counts, costs, wanted
    )


def test_prune_asks_about_few() -> None:
    asked: list[Force] = []

    def reaches(force: Force) -> bool:
        asked.append(force)
        return force[0] + 2 * force[1] + 3 * force[2] >= 30

    counts = [range(21), range(11), range(11)]
    found = Cheapest(reaches, counts, [3.0, 5.0, 8.0], 1).prune()
    assert found == brute(
        lambda force: force[0] + 2 * force[1] + 3 * force[2] >= 30, counts, [3.0, 5.0, 8.0], 1
    )
    assert len(asked) == len(set(asked)) < 21 * 11 * 11 / 8


def test_prune_notices_that_more_is_worse() -> None:
    search = Cheapest(lambda force: force != (2, 2) and sum(force) >= 3, [range(4), range(4)], [1.0, 1.0], 3)
    with pytest.raises(NotMonotone):
        for force in [(1, 2), (2, 2)]:
            search.ask(force)
    assert search.scan()[0] == (0, 3)
