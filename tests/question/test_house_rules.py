"""Parts of the schema that no shipped ruleset combines: barges, rights under options, assumed modifiers."""

from __future__ import annotations

from pathlib import Path

import pytest

from battlecalc.battle import Battle
from battlecalc.errors import BattleError, ForceError
from battlecalc.landing import cargo_left
from battlecalc.policies import NEVER
from battlecalc.rulesets import Ruleset, load_ruleset
from battlecalc.sides import Side

HOUSE = """
schema = 1
id = "house"
name = "House rules"
extends = "aa-1942"

[units.barge]
tags = ["sea"]
attack = 0
defence = 0
cost = 2
alone = { attacker = "withdraws" }
[units.scout]
tags = ["lookout"]
attack = 1
defence = 1
cost = 1
[cargo.barge]
loads = [["foot"]]

[modifiers."high spirits"]
side = "attacker"
to = ["tank"]
assumed = true

[technologies.white_flags]
assumed = true
[technologies.radio]
[options.parley]
kind = "flag"

[sequences.land.stages.battle.steps."press on or retreat"]
decide = [
  { side = "attacker", right = "retreat", leaves = ["all"], when = { option = "parley" } },
  { side = "attacker", right = "contest", when = { enemy_technology = "radio" } },
  { side = "defender", right = "retreat", leaves = ["all"], when = { technology = "white_flags" } },
  { side = "defender", right = "contest", when = { own_has = ["tank"] } },
]
[sequences.invasion.roles.barges]
side = "attacker"
who = ["barge"]
where = "offshore"
"""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Ruleset:
    file = tmp_path_factory.mktemp("house") / "house.toml"
    file.write_text(HOUSE)
    return load_ruleset(file)


def test_rights_that_need_something(house: Ruleset) -> None:
    anything = "round >= 1"
    sides = (
        Side("1 inf", retreat=anything, contest=anything),
        Side("1 inf", retreat=anything, contest=anything),
    )
    battle = Battle(house, "land", *sides)
    assert battle.notes == (
        "attacker's retreat is passed over: only with the option parley",
        "attacker's contest is passed over: only against the technology radio",
        "defender's retreat is passed over: only with the technology white_flags",
        "defender's contest is passed over: no unit of this force has the right",
    )
    assert all(policy is NEVER for side in (battle.attacker, battle.defender) for _, policy in side.policies)
    granted = Battle(
        house,
        "land",
        sides[0],
        Side("1 tank", technologies=["radio", "white flags"], retreat=anything, contest=anything),
        options={"parley": True},
    )
    assert granted.notes == ()


def test_assumed_modifiers_and_technologies(house: Ruleset) -> None:
    assert Battle(house, "land", "1 inf", "1 tank").assumed == ()
    flags = Side("1 inf", technologies="white_flags")
    assert Battle(house, "land", "1 tank", flags).assumed == ("high spirits", "white_flags")


def test_a_unit_of_no_sequence(house: Ruleset) -> None:
    with pytest.raises(ForceError, match="scout cannot take part in land of house: never as attacker"):
        Battle(house, "land", "1 scout", "1 inf")


def test_two_kinds_of_transports(house: Ruleset) -> None:
    force = "4 inf, 1 tank, 1 trn, 3 barge, 1 bb"
    battle = Battle(house, "invasion", force, "1 inf", sea_defender="1 dd")
    assert cargo_left(battle, {"transport": 1, "barge": 1}) == {"infantry": 2, "tank": 1}
    assert cargo_left(battle, {"barge": 9}) == {"infantry": 3}
    with pytest.raises(BattleError, match=r"by kind, there are transport and barge"):
        cargo_left(battle, 2)
    with pytest.raises(ForceError, match="do not fit into 1 transport, 1 barge: 1 transport carries"):
        Battle(house, "invasion", "2 tank, 1 trn, 1 barge", "1 inf")


def test_what_comes_by_land_needs_its_rights_too(house: Ruleset) -> None:
    with pytest.raises(ForceError, match="attacker: aa_gun only defends"):
        Battle(house, "invasion", "1 inf", "1 inf", overland="1 aa")


def test_the_file_names_the_ruleset_by_path(house: Ruleset) -> None:
    battle = Battle(house, "land", "1 inf", "1 inf")
    assert Path(battle.given()["ruleset"]).name == "house.toml"
    assert eval(repr(battle)) == battle
