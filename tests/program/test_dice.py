"""Dice become probabilities in one place: against whole numbers, and against long sums."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import battlecalc as bc
from battlecalc.program.dice import Volley, hit_distribution, make_volley, mean_hits, shot
from battlecalc.program.volleys import serve
from battlecalc.rulesets.schema import Modifier

few = settings(max_examples=60, derandomize=True, deadline=None, database=None)
volleys = st.dictionaries(
    st.tuples(st.integers(0, 6), st.just(6)) | st.tuples(st.integers(1, 36), st.just(36)),
    st.integers(0, 8),
    max_size=3,
).map(make_volley)


def by_enumeration(volley: Volley) -> dict[int, Fraction]:
    """Hits of a volley in fractions, one shot after another."""
    chances = {0: Fraction(1)}
    for ways, sides, shots in volley:
        for _ in range(shots):
            after: dict[int, Fraction] = {}
            for n, p in chances.items():
                for more, q in ((1, Fraction(ways, sides)), (0, 1 - Fraction(ways, sides))):
                    after[n + more] = after.get(n + more, Fraction(0)) + p * q
            chances = after
    return {n: p for n, p in chances.items() if p}


@few
@given(volleys)
def test_hits(volley: Volley) -> None:
    first, chances = hit_distribution(volley)
    expected = by_enumeration(volley)
    assert first == min(expected)
    assert first + len(chances) - 1 == max(expected)
    for n, p in enumerate(chances.tolist(), start=first):
        assert p == pytest.approx(float(expected.get(n, 0)), rel=1e-13, abs=1e-17)
    assert not chances.flags.writeable or len(chances) <= 2


@few
@given(volleys)
def test_low_luck_keeps_the_mean_and_loses_the_luck(volley: Volley) -> None:
    first, chances = hit_distribution(volley, low_luck=True)
    exact_mean = sum((Fraction(ways * shots, sides) for ways, sides, shots in volley), Fraction(0))
    assert len(chances) == (1 if exact_mean.denominator == 1 else 2)
    assert first == exact_mean.numerator // exact_mean.denominator
    assert first + float(chances[-1]) * (len(chances) - 1) == pytest.approx(float(exact_mean), abs=1e-12)
    assert mean_hits(volley) == pytest.approx(float(exact_mean), abs=1e-12)


@pytest.mark.parametrize(
    ("value", "sides", "rolls", "chance"),
    [
        (3, 6, 1, Fraction(1, 2)),
        (0, 6, 1, Fraction(0)),
        (-1, 6, 1, Fraction(0)),
        (7, 6, 1, Fraction(1)),
        (4, 6, 2, Fraction(8, 9)),
        (1, 6, 3, Fraction(91, 216)),
        (5, 12, 1, Fraction(5, 12)),
    ],
)
def test_one_shot(value: int, sides: int, rolls: int, chance: Fraction) -> None:
    assert Fraction(*shot(value, sides, rolls)) == chance


def test_volleys_are_interned_by_value() -> None:
    assert (
        make_volley({(3, 6): 2, (1, 6): 1})
        == make_volley({(1, 6): 1, (0, 6): 9, (3, 6): 2})
        == ((1, 6, 1), (3, 6, 2))
    )
    assert make_volley({(3, 6): 0}) == ()


def test_no_shots_are_no_hits() -> None:
    first, chances = hit_distribution(())
    assert (first, chances.tolist()) == (0, [1.0])


@pytest.mark.parametrize("shots", [41, 100, 1000, 10_000])
def test_many_shots(shots: int) -> None:
    """Large forces: a window of the distribution that sums to 1 and has the right mean and spread."""
    first, chances = hit_distribution(((2, 6, shots),))
    hits = first + np.arange(len(chances))
    assert chances.sum() == pytest.approx(1, abs=1e-14)
    mean = float(hits @ chances)
    assert mean == pytest.approx(shots / 3, rel=1e-12)
    assert float((hits - mean) ** 2 @ chances) == pytest.approx(shots * 2 / 9, rel=1e-9)
    for n in (shots // 3, shots // 3 + 3):
        exact = Fraction(comb(shots, n) * 2 ** (shots - n), 3**shots)
        assert chances[n - first] == pytest.approx(float(exact), rel=1e-10)
    assert len(chances) < 60 * shots**0.5


@pytest.mark.parametrize("volley", [((2, 6, 120),), ((2, 6, 60), (3, 6, 60))])
def test_the_ends_of_a_window_stand_for_all_beyond(volley: Volley) -> None:
    """Less than 1e-18 is beyond either end."""
    first, chances = hit_distribution(volley)
    last = first + len(chances) - 1
    exact = by_enumeration(volley)
    below = sum(p for n, p in exact.items() if n < first)
    above = sum(p for n, p in exact.items() if n > last)
    for end, beyond, chance in ((first, below, chances[0]), (last, above, chances[-1])):
        assert 0 < beyond < 1e-18 <= beyond + exact[end]
        assert chance == pytest.approx(float(beyond + exact[end]), rel=1e-12, abs=0)


def test_windows_move_with_sure_hits() -> None:
    first, chances = hit_distribution(((3, 6, 200), (6, 6, 50)))
    alone, same = hit_distribution(((3, 6, 200),))
    assert first == alone + 50
    assert np.array_equal(chances, same)


@pytest.mark.parametrize(
    ("force", "mean"),
    [
        ("1 infantry, 1 mech_infantry, 1 artillery", (2 + 1 + 2) / 6),  # it serves one of the two
        ("1 infantry, 1 mech_infantry, 2 artillery", (2 + 2 + 2 + 2) / 6),
        ("1 infantry, 3 artillery", (2 + 3 * 2) / 6),
        ("2 tactical_bomber, 1 fighter, 1 tank", (4 + 4 + 3 + 3) / 6),
        ("3 tactical_bomber, 1 fighter, 1 tank", (4 + 4 + 3 + 3 + 3) / 6),
    ],
)
def test_who_serves_one_serves_no_other(force: str, mean: float) -> None:
    found = bc.hits("aa-1940-2e", force, side="attacker")
    assert (found.index * found).sum() == pytest.approx(mean)


def test_who_is_served_gets_what_all_get_as_well() -> None:
    banner = Modifier("banner", "both", ("foot",), source=frozenset({"flag"}), add=2)
    height = Modifier("height", "both", ("foot",), add=1)
    counts, values = {"foot": 2, "flag": 1}, {"foot": 1, "flag": 0}
    for modifiers in ([banner, height], [height, banner]):
        assert serve(counts, modifiers, values) == {"foot": [(2, 1), (4, 1)], "flag": [(0, 1)]}


@pytest.mark.parametrize("called", [0, 1, 2])
def test_a_ship_of_two_dice_fires_as_two_ships(called: int) -> None:
    """Called shots included, and whoever fires beside them; nobody fires back."""
    fleet = bc.Side("3 submarine, 3 transport", loss_order="submarine, transport")
    quiet = {"submarine.defence": 0}
    asked: dict[str, Any] = {"rounds": 1, "options": {"called_shots": called}}
    two = bc.solve("great-war", "naval", "2 cruiser, 1 fighter", fleet, changes=quiet, **asked)
    one = bc.solve(
        "great-war", "naval", "1 cruiser, 1 fighter", fleet, changes={**quiet, "cruiser.dice": 2}, **asked
    )
    assert one.expected_losses("defender") == pytest.approx(two.expected_losses("defender"))
    assert (one.expected_losses("defender")["transport"] > 0) == (called > 0)
    assert sum(one.expected_losses("defender").values()) == pytest.approx((3 + 3 + 2) / 6)
