"""The naive twin against battles worked out by hand, mostly where no published number exists."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.naive import battle, policy, rounds_fought

# ------------------------------------------------------------------ The Great War, by hand


def three(result: Any) -> list[Fraction]:
    found = result.outcomes()
    return [found[key] for key in ("attacker_wins", "defender_wins", "mutual_destruction")]


@pytest.mark.parametrize(
    ("attacker", "defender", "wins"),
    [
        ({"infantry": 1}, {"infantry": 1}, ("1/4", "5/8", "1/8")),  # both in step 5a
        ({"artillery": 1}, {"infantry": 1}, ("3/5", "2/5", "0")),  # step 2: 1/3, else 5a: 1/3
        ({"infantry": 1}, {"artillery": 1}, ("1/4", "3/4", "0")),  # step 3: 1/3, else 5a: 1/6
        ({"storm_troops": 1}, {"entrenched_infantry": 1}, ("2/5", "2/5", "1/5")),  # step 4, at once
        ({"storm_troops": 1}, {"storm_troops": 1}, ("3/5", "2/5", "0")),  # defending ones fire in step 5a
        ({"infantry": 1}, {"fort": 1}, ("1", "0", "0")),  # forts alone never defend
        ({"infantry": 1, "gas": 1}, {"infantry": 1}, ("1/2", "5/12", "1/12")),  # 1/3 + 2/3 of the first line
        ({"fighter": 1}, {"fighter": 1}, ("2/5", "2/5", "1/5")),  # Part A
    ],
)
def test_great_war_land(attacker: Any, defender: Any, wins: Any) -> None:
    result = battle("great-war", "land", attacker, defender)
    assert three(result) == [Fraction(value) for value in wins]


def test_great_war_fort_and_keeper() -> None:
    forces = {"infantry": 1}, {"infantry": 1, "fort": 1}
    result = battle("great-war", "land", *forces, loss_order=(None, ["infantry", "fort*"]))
    # survive two dice at 3: 1/4; then 1/6 against 1/3; 5/36 of all rounds change nothing
    assert three(result) == [Fraction(1, 31), Fraction(59, 62), Fraction(1, 62)]
    assert result.captured == {"fort": Fraction(1, 31)}


def test_great_war_air_superiority_lasts_one_round() -> None:
    forces = {"artillery": 1, "fighter": 1}, {"infantry": 1}
    result = battle("great-war", "land", *forces, rounds=1, loss_order=(["fighter"], None))
    # step 2: the fighter at 2, the artillery at 3
    assert result.outcomes()["attacker_wins"] == 1 - Fraction(2, 3) * Fraction(1, 2)
    second = battle("great-war", "land", *forces, rounds=2, loss_order=(["fighter"], None))
    one_left, both_left = Fraction(1, 3) * Fraction(1, 3), Fraction(1, 3) * Fraction(2, 3)
    assert second.outcomes()["attacker_wins"] == Fraction(2, 3) + one_left * Fraction(
        1, 3
    ) + both_left * Fraction(5, 9)


def test_great_war_withdrawn_air_survives_and_is_missed() -> None:
    forces = {"infantry": 1, "fighter": 1}, {"infantry": 1, "fighter": 1}
    result = battle("great-war", "land", *forces, air_retreat=(policy("always", "great-war"), None))
    stayed = result.chance(lambda o, a, d: o == "defender_wins" and "fighter" in a)
    # after a first round without a hit the attacker's fighter leaves; guns get no +1 that anybody has
    assert stayed == Fraction(4, 9) * three(battle("great-war", "land", {"infantry": 1}, forces[1]))[1]


def test_great_war_waves() -> None:
    result = battle("great-war", "invasion", {"infantry": 2, "transport": 1}, {"infantry": 1})
    assert three(result)[0] == Fraction(31, 58)  # alone 1/4, two ashore 71/116
    assert three(battle("great-war", "invasion", {"infantry": 1}, {"infantry": 1}))[0] == Fraction(1, 4)


@pytest.mark.parametrize(
    ("attacker", "defender", "more", "wins"),
    [
        ({"submarine": 1}, {"cruiser": 1}, {}, ("1/2", "1/2", "0")),
        ({"submarine": 1}, {"submarine": 1}, {}, ("3/5", "2/5", "0")),
        ({"submarine": 1}, {"submarine": 1}, {"technologies": ((), ("sub_detection",))}, ("2/5", "3/5", "0")),
        ({"cruiser": 1}, {"cruiser": 1}, {"options": {"mines": True}}, ("5/18", "4/9", "5/18")),
        ({"cruiser": 1}, {"cruiser": 1}, {"options": {"pass_through_forts": 1}}, ("1/12", "5/6", "1/12")),
        ({"submarine": 1}, {"fighter": 1, "submarine": 1}, {"submerge": "always"}, ("0", "1", "0")),
        ({"cruiser": 1}, {"submarine": 1}, {"submerge": "always"}, ("1", "0", "0")),
        ({"transport": 1, "cruiser": 1}, {"transport": 1}, {}, ("1", "0", "0")),
    ],
)
def test_great_war_at_sea(attacker: Any, defender: Any, more: Any, wins: Any) -> None:
    dives = (None, policy(more.pop("submerge", "never"), "great-war"))
    assert three(battle("great-war", "naval", attacker, defender, submerge=dives, **more)) == [
        Fraction(value) for value in wins
    ]


def test_called_shots_pick_the_dearest() -> None:
    forces = {"cruiser": 1}, {"cruiser": 1, "transport": 1}
    plain = battle("great-war", "naval", *forces, rounds=1)
    called = battle("great-war", "naval", *forces, rounds=1, options={"called_shots": 1})
    assert plain.expected(1, "cruiser") == 1
    assert called.expected(1, "cruiser") == Fraction(5, 6)
    assert called.expected(1, "transport") == Fraction(2, 3)


# ------------------------------------------------------------------ landings and rights, by hand


def test_chained_landing() -> None:
    landing = {"infantry": 1, "transport": 1}
    ships = {"sea_attacker": {"destroyer": 1}, "sea_defender": {"destroyer": 1}}
    result = battle("aa-1942", "invasion", landing, {"infantry": 1}, **ships)
    # at sea 2/5, 2/5, 1/5: when both destroyers sink the transport has the zone; then 1/4, 5/8, 1/8
    assert result.landing == Fraction(3, 5)
    assert three(result) == [Fraction(3, 20), Fraction(31, 40), Fraction(3, 40)]
    # a transport left alone withdraws with its cargo
    home = ("defender_wins", (("infantry", 1), ("transport", 1)), (("destroyer", 1), ("infantry", 1)))
    assert result[home] == Fraction(2, 5)


def test_seaborne_units_stay_when_others_retreat() -> None:
    words = policy("round >= 1", "aa-1942")
    landing = {"infantry": 1, "fighter": 1}
    result = battle(
        "aa-1942", "invasion", landing, {"infantry": 1}, retreat=(words, None), overland={"tank": 1}
    )
    # the infantry is lost before the fighter and the tank; it stays, the others leave after a round
    assert result.outcomes()["attacker_retreats"] > 0
    assert result.chance(lambda o, a, d: o == "defender_wins" and a == {"fighter": 1, "tank": 1}) > 0
    alone = battle("aa-1942", "invasion", {"infantry": 1}, {"infantry": 1}, retreat=(words, None))
    assert alone.outcomes()["attacker_retreats"] == 0


def test_lone_guns() -> None:
    old = battle("aa-1942", "land", {"fighter": 1}, {"aa_gun": 1})
    assert old == {("attacker_wins", (("fighter", 1),), (("aa_gun", 1),)): 1}
    assert battle("aa-1942", "land", {"infantry": 1}, {"aa_gun": 1}).captured == {"aa_gun": 1}
    new = battle("aa-1942-2e", "land", {"fighter": 1}, {"aa_gun": 1})
    assert three(new) == [Fraction(5, 6), Fraction(1, 6), 0]
    assert new.captures == 0


def test_rounds_fought() -> None:
    chances = rounds_fought(2, "aa-1942", "land", {"infantry": 1}, {"infantry": 1})
    stay = Fraction(5, 9)
    assert chances == [0, 1 - stay, stay * (1 - stay), stay * stay]
