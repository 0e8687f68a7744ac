"""Unit values as the rulebooks print them, one table a ruleset, and what technologies make of them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from battlecalc.errors import BattleError, ForceError
from battlecalc.rulesets import load_ruleset, ruleset_ids
from battlecalc.rulesets.describe import HEADER, unit_rows

TABLES = Path(__file__).parent.parent / "data" / "units"


def test_every_ruleset_has_a_table():
    assert {path.stem for path in TABLES.glob("*.csv")} == set(ruleset_ids())


@pytest.mark.parametrize("name", ruleset_ids())
def test_values_are_those_of_the_rulebook(name):
    with (TABLES / f"{name}.csv").open(encoding="utf-8") as file:
        header, *printed = csv.reader(file)
    assert tuple(header) == HEADER[: len(header)]
    ours = [[cell.rstrip("*") for cell in row[: len(header)]] for row in unit_rows(load_ruleset(name))]
    assert ours == printed


def assumed(name):
    return {unit.id: set(unit.assumed) for unit in load_ruleset(name).units.values() if unit.assumed}


def test_great_war_marks_what_its_author_does_not_say():
    numbers = {"attack", "defence", "cost"}
    usual = "cavalry storm_troops artillery rail_gun tank fighter zeppelin gas cruiser submarine transport"
    expected = {unit: numbers for unit in usual.split()}
    expected["entrenched_infantry"] = {"defence", "cost"}
    expected["adjacent_rail_gun"] = numbers | {"never_lost"}
    expected["dreadnought"] = numbers | {"hits"}
    assert assumed("great-war") == expected


def test_a_value_that_is_set_is_no_longer_assumed():
    changed = load_ruleset("great-war").resolve(None, {"tank.cost": "5", "tank.attack": 2})
    assert changed.units["tank"].cost == 5
    assert changed.units["tank"].assumed == {"defence"}


# (ruleset, technology, unit, what changes)
CHANGES = [
    ("aa-anniversary", "super_submarines", "submarine", {"attack": 3}),
    ("aa-anniversary", "jet_fighters", "fighter", {"attack": 4, "escort": 2}),
    ("aa-anniversary", "radar", "aa_gun", {"aa": 2}),
    ("aa-anniversary", "heavy_bombers", "bomber", {"damage_dice": 2}),
    ("aa-revised", "jet_power", "fighter", {"defence": 5}),
    ("aa-revised", "super_submarines", "submarine", {"attack": 3}),
    ("aa-revised", "combined_bombardment", "destroyer", {"bombard": 3}),
    ("aa-revised", "heavy_bombers", "bomber", {"damage_dice": 2}),
    ("aa-revised-lhtr", "super_submarines", "submarine", {"attack": 3, "defence": 3}),
    (
        "aa-revised-lhtr",
        "heavy_bombers",
        "bomber",
        {"damage_dice": 1, "damage_rolls": 2, "damage_add": 1},
    ),
    ("aa-classic", "jet_power", "fighter", {"defence": 5}),
    ("aa-classic", "heavy_bombers", "bomber", {"damage_dice": 3}),
    ("aa-1940-2e", "super_submarines", "submarine", {"attack": 3}),
    ("aa-1940-2e", "jet_fighters", "fighter", {"attack": 4, "escort": 2, "intercept": 2}),
    ("aa-1940-2e", "radar", "aa_gun", {"aa": 2}),
    ("aa-1940-2e", "radar", "industrial_complex", {"aa": 2}),
    ("aa-1940-2e", "heavy_bombers", "bomber", {"damage_rolls": 2}),
]


@pytest.mark.parametrize(("ruleset", "technology", "unit", "changes"), CHANGES)
def test_technologies_change_the_values_of_their_side(ruleset, technology, unit, changes):
    rules = load_ruleset(ruleset)
    before, after = rules.units[unit], rules.for_side("attacker", frozenset({technology})).units[unit]
    assert after.values == {**before.values, **changes}
    assert rules.for_side("defender", frozenset()).units[unit] is before


def test_industrial_technology_makes_every_unit_1_cheaper():
    rules = load_ruleset("aa-classic")
    after = rules.for_side("defender", frozenset({"industrial_technology"})).units
    assert {name: unit.cost for name, unit in after.items()} == {
        name: unit.cost - 1 for name, unit in rules.units.items()
    }


# (ruleset, options, dice and rolls of an attacking heavy bomber)
HEAVY = [
    ("aa-classic", {}, (3, 1)),
    ("aa-revised", {}, (2, 1)),
    ("aa-revised-lhtr", {}, (1, 2)),
    ("aa-anniversary", {}, (2, 1)),
    ("aa-anniversary", {"heavy_bombers": "best"}, (1, 2)),
    ("aa-1940-2e", {}, (1, 2)),
]


@pytest.mark.parametrize(("ruleset", "options", "expected"), HEAVY)
def test_heavy_bombers_roll_as_their_edition_says(ruleset, options, expected):
    rules = load_ruleset(ruleset).resolve(options)
    bomber = rules.for_side("attacker", frozenset({"heavy_bombers"})).units["bomber"]
    assert (bomber.dice[0], bomber.rolls[0]) == expected
    assert (bomber.dice[1], bomber.rolls[1]) == (1, 1), "in defence an ordinary die"


def test_advanced_artillery_supports_two():
    for name in ("aa-anniversary", "aa-1940-2e"):
        rules = load_ruleset(name).for_side("attacker", frozenset({"advanced_artillery"}))
        (support,) = (modifier for modifier in rules.modifiers if modifier.name == "artillery support")
        assert (support.per, support.source) == (2, {"artillery"})


def test_improved_mech_has_its_bonus_once():
    plain = load_ruleset("aa-1940-2e")
    rules = plain.for_side("attacker", frozenset({"improved_mechanized_infantry"}))
    tank, gun, arms = rules.modifiers
    assert (tank.source, tank.to) == ({"tank"}, ("mech_infantry",))
    assert {"infantry", "mech_infantry"} <= set(gun.to)
    assert "tank" in arms.source, "the tank may serve a tactical bomber, too"
    assert [modifier.name for modifier in plain.modifiers] == ["artillery support", "combined arms"]


def test_names_are_found_in_many_spellings():
    rules = load_ruleset("aa-1940-2e")
    spellings = {
        "infantry": ["Inf", "infantries", "INFANTRY"],
        "mech_infantry": ["mech", "mech infantry", "Mech-Infantry", "mechs"],
        "tank": ["arm", "armour", "armor", "Tanks"],
        "aa_gun": ["aa", "aaa", "AA guns"],
        "tactical_bomber": ["tac", "tacs", "tactical bombers"],
        "submarine": ["ss", "sub", "subs"],
        "battleship": ["bb", "BBs"],
        "industrial_complex": ["ic", "factory", "factories"],
        "transport": ["trn", "tp", "trans"],
    }
    for unit, names in spellings.items():
        assert [rules.unit_id(name) for name in names] == [unit] * len(names)


@pytest.mark.parametrize("name", ruleset_ids())
def test_every_alias_leads_to_its_unit(name):
    rules = load_ruleset(name)
    for unit in rules.units.values():
        for alias in (unit.id, *unit.aliases):
            assert rules.unit_id(alias) == rules.unit_id(alias.upper()) == unit.id
            assert rules.unit_id(alias + "s") == unit.id


def test_contract_aliases():
    aliases = {
        "infantry": "inf",
        "artillery": "art",
        "tank": "arm armor armour",
        "aa_gun": "aa aaa",
        "fighter": "ftr fig",
        "bomber": "bmb bom strategic_bomber",
        "submarine": "sub ss",
        "transport": "trn tp trans",
        "destroyer": "dd des",
        "cruiser": "ca cru",
        "carrier": "cv ac",
        "battleship": "bb bat",
        "industrial_complex": "ic factory",
    }
    rules = load_ruleset("aa-1942")
    for unit, names in aliases.items():
        assert {rules.unit_id(name) for name in names.split()} == {unit}


def test_unknown_names_say_what_is_known():
    rules = load_ruleset("aa-1940-2e")
    with pytest.raises(
        ForceError, match=r"^unknown unit 'tnak' in ruleset 'aa-1940-2e'; did you mean 'tank'\?"
    ):
        rules.unit_id("tnak")
    with pytest.raises(ForceError, match="known: infantry, artillery"):
        rules.unit_id("zzzz")
    with pytest.raises(
        BattleError, match=r"unknown technology 'rockets'.*known: advanced_artillery, paratroopers"
    ):
        rules.technology_id("rockets")
    with pytest.raises(BattleError, match="unknown technology 'rockets'"):
        rules.for_side("attacker", frozenset({"rockets"}))
    with pytest.raises(BattleError, match="it has none that change a battle"):
        load_ruleset("aa-1914").technology_id("radar")
    with pytest.raises(BattleError, match="has no sequence 'raid'; it has land, naval, invasion"):
        load_ruleset("aa-1941").find_sequence("raid")
    assert rules.technology_id("Improved Artillery") == "advanced_artillery"
    assert rules.find_sequence("Amphibious").id == "invasion"
