"""Distributions, intervals and the digits that are shown."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from battlecalc.errors import BattleError
from battlecalc.results.distributions import (
    FINEST_STEP,
    Distribution,
    convolve,
    gather,
    mixture,
    value_step,
)
from battlecalc.results.figures import decimals, interval_text, mean_text, percent, share_digits, value_text
from battlecalc.results.intervals import mean_error, share_error, wilson


def distribution(chances: dict[int, float], step: int = 1) -> Distribution:
    keys = sorted(chances)
    return Distribution(np.array(keys), np.array([chances[key] for key in keys]), step)


def test_gather_is_the_same_dense_and_sparse() -> None:
    keys = np.array([3, -2, 3, 7, -2])
    weights = np.array([1, 2, 4, 0, 8])
    dense = gather(keys, weights)
    sparse = gather(keys * 10**9, weights)
    assert dense[0].tolist() == [-2, 3]
    assert sparse[0].tolist() == [-2 * 10**9, 3 * 10**9]
    assert dense[1].tolist() == sparse[1].tolist() == [10, 5]


def test_gather_of_nothing() -> None:
    keys, sums = gather(np.zeros(0, np.int64), np.zeros(0))
    assert (len(keys), len(sums)) == (0, 0)


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.lists(st.dictionaries(st.integers(-9, 9), st.integers(1, 9), min_size=1), min_size=1, max_size=3))
def test_convolution_adds_independent_values(counts: list[dict[int, int]]) -> None:
    parts = [distribution({k: n / sum(c.values()) for k, n in c.items()}) for c in counts]
    true: dict[int, Fraction] = {}
    for draw in product(*(c.items() for c in counts)):
        p = Fraction(1)
        for (_, n), c in zip(draw, counts, strict=True):
            p *= Fraction(n, sum(c.values()))
        total = sum(key for key, _ in draw)
        true[total] = true.get(total, Fraction(0)) + p
    whole = convolve(parts)
    assert dict(zip(whole.keys.tolist(), whole.p.tolist(), strict=True)) == pytest.approx(
        {key: float(p) for key, p in true.items()}
    )


def test_mixture_weighs_its_parts() -> None:
    mixed = mixture([(0.25, distribution({0: 1.0}, 2)), (0.75, distribution({0: 0.5, 3: 0.5}, 2))])
    assert mixed.values.tolist() == [0.0, 1.5]
    assert mixed.p.tolist() == [0.625, 0.375]


def test_quantiles_are_values_that_occur() -> None:
    spread = distribution({0: 0.1, 1: 0.8, 5: 0.1})
    assert [spread.quantile(q) for q in (0.0, 0.1, 0.11, 0.9, 0.91, 1.0)] == [0, 0, 1, 1, 5, 5]
    assert spread.middle(0.8) == (0, 1)
    assert (spread.mean(), spread.sd()) == (pytest.approx(1.3), pytest.approx(1.61**0.5))


def test_equal_values_meet_whatever_the_costs() -> None:
    step = value_step(frozenset({0.1, 0.2, 0.3}))
    assert step == 10
    assert round(0.1 * step) + round(0.2 * step) == round(0.3 * step)
    assert value_step(frozenset({1 / 3, 1 / 7, 0.123457})) == FINEST_STEP


@pytest.mark.parametrize(
    ("hits", "trials", "confidence", "low", "high"),
    [
        (8, 10, 0.95, 0.490162, 0.943318),  # Wilson 1927, as every text book has it
        (0, 20, 0.95, 0.0, 0.161125),
        (20, 20, 0.95, 0.838875, 1.0),
        (50, 100, 0.99, 0.375280, 0.624720),
    ],
)
def test_wilson(hits: int, trials: int, confidence: float, low: float, high: float) -> None:
    assert wilson(hits / trials, trials, confidence) == pytest.approx((low, high), abs=2e-6)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 95])
def test_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(BattleError, match=r"^confidence must lie between 0 and 1, not "):
        wilson(0.5, 10, confidence)


def test_errors_of_exact_numbers_are_zero() -> None:
    assert share_error(0.3, None) == mean_error(2.0, None) == 0.0
    assert share_error(0.5, 100) == 0.05
    assert mean_error(4.0, 100) == 0.2


@pytest.mark.parametrize(
    ("p", "error", "text"),
    [
        (0.5, 0.0005, "50.00 %"),
        (0.5, 0.05, "50 %"),
        (0.5, 1e-12, "50.000000 %"),
        (1e-9, 0.0, "1.0e-07 %"),
        (0.00012, 0.0, "0.012 %"),
        (0.0000012, 0.001, "0.00012 %"),
        (0.99996, 0.001, "> 99.9 %"),
        (1 - 1e-15, 0.0, "100 %"),
    ],
)
def test_percent_follows_the_error(p: float, error: float, text: str) -> None:
    assert percent(p, error) == text


def test_no_probability_is_shown_as_certain_that_is_not() -> None:
    for exponent in range(1, 12):
        assert share_digits(10.0**-exponent) != "0"
        assert share_digits(1 - 10.0**-exponent) != "100"


def test_other_numbers() -> None:
    assert [decimals(error) for error in (9.0, 1.0, 0.99, 0.1, 0.011)] == [0, 0, 1, 1, 2]
    assert interval_text(0.99999, 1.0, 0.0) == "99.9990 - 100 %"
    assert [mean_text(x, 2) for x in (0.0, 1.999, 2.0000001)] == ["0", "2.00", "2"]
    assert [value_text(x) for x in (0.25, -1.5, 1234.0)] == ["0.25", "-1.5", "1234"]
