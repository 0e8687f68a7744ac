"""The exact engine against the naive twin: the whole table of end states of random small battles."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import battlecalc as bc
from tests import naive
from tests.engines.battles import PAIRS, Call, policy_kinds, random_calls
from tests.engines.twin import as_battle, difference, table_of, twin_table

NEVER_TOLD = {"gas", "adjacent_rail_gun"}  # cannot be lost: the library leaves them out of every answer


def compare(call: Call) -> bc.Odds:
    """Solve a battle both ways; the answers must be the same."""
    odds = bc.solve(as_battle(call))
    expected, twin = twin_table(call)
    told: dict[Any, float] = {}
    for (outcome, *sides), p in expected.items():
        key = (outcome, *(tuple(unit for unit in side if unit[0] not in NEVER_TOLD) for side in sides))
        told[key] = told.get(key, 0.0) + p
    assert difference(table_of(odds), told) < 1e-9, call
    assert odds.captures == pytest.approx(float(twin.captures), abs=1e-9), call
    captured = odds.captured()
    for unit in captured.keys() | twin.captured.keys():
        assert captured.get(unit, 0.0) == pytest.approx(float(twin.captured.get(unit, 0)), abs=1e-9), call
    if call.get("sea_defender"):
        assert odds.landing == pytest.approx(float(twin.landing), abs=1e-9), call
    return odds


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_every_policy_kind(ruleset: str, sequence: str) -> None:
    rng = Random(f"twin {ruleset} {sequence}")
    for asked in policy_kinds(ruleset, sequence).values():
        for call in random_calls(rng, ruleset, sequence, asked, count=1):
            compare(call)


@pytest.mark.parametrize("ruleset", ["aa-1942", "aa-1942-2e", "aa-anniversary", "aa-1940-2e", "aa-1941"])
@pytest.mark.parametrize("submerge", [(None, None), ("round >= 2", "always")])
def test_mixed_fleets(ruleset: str, submerge: tuple[str | None, str | None]) -> None:
    """Submarines, planes, destroyers and transports in every mixture: who can hit whom keeps changing."""

    @settings(max_examples=12, derandomize=True, deadline=None, database=None)
    @given(
        fleet("submarine", "destroyer", "fighter"), fleet("submarine", "destroyer", "fighter", "transport")
    )
    def agree(attacker: dict[str, int], defender: dict[str, int]) -> None:
        compare(
            {
                "ruleset": ruleset,
                "sequence": "naval",
                "attacker": attacker,
                "defender": defender,
                "submerge": submerge,
            }
        )

    agree()


def fleet(*units: str) -> st.SearchStrategy[dict[str, int]]:
    """Up to two of each of these units and of big ships, at least one unit of the first ones."""
    small = st.dictionaries(st.sampled_from(units), st.integers(1, 2), min_size=1, max_size=3)
    big = st.dictionaries(st.sampled_from(("carrier", "battleship", "transport")), st.just(1), max_size=1)
    return st.builds(lambda one, other: other | one, small, big)


FLEETS = {
    "aa-1942": (("fighter", "destroyer"), ("submarine", "destroyer")),
    "aa-classic": (("fighter", "battleship"), ("submarine", "transport")),
    "great-war": (("submarine", "cruiser"), ("submarine", "cruiser")),
}


@pytest.mark.parametrize(
    ("ruleset", "asked"),
    [
        ("aa-1942", {"sea_loss_order": (["fighter", "destroyer"], ["destroyer", "submarine"])}),
        ("aa-1942", {"sea_retreat": ("units <= 2", None)}),
        ("aa-1942", {"sea_submerge": (None, "round >= 2"), "sea_retreat": ("round >= 2", None)}),
        ("aa-classic", {"sea_submerge": (None, "always"), "retreat": ("round >= 1", None)}),
        ("great-war", {"sea_loss_order": (["submarine", "cruiser"], ["cruiser"])}),
        ("great-war", {"sea_retreat": ("units <= 2", "units <= 1"), "sea_submerge": (None, "round >= 2")}),
        ("great-war", {"sea_contest": "round >= 2", "contest": "round >= 1"}),
    ],
)
def test_a_sea_battle_before_a_landing_has_orders_and_policies_of_its_own(
    ruleset: str, asked: dict[str, Any]
) -> None:
    call = {
        "ruleset": ruleset,
        "sequence": "invasion",
        "attacker": {"infantry": 2, "transport": 1},
        "defender": {"infantry": 1},
        "sea_attacker": dict.fromkeys(FLEETS[ruleset][0], 1),
        "sea_defender": dict.fromkeys(FLEETS[ruleset][1], 1),
    }
    plain, odds = compare(call), compare(call | asked)
    assert odds.landing != plain.landing, "what is asked must matter"


ROUNDS = [
    ("aa-1942", "land", {"infantry": 2, "tank": 1}, {"infantry": 2}, {}),
    ("aa-1942-2e", "naval", {"destroyer": 1, "fighter": 1}, {"submarine": 1, "cruiser": 1}, {}),
    ("aa-revised", "naval", {"submarine": 2, "destroyer": 1}, {"submarine": 1, "transport": 1}, {}),
    ("aa-1914", "invasion", {"infantry": 2, "tank": 1}, {"infantry": 1, "artillery": 1}, {}),
    ("great-war", "land", {"infantry": 2, "artillery": 1, "fighter": 1}, {"infantry": 2, "fighter": 1}, {}),
    ("great-war", "land", {"infantry": 3}, {"infantry": 2}, {"retreat": "units <= 1"}),
    ("great-war", "invasion", {"infantry": 3, "transport": 2}, {"cavalry": 1, "artillery": 1}, {}),
]


@pytest.mark.parametrize(("ruleset", "sequence", "attacker", "defender", "policies"), ROUNDS)
def test_rounds_fought(
    ruleset: str, sequence: str, attacker: Call, defender: Call, policies: dict[str, str]
) -> None:
    most = 6
    asked = {right: (naive.policy(words, ruleset), None) for right, words in policies.items()}
    expected = naive.rounds_fought(most, ruleset, sequence, attacker, defender, **asked)
    odds = bc.solve(ruleset, sequence, bc.Side(attacker, **policies), defender)
    found = odds.rounds()
    for number, chance in enumerate(expected[:-1]):
        assert found.get(number, 0.0) == pytest.approx(float(chance), abs=1e-9), number
    assert found[found.index > most].sum() == pytest.approx(float(expected[-1]), abs=1e-9)


def test_units_aboard_hold_the_last_places_of_an_order() -> None:
    """Of two infantry the one ashore is the first of the order, whatever is kept is still aboard."""
    landing = {"transport": 1, "infantry": 2, "zeppelin": 1}
    call = {"ruleset": "great-war", "sequence": "invasion", "attacker": landing, "defender": {"artillery": 1}}
    compare(call | {"keep_land": (1, 0)})
    compare(call | {"loss_order": ([("infantry", 1), "zeppelin", "infantry"], None)})


def test_equal_hit_power_is_a_ratio_of_1() -> None:
    """Sums of the same sixths in another order differ in their last bit."""
    call: Call = {
        "ruleset": "aa-anniversary",
        "sequence": "land",
        "attacker": {"tank": 1, "artillery": 2},
        "defender": {"tank": 2, "bomber": 1},
    }
    stays = compare(call | {"retreat": ("ratio < 1", None)})
    leaves = compare(call | {"retreat": ("ratio <= 1", None)})
    assert stays.outcomes["attacker_retreats"] < leaves.outcomes["attacker_retreats"]


@pytest.mark.parametrize("retreat", [("units <= 2 and ratio < 1", None), (None, "units <= 2 and ratio < 1")])
def test_conditions_on_both_forces_and_on_the_own(retreat: tuple[str | None, str | None]) -> None:
    call = {
        "ruleset": "great-war",
        "sequence": "land",
        "attacker": {"infantry": 3, "artillery": 1},
        "defender": {"infantry": 2, "cavalry": 1},
        "retreat": retreat,
    }
    odds = compare(call)
    side = "attacker" if retreat[0] else "defender"
    assert odds.outcomes[f"{side}_retreats"] > 0.05


@pytest.mark.parametrize(
    ("ruleset", "attacker", "defender", "expected"),
    [
        # of two destroyers each falls first in two of five battles, in one both fall at once
        ("aa-1942", {"destroyer": 1, "transport": 1}, {"destroyer": 1}, (3 / 5, 2 / 5, 0)),
        ("aa-1942", {"destroyer": 1}, {"destroyer": 1, "transport": 1}, (2 / 5, 3 / 5, 0)),
        ("aa-1942", {"destroyer": 1, "transport": 1}, {"destroyer": 1, "transport": 1}, (2 / 5, 2 / 5, 0)),
        # in classic a lone transport that defends is a ship like any other
        ("aa-classic", {"battleship": 1}, {"transport": 1}, (10 / 13, 1 / 13, 2 / 13)),
    ],
)
def test_what_is_left_where_both_fall_at_once(
    ruleset: str, attacker: Call, defender: Call, expected: tuple[float, float, float]
) -> None:
    odds = compare({"ruleset": ruleset, "sequence": "naval", "attacker": attacker, "defender": defender})
    names = ("attacker_wins", "defender_wins", "mutual_destruction")
    assert [odds.outcomes[name] for name in names] == pytest.approx(expected, abs=1e-12)
    assert odds.outcomes["stalemate"] == pytest.approx(1 - sum(expected), abs=1e-12)
