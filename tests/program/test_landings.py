"""Waves of a landing: one a round from the first round in which the rules let anybody land."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import battlecalc as bc

HOUSE = """
id = "house"
name = "House"
extends = "great-war"

[sequences.invasion.stages.battle.steps.landing]
when = {{ rounds = "{rounds}" }}
"""
# great-war itself lands in rounds 1-2; nobody can fire at who is still aboard, nor he at anybody
WINDOWS = ("1-", "1-5", "2-3", "2-", "40-")


def house(place: Path, rounds: str) -> bc.Ruleset:
    path = place / "house.toml"
    path.write_text(HOUSE.format(rounds=rounds), encoding="utf-8")
    return bc.load_ruleset(path)


@pytest.mark.parametrize("rounds", WINDOWS)
def test_the_second_wave_comes_a_round_after_the_first(rounds: str, tmp_path: Path) -> None:
    rules = house(tmp_path, rounds)
    odds = bc.solve(rules, "invasion", "2 infantry, 1 transport", "1 infantry")
    assert odds.outcomes["attacker_wins"] == pytest.approx(float(Fraction(31, 58)), abs=1e-14)
    assert odds.outcomes["stalemate"] == 0, "somebody stayed aboard"


@pytest.mark.parametrize("rounds", WINDOWS)
def test_a_second_wave_of_other_troops_comes_ashore_too(rounds: str, tmp_path: Path) -> None:
    """Cavalry and storm troops first, then the infantry."""
    rules = house(tmp_path, rounds)
    odds = bc.solve(rules, "invasion", "2 infantry, 1 cavalry, 1 storm_troops, 2 transport", "2 infantry")
    assert odds.outcomes["stalemate"] == 0, "somebody stayed aboard"
    first = bc.solve(rules, "invasion", "1 cavalry, 1 storm_troops, 2 transport", "2 infantry")
    assert odds.outcomes["attacker_wins"] > first.outcomes["attacker_wins"] + 0.2


@pytest.mark.parametrize("rounds", WINDOWS)
def test_it_does_not_matter_when_a_landing_begins(rounds: str, tmp_path: Path) -> None:
    question = ("invasion", "2 infantry, 1 cavalry, 1 artillery, 3 transport", "2 infantry, 1 artillery")
    rules = house(tmp_path, rounds)
    here, there = bc.solve(rules, *question), bc.solve("great-war", *question)
    for name, chance in there.outcomes.items():
        assert here.outcomes[name] == pytest.approx(chance, abs=1e-12), name
    assert here.expected_losses("attacker") == pytest.approx(there.expected_losses("attacker"), abs=1e-12)
    assert here.rounds().to_dict() == pytest.approx(there.rounds().to_dict(), abs=1e-12)
    simulated = bc.simulate(rules, *question, trials=20_000, seed=2)
    for name, chance in there.outcomes.items():
        assert abs(simulated.outcomes[name] - chance) < 5 * 0.5 / 20_000**0.5, name


def test_who_is_destroyed_alone_does_not_wait_for_the_first_wave(tmp_path: Path) -> None:
    """Those aboard will come ashore and can hit him."""
    path = tmp_path / "house.toml"
    path.write_text(
        'id = "house"\nname = "House"\nextends = "great-war"\n'
        '[units.artillery]\nalone = { defender = "destroyed" }\n',
        encoding="utf-8",
    )
    odds = bc.solve(path, "invasion", "2 infantry, 1 transport", "2 artillery")
    assert odds.outcomes["attacker_wins"] == 1
    assert odds.expected_survivors("attacker")["infantry"] == 2
    assert odds.expected_survivors("defender") == {"artillery": 0}


def test_a_force_without_transports_has_landed_already() -> None:
    """As if each had come on a transport of its own."""
    landed = bc.solve("great-war", "invasion", "3 infantry", "2 infantry")
    shipped = bc.solve("great-war", "invasion", "3 infantry, 3 transport", "2 infantry")
    assert landed.outcomes == pytest.approx(shipped.outcomes, abs=1e-12)


@pytest.mark.parametrize("ruleset", ["aa-1942", "great-war"])
def test_a_ship_that_bombards_may_be_damaged(ruleset: str) -> None:
    ship = {"aa-1942": "battleship", "great-war": "dreadnought"}[ruleset]
    attacker = bc.Side({"infantry": 1, "transport": 1, ship: 2}, damaged={ship: 1})
    survivors = bc.solve(ruleset, "invasion", attacker, "1 infantry").survivors("attacker")
    assert set(survivors[ship]) == set(survivors[f"{ship}*"]) == {1}


LATE_GUNS = """
id = "late-guns"
name = "Guns that fought at sea"
extends = "aa-1942"

[sequences.invasion.stages.bombardment]
when = { fought = "naval" }
"""


def test_ships_that_bombard_only_after_a_sea_battle(tmp_path: Path) -> None:
    """The other way round than the edition says: with a battle at sea that cannot be lost, the same odds."""
    path = tmp_path / "late-guns.toml"
    path.write_text(LATE_GUNS, encoding="utf-8")
    landing = ("invasion", "2 infantry, 1 transport, 2 battleship", "1 infantry")
    sea = {"sea_attacker": "3 battleship", "sea_defender": "1 transport"}
    early, late = (bc.solve(rules, *landing).outcomes for rules in ("aa-1942", path))
    early_after, late_after = (bc.solve(rules, *landing, **sea).outcomes for rules in ("aa-1942", path))
    assert late_after == pytest.approx(early, abs=1e-9)
    assert early_after == pytest.approx(late, abs=1e-9)
    assert early["attacker_wins"] > late["attacker_wins"] + 0.2
