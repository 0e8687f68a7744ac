"""Battles: what is read, what is refused and what is passed over."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from battlecalc.battle import Battle
from battlecalc.errors import BattlecalcError, BattleError, ForceError, PolicyError
from battlecalc.losses import Loss
from battlecalc.policies import BEST, NEVER, parse_policy
from battlecalc.rulesets import load_ruleset
from battlecalc.sides import Side
from tests.question import ANYTHING, QUICK


def fails(says: str, *args: Any, error: type[BattlecalcError] = BattlecalcError, **kw: Any) -> None:
    with pytest.raises(error, match=says) as caught:
        Battle(*args, **kw)
    assert "\n" not in str(caught.value)


def test_what_was_read() -> None:
    attacker = Side(
        {"inf": 6, "art": 2},
        loss_order="2 inf, art",
        keep_land=1,
        retreat="round >= 3",
        objective="win",
    )
    battle = Battle("great-war", "Land", attacker, "5 inf, 1 fort", rounds=4, territory=3)
    assert battle.ruleset is load_ruleset("great-war")
    assert battle.sequence.id == "land"
    assert battle.attacker.counts == (("infantry", 6), ("artillery", 2))
    assert battle.attacker.loss_order == (Loss("infantry", count=2), Loss("artillery"))
    assert battle.attacker.keep_land == 1
    assert battle.attacker.policy("retreat") == parse_policy("round >= 3", "retreat")
    assert [right for right, _ in battle.attacker.policies] == [
        "retreat",
        "contest",
        "air_retreat",
        "submerge",
    ]
    assert battle.attacker.objective == "win"
    assert battle.defender.counts == (("infantry", 5), ("fort", 1))
    assert all(policy is NEVER for _, policy in battle.defender.policies)
    assert (battle.rounds, battle.territory, battle.notes) == (4, 3.0, ())
    assert dict(battle.options) == load_ruleset("great-war").option_values({})
    assert set(battle.dice) == {(p, "standard") for p in ("battle", "aa", "bombardment", "mines", "raid")}
    assert battle.sea_battle is battle.sea_attacker is battle.sea_defender is None
    assert battle.landing_ships == ()


# ---------------------------------------------------------------- a value


QUESTIONS = [
    Battle("great-war", "land", "6 inf, 2 art", "5 inf"),
    Battle(
        "great-war",
        "land",
        {"inf": np.int64(6)},
        Side("5 inf, 1 gas", ["Gas Shells"], retreat="units <= 2"),
        rounds=0,
    ),
    Battle(
        "aa-1942", "naval", Side("2 bb", damaged={"bb": 1}), Side("3 ss", submerge="always"), dice="low_luck"
    ),
    Battle("great-war", "naval", "2 dread", "1 ca", dice={"mines": "low-luck"}, options={"mines": "yes"}),
    Battle("aa-1942", "land", "3 tank", "1 inf, 1 aa", changes={"tank.cost": 6}, territory=2.5),
    Battle(
        "aa-1942",
        "amphibious",
        Side("2 inf, 1 trn, 1 bb", loss_order=["bb", "inf"]),
        "2 inf",
        overland="1 tank",
        sea_attacker=Side("1 dd", retreat="units <= 1"),
        sea_defender="1 sub",
    ),
]


@pytest.mark.parametrize("battle", QUESTIONS)
def test_repr_pickle_and_copy_make_it_again(battle: Battle) -> None:
    for again in (
        eval(repr(battle)),
        pickle.loads(pickle.dumps(battle)),
        copy.deepcopy(battle),
        battle.replace(),
    ):
        assert again == battle
        assert hash(again) == hash(battle)
        assert again.notes == battle.notes
        assert again.ruleset is battle.ruleset


def test_battles_differ_in_all_that_decides_the_odds() -> None:
    one = QUESTIONS[-1]
    others = [
        one.replace(rounds=3),
        one.replace(territory=1),
        one.replace(dice="low-luck"),
        one.replace(overland=None),
        one.replace(sea_attacker="1 dd"),
        one.replace(sea_defender="2 sub"),
        one.replace(defender="3 inf"),
        one.replace(changes={"tank.attack": 2}),
        one.replace(ruleset="aa-1942-2e"),
    ]
    assert len({one, *others}) == 1 + len(others)
    assert one != "a battle"


def test_spelling_makes_no_difference() -> None:
    assert Battle("great-war", "land", "2 art+6 INF", "5 inf") == QUESTIONS[0]
    assert Battle("great-war", "land", {"inf": 6, "art": 2}, Side("5 inf", retreat=" NEVER ")) == QUESTIONS[0]


def test_immutable() -> None:
    battle = Battle("great-war", "land", "6 inf", "5 inf", options={"from_contested": True})
    with pytest.raises(AttributeError, match=r"battle.replace\(rounds=...\)"):
        battle.rounds = 3
    with pytest.raises(AttributeError):
        del battle.rounds
    battle.given()["options"]["from_contested"] = False
    assert dict(battle.options)["from_contested"] is True


def test_a_mapping_changed_afterwards_changes_nothing() -> None:
    force, options = {"inf": 6}, {"from_contested": True}
    battle = Battle("great-war", "land", force, "5 inf", options=options)
    force["inf"], options["from_contested"] = 1, False
    assert battle.replace() == battle
    assert battle.attacker.counts == (("infantry", 6),)


def test_replace_knows_its_fields() -> None:
    with pytest.raises(BattleError, match=r"has no 'round'; did you mean 'rounds'"):
        QUESTIONS[0].replace(round=3)


def test_sides_change_places() -> None:
    battle = Battle("great-war", "land", Side("6 inf", retreat="round >= 2"), "5 inf, 1 tank", rounds=3)
    swapped = battle.swapped()
    assert (swapped.attacker.counts, swapped.rounds) == (battle.defender.counts, 3)
    assert swapped.defender.policy("retreat") == battle.attacker.policy("retreat")
    assert swapped.swapped() == battle
    with pytest.raises(ForceError, match=r"^attacker: fort only defends"):
        Battle("great-war", "land", "6 inf", "5 inf, 1 fort").swapped()
    with pytest.raises(BattleError, match="with overland"):
        QUESTIONS[-1].swapped()


# ---------------------------------------------------------------- who may take part


@pytest.mark.parametrize(
    ("sequence", "attacker", "defender", "says"),
    [
        ("land", "3 einf", "1 inf", "^attacker: entrenched_infantry only defends in great-war"),
        ("land", "1 fort, 1 inf", "1 inf", "^attacker: fort only defends"),
        ("land", "1 inf, 1 dread", "1 inf", "^attacker: dreadnought cannot take part in land of great-war: "),
        ("naval", "1 dread", "1 ca, 2 inf", "^defender: infantry cannot take part in naval of great-war: "),
        ("land", "2 gas", "1 inf", "^attacker: gas cannot attack alone"),
        (
            "land",
            "2 gas, 1 adjacent_rail_gun",
            "1 inf",
            "^attacker: adjacent_rail_gun and gas cannot attack alone",
        ),
        (
            "land",
            "1 inf",
            "1 adjacent_rail_gun",
            "^defender: adjacent_rail_gun alone can be neither fought nor",
        ),
        ("land", "1 inf", "1 inf, 1 gas", "^defender: gas: the defender needs the technology 'gas_shells'"),
        ("naval", "1 dread", "1 fort", "^defender: fort alone can be neither fought nor captured"),
        ("land", "", "1 inf", "^attacker: the force is empty"),
        ("land", "1 inf", "-", "^defender: the force is empty"),
        ("land", "0 inf", "1 inf", "^attacker: the force is empty"),
        ("invasion", "1 dread, 2 trn", "1 inf", "^attacker: ships alone cannot land"),
        ("invasion", "1 tank, 1 trn", "1 inf", "cannot attack alone: at least one of infantry"),
        ("invasion", "1 inf, 1 einf, 1 trn", "1 inf", "^attacker: entrenched_infantry only defends"),
        ("invasion", "1 inf, 1 rail, 1 trn", "1 inf", "^attacker: rail_gun cannot take part in invasion"),
        ("invasion", "1 inf, 1 gas, 1 trn", "1 inf", "^attacker: gas cannot take part in invasion"),
    ],
)
def test_great_war_forces(sequence: str, attacker: str, defender: str, says: str) -> None:
    fails(says, "great-war", sequence, attacker, defender, error=ForceError)


@pytest.mark.parametrize(
    ("ruleset", "sequence", "attacker", "defender"),
    [
        ("great-war", "land", "1 inf", "1 fort"),
        ("great-war", "land", "1 inf, 3 gas, 1 adjacent_rail_gun", "1 einf"),
        ("great-war", "naval", "2 fighters", "1 ca, 1 fort"),
        ("great-war", "invasion", "1 zep", "1 fort"),
        ("aa-1942", "land", "1 inf", "1 aa"),
        ("aa-1942-2e", "land", "1 ftr", "1 aaa"),
        ("aa-1942", "naval", "1 ftr", "3 trn"),
        ("aa-1942", "invasion", "1 inf, 1 dd", "1 inf"),
    ],
)
def test_unusual_forces_that_are_fine(ruleset: str, sequence: str, attacker: str, defender: str) -> None:
    assert Battle(ruleset, sequence, attacker, defender).notes == ()


def test_axis_and_allies_forces() -> None:
    fails("^attacker: transport cannot attack alone", "aa-1942", "naval", "3 trn", "1 dd")
    fails(
        "^attacker: fighter .*alone: at least one bomber must take part", "aa-1942", "raid", "2 ftr", "1 ic"
    )
    fails("^attacker: aa_gun", "aa-1942", "land", "1 inf, 1 aa", "1 inf")
    fails("^attacker: submarine cannot take part in land", "aa-1942", "land", "1 sub", "1 inf")


def test_technology_lets_gas_in() -> None:
    battle = Battle("great-war", "land", "1 inf", Side("1 inf, 1 gas", technologies="Gas-Shells"))
    assert battle.defender.technologies == frozenset({"gas_shells"})
    fails(
        r"^defender: unknown technology 'gas shell'.*did you mean 'gas_shells'",
        "great-war",
        "land",
        "1 inf",
        Side("1 inf", technologies=["gas shell"]),
    )


# ---------------------------------------------------------------- rights


def notes(*args: Any, **kw: Any) -> tuple[str, ...]:
    return Battle(*args, **kw).notes


def test_a_right_the_ruleset_never_gives_is_an_error() -> None:
    says = "^defender: retreat: no rule of aa-1942 gives it to the defender"
    for policy in ("round >= 2", "best"):
        fails(says, "aa-1942", "land", "3 inf", Side("2 inf", retreat=policy), error=PolicyError)
    fails("^attacker: contest: no rule", "aa-1942", "land", Side("3 inf", contest="best"), "2 inf")
    assert notes("aa-1942", "land", Side("3 inf", contest="never"), "2 inf") == ()


def test_a_right_of_another_sequence_is_passed_over() -> None:
    battle = Battle("great-war", "naval", Side("2 dread, 1 fighter", air_retreat="round >= 1"), "1 ca")
    assert battle.notes == (
        "attacker's air_retreat is passed over: nobody is asked for it in naval of great-war",
    )
    assert battle.attacker.policy("air_retreat") is NEVER
    assert "air_retreat='round >= 1'" in repr(battle)


def test_the_situation_takes_rights_away() -> None:
    side = Side("3 inf", retreat="round >= 2", contest="round >= 1")
    battle = Battle("great-war", "land", side, "1 inf", options={"from_contested": True})
    assert battle.notes == ("attacker's retreat is passed over: the option from_contested forbids it",)
    assert battle.attacker.policy("retreat") is NEVER
    assert battle.attacker.policy("contest") is not NEVER
    assert battle.replace(options=None).attacker.policy("retreat") is not NEVER
    no_unit = "is passed over: no unit of this force has the right"
    assert notes("great-war", "land", Side("2 fighter", contest="round >= 1"), "1 inf") == (
        f"attacker's contest {no_unit}",
    )
    assert notes("great-war", "naval", "1 ca", Side("1 ca", submerge="always")) == (
        f"defender's submerge {no_unit}",
    )
    assert notes("great-war", "land", Side("1 inf, 1 ftr", air_retreat="best"), "1 inf") == (
        "attacker's air_retreat is passed over: the enemy has nothing to use it against",
    )
    detected = Side("1 ca", technologies=["sub_detection"])
    assert notes("great-war", "naval", detected, Side("1 sub", submerge="always")) == (
        "defender's submerge is passed over: the technology sub_detection forbids it",
    )


def test_seaborne_units_do_not_retreat() -> None:
    landed = Side("3 inf, 2 trn", retreat="round >= 2")
    assert notes("aa-1942", "invasion", landed, "1 inf") == (
        "attacker's retreat is passed over: no unit of this force has the right",
    )
    assert notes("aa-1942", "invasion", landed, "1 inf", overland="1 inf") == ()
    assert notes("aa-1942", "invasion", Side("3 inf, 1 ftr", retreat="round >= 2"), "1 inf") == ()


def test_one_objective_where_both_are_at_their_best() -> None:
    best = Side("3 inf", retreat="best", objective="win")
    fails("one objective, not 'win' and 'value'", "great-war", "land", best, Side("1 inf", retreat="best"))
    battle = Battle("great-war", "land", best, Side("1 inf", retreat="best", objective="win"))
    assert battle.attacker.policy("retreat") is battle.defender.policy("retreat") is BEST
    assert Battle("great-war", "land", best, "1 inf").attacker.objective == "win"


# ---------------------------------------------------------------- fields of a side


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"objective": "wins"}, "^attacker: unknown objective 'wins'; did you mean 'win'"),
        ({"objective": None}, "^attacker: unknown objective None"),
        ({"keep_land": -1}, "^attacker: keep_land must be at least 0"),
        ({"keep_land": True}, "^attacker: keep_land must be a whole number, not True"),
        ({"damaged": "1 inf"}, "^attacker: damaged '1 inf': infantry cannot be damaged"),
        ({"damaged": {"inf": "1"}}, "^attacker: the count of infantry must be a whole number"),
        ({"loss_order": "tnak"}, "^attacker: order of loss 'tnak': unknown unit"),
        ({"loss_order": 3}, "^attacker: an order of loss is"),
        ({"retreat": "rounds > 3"}, "^attacker: retreat 'rounds > 3': unknown 'rounds'"),
        ({"retreat": None}, "^attacker: retreat takes"),
        ({"submerge": "best"}, "^attacker: submerge: no rule of great-war"),
        ({"technologies": 3}, "^attacker: technologies are a list"),
        ({"technologies": [3]}, "^attacker: a technology is named by"),
        ({"force": None}, "^attacker: a force is text"),
    ],
)
def test_bad_fields(fields: dict[str, Any], says: str) -> None:
    fails(says, "great-war", "land", Side(**{"force": "3 inf", **fields}), "1 inf")


def test_damage() -> None:
    battle = Battle(
        "aa-1942", "naval", Side("2 bb", damaged={"battleships": 1}), Side("1 bb", damaged="1 bb")
    )
    assert battle.attacker.damaged == battle.defender.damaged == (("battleship", 1),)
    fails("there are only 2 battleship", "aa-1942", "naval", Side("2 bb", damaged="3 bb"), "1 dd")
    fails("there are only 0 battleship", "aa-1942", "naval", Side("2 dd", damaged="1 bb"), "1 dd")


def test_a_forced_order_wins_with_a_note() -> None:
    def order(text: str) -> tuple[str, ...]:
        return notes("aa-1942", "naval", Side("1 trn, 2 dd, 1 bb", loss_order=text), "1 sub")

    says = ("attacker's order of loss: the rules lose transport last, whatever the order says",)
    assert order("trn, dd") == says
    assert order("dd, trn, bb") == says
    assert order("1 dd, bb, trn") == says
    assert order("bb*, dd, bb, trn") == ()
    assert order("dd") == ()
    assert notes("great-war", "naval", Side("1 trn, 2 ca", loss_order="trn, ca"), "1 sub") == ()


def test_1914_forces_orders_with_notes_too() -> None:
    def order(text: str) -> list[str]:
        said = notes("aa-1914", "invasion", Side("2 inf, 1 art, 1 tank, 1 bb", loss_order=text), "1 inf")
        return [note.split("the rules lose ")[1].split(",")[0] for note in said]

    assert order("inf, art") == ["the last infantry last"]
    assert order("1 inf, 1 inf, art, tank*") == ["the last infantry last", "tank* first"]
    assert order("1 inf, art, tank, inf") == []
    assert order("tank*, art, tank, inf") == [], "ships off the coast cannot be lost"
    assert notes("aa-1914", "land", "2 inf", Side("1 inf, 1 tank", loss_order="tank, tank*")) == (), (
        "in defence a tank absorbs nothing"
    )


def test_an_order_may_name_units_that_are_not_there() -> None:
    battle = Battle("aa-1942", "land", Side("3 inf", loss_order="sub, tank, inf"), "1 inf")
    assert battle.notes == ()


def test_no_land_unit_to_keep() -> None:
    assert notes("aa-1942", "land", Side("3 ftr", keep_land=1), "1 inf") == (
        "attacker's keep_land is passed over: there is no land unit to keep",
    )
    assert notes("aa-1942", "land", Side("3 ftr, 1 inf", keep_land=5), "1 inf") == ()


# ---------------------------------------------------------------- keywords


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"rounds": -1}, "^rounds must be at least 0, not -1"),
        ({"rounds": 2.0}, "^rounds must be a whole number, not 2.0"),
        ({"rounds": True}, "^rounds must be a whole number"),
        ({"territory": float("nan")}, "^territory is its worth in IPC, .* not nan"),
        ({"territory": float("inf")}, "not inf"),
        ({"territory": -1}, "not -1"),
        ({"territory": "3"}, "not '3'"),
        ({"territory": True}, "not True"),
        ({"territory": 10**400}, "^territory is its worth"),
        ({"dice": "loaded"}, "^unknown dice 'loaded'; known: standard, low-luck"),
        ({"dice": {"raids": "low-luck"}}, "unknown purpose of dice 'raids'; did you mean 'raid'"),
        ({"dice": {"aa": 3}}, "^unknown dice 3"),
        ({"dice": {"aa": None}}, "^dice: 'aa' is a number, true, false or a word, not None"),
        ({"changes": {"tank.cost": 10**5000}}, "not a huge int"),
        ({"changes": {"x" * 1000: 1}}, "^changes: a name is a short text"),
        ({"dice": 3}, "^dice is a mapping"),
        ({"options": {"mine": True}}, "unknown option 'mine'"),
        ({"options": {"mines": "perhaps"}}, "option 'mines'"),
        ({"options": [1]}, r"^options is a mapping name -> value, not \[1\]"),
        ({"changes": {"tnak.cost": 3}}, "tnak"),
        ({"changes": 3}, "^changes is a mapping"),
        ({"overland": "1 inf"}, "^overland: land of great-war has no part that comes by land"),
        ({"overland": "1 tnak"}, "^overland: unknown unit 'tnak'"),
        ({"sea_defender": "1 ca"}, "^at sea: sea_defender: no battle at sea comes before land"),
        ({"sea_attacker": "1 ca"}, "^at sea: sea_attacker: no battle at sea comes before land"),
        ({"sea_defender": 3}, "^sea_defender is a force"),
    ],
)
def test_bad_keywords(keywords: dict[str, Any], says: str) -> None:
    fails(says, "great-war", "land", "3 inf", "1 inf", **keywords)


def test_bad_names() -> None:
    fails("'sea'; it has land, naval, invasion", "great-war", "sea", "3 inf", "1 inf", error=BattleError)
    fails("has no sequence None", "great-war", None, "3 inf", "1 inf", error=BattleError)
    fails("^attacker is a force", "great-war", "land", 3, "1 inf")
    fails("great", "great-wars", "land", "3 inf", "1 inf")


def test_dice_by_purpose() -> None:
    battle = Battle("aa-1942", "land", "3 inf", "1 inf", dice={"battle": "Low Luck", "aa": "standard"})
    assert dict(battle.dice)["battle"] == "low-luck"
    assert [kind for _, kind in battle.dice].count("standard") == 4
    assert Battle("aa-1942", "land", "3 inf", "1 inf", dice={}) == Battle("aa-1942", "land", "3 inf", "1 inf")


def test_numbers_of_numpy_will_do() -> None:
    changes = {"tank.cost": np.int64(5), "infantry.cost": np.float64(2.5)}
    battle = Battle(
        "great-war", "land", "1 tank", "1 inf", rounds=np.int32(2), changes=changes, territory=np.float32(1)
    )
    assert battle == Battle(
        "great-war",
        "land",
        "1 tank",
        "1 inf",
        rounds=2,
        changes={"tank.cost": 5, "infantry.cost": 2.5},
        territory=1,
    )
    mines = {"called_shots": np.int64(2)}
    assert dict(Battle("great-war", "naval", "1 sub", "1 sub", options=mines).options)["called_shots"] == 2


def test_called_shots_need_single_dice() -> None:
    args = ("great-war", "naval", "2 dread", "1 ca")
    fails("^called_shots needs dice", *args, dice="low-luck", options={"called_shots": 1})
    Battle(*args, dice={"mines": "low-luck"}, options={"called_shots": 1})
    Battle(*args, dice="low-luck", options={"called_shots": 0})


def test_nothing_is_captured_at_sea() -> None:
    args = ("great-war", "naval")
    fails("^territory: nothing is captured in naval", *args, "2 dread", "1 ca", territory=1)
    fails("^attacker: objective 'capture'", *args, Side("2 dread", objective="capture"), "1 ca")
    fails("^defender: objective 'capture'", *args, "2 dread", Side("1 ca", objective="capture"))
    assert Battle(*args, "2 dread", "1 ca", territory=0).territory == 0


# ---------------------------------------------------------------- landings


def test_the_great_war_has_no_overland_part() -> None:
    fails(
        "^overland: invasion of great-war has no part that comes by land",
        "great-war",
        "invasion",
        "2 inf, 1 trn",
        "1 inf",
        overland="1 inf",
    )


def test_what_comes_by_land() -> None:
    battle = Battle(
        "aa-1942", "invasion", Side("2 inf, 1 trn, 1 ftr", keep_land=1), "1 inf", overland={"arm": 1}
    )
    assert battle.attacker.counts == (("infantry", 2), ("fighter", 1), ("transport", 1))
    assert battle.attacker.overland == (("tank", 1),)
    fails("overland: destroyer cannot come by land", "aa-1942", "invasion", "2 inf", "1 inf", overland="1 dd")


def test_ships_bombard_only_with_units_that_land() -> None:
    assert notes("aa-1942", "invasion", "1 ftr, 1 bb", "1 inf") == (
        "battleship does not bombard: no unit of the force lands",
    )
    assert notes("aa-1942", "invasion", "1 bb", "1 inf", overland="1 inf") != ()
    assert notes("great-war", "invasion", "1 fighter, 1 dread", "1 inf") == ()


def test_the_battle_at_sea() -> None:
    battle = Battle(
        "great-war",
        "invasion",
        Side(
            "2 inf, 1 fighter, 1 trn, 1 dread",
            loss_order="inf, trn, dread",
            damaged="1 dread",
            contest="round > 2",
        ),
        "1 inf",
        sea_attacker=Side("2 sub, 1 dread", retreat="units <= 2", loss_order="1 dread"),
        sea_defender=Side("2 ca", retreat="round >= 3"),
        options={"mines": True},
        dice="low-luck",
        rounds=3,
        territory=4,
    )
    sea = battle.sea_battle
    assert sea is not None
    assert sea.sequence.id == "naval"
    assert sea.attacker.counts == (("dreadnought", 2), ("submarine", 2), ("transport", 1))
    assert sea.attacker.loss_order == (
        Loss("dreadnought", count=1),
        Loss("infantry"),
        Loss("transport"),
        Loss("dreadnought"),
    )
    assert sea.attacker.damaged == (("dreadnought", 1),)
    assert sea.attacker.policy("retreat").text == "units <= 2"
    assert sea.attacker.policy("contest") is NEVER
    assert (sea.rounds, sea.territory) == (None, 0)
    assert (sea.dice, sea.options) == (battle.dice, battle.options)
    assert battle.sea_attacker is sea.attacker
    assert battle.sea_defender is sea.defender
    assert battle.landing_ships == (("dreadnought", 1), ("transport", 1))
    assert battle.attacker.policy("contest").text == "round > 2"


def test_technologies_hold_at_sea() -> None:
    battle = Battle(
        "great-war",
        "invasion",
        "1 inf, 1 trn",
        Side("1 inf", technologies="sub_detection"),
        sea_attacker="1 sub",
        sea_defender="1 ca",
    )
    assert battle.sea_defender is not None
    assert battle.sea_defender.technologies == frozenset({"sub_detection"})


def test_best_order_holds_at_sea() -> None:
    side = Side("1 inf, 1 trn, 1 bb", loss_order="best")
    battle = Battle("aa-1942", "invasion", side, "1 inf", sea_defender="1 dd")
    assert battle.sea_attacker is not None
    assert battle.sea_attacker.loss_order == "best"


def test_sea_sides_that_make_no_sense() -> None:
    args = ("aa-1942", "invasion", "1 inf, 1 trn", "1 inf")
    fails("^at sea: sea_attacker needs a sea_defender", *args, sea_attacker="1 dd")
    fails(
        "^at sea: attacker: infantry cannot take part in naval",
        *args,
        sea_attacker="1 inf",
        sea_defender="1 dd",
    )
    fails(
        "^at sea: defender: tank cannot take part in naval", *args, sea_attacker="1 dd", sea_defender="1 tank"
    )
    fails("^at sea: attacker: transport cannot attack alone", *args, sea_defender="1 dd")
    fails(
        "^at sea: defender: retreat: no rule",
        *args,
        sea_attacker="1 dd",
        sea_defender=Side("1 dd", retreat="best"),
    )
    empty = Battle(*args, sea_attacker="1 dd", sea_defender="-")
    assert empty.sea_battle is None
    assert empty.notes == ("there is no battle at sea: the sea defender is empty",)


def test_notes_of_the_battle_at_sea() -> None:
    sea = Side("1 dd", submerge="always")
    assert notes("aa-1942", "invasion", "1 inf, 1 trn, 1 bb", "1 inf", sea_defender=sea) == (
        "at sea: defender's submerge is passed over: no unit of this force has the right",
    )


# ---------------------------------------------------------------- what is assumed


def test_assumed_values_by_side() -> None:
    battle = Battle("great-war", "land", "1 inf, 1 art", "1 tank")
    assert set(battle.assumed) >= {"artillery.attack", "artillery.cost", "tank.defence", "tank.cost"}
    assert not {"artillery.defence", "tank.attack", "infantry.attack"} & set(battle.assumed)


def test_assumed_rules_and_options_in_use() -> None:
    def assumed(sequence: str, attacker: str, defender: str, **kw: Any) -> set[str]:
        return set(Battle("great-war", sequence, attacker, defender, **kw).assumed)

    quiet = assumed("land", "1 inf", "1 inf")
    assert quiet == set()
    assert assumed("land", "1 inf, 1 gas", "1 inf") > quiet
    plain = assumed("naval", "1 sub", "1 sub")
    assert assumed("naval", "1 sub", "1 sub", options={"mines": True}) - plain == {"mines"}
    detecting = Side("1 sub", technologies=("sub_detection",))
    assert set(Battle("great-war", "naval", detecting, "1 sub").assumed) - plain == {"sub_detection"}
    assert "ground fire may be taken on aircraft" in assumed("land", "1 inf", "1 inf, 1 plane")
    landed = "landed units may contest but not retreat; the defender may retreat after a round"
    flown = "the defender's aircraft fire before the landed units, as all defenders do"
    assert assumed("invasion", "1 inf", "1 inf") == {landed}
    assert assumed("invasion", "1 inf", "1 inf, 1 plane") > {landed, flown}


def test_assumed_at_sea_counts_too() -> None:
    landing = Battle(
        "great-war", "invasion", "1 inf, 1 trn", "1 inf", sea_attacker="1 sub", sea_defender="1 ca"
    )
    assert "submarine.attack" in landing.assumed


def test_changed_values_are_no_longer_assumed() -> None:
    battle = Battle("great-war", "land", "1 tank", "1 inf", changes={"tank.attack": 4})
    assert "tank.attack" not in battle.assumed
    assert "tank.cost" in battle.assumed


# ---------------------------------------------------------------- anything at all

FIELDS = [
    "technologies",
    "loss_order",
    "keep_land",
    "damaged",
    "retreat",
    "contest",
    "air_retreat",
    "submerge",
    "objective",
]
KEYWORDS = ["rounds", "dice", "options", "territory", "overland", "sea_attacker", "sea_defender", "changes"]
sides = st.one_of(
    ANYTHING,
    st.builds(
        lambda force, fields: Side(force, **fields),
        ANYTHING,
        st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=2),
    ),
)


@QUICK
@given(
    st.sampled_from(["land", "naval", "invasion"]) | ANYTHING,
    st.just("3 inf, 1 ftr") | sides,
    st.just("2 inf") | sides,
    st.dictionaries(st.sampled_from(KEYWORDS), ANYTHING, max_size=2),
)
def test_only_our_errors_escape(
    sequence: Any, attacker: Any, defender: Any, keywords: dict[str, Any]
) -> None:
    try:
        battle = Battle("great-war", sequence, attacker, defender, **keywords)
    except BattlecalcError as wrong:
        assert "\n" not in str(wrong)
    else:
        assert eval(repr(battle)) == battle


@QUICK
@given(st.sampled_from(FIELDS), ANYTHING)
def test_only_our_errors_escape_from_a_field(field: str, value: Any) -> None:
    try:
        battle = Battle("great-war", "naval", Side("2 dread", **{field: value}), "1 sub")
    except BattlecalcError:
        return
    assert eval(repr(battle)) == battle


@QUICK
@given(st.sampled_from(KEYWORDS), ANYTHING)
def test_only_our_errors_escape_from_a_keyword(keyword: str, value: Any) -> None:
    try:
        battle = Battle("aa-1942", "invasion", "2 inf, 1 bb", "1 inf", **{keyword: value})
    except BattlecalcError:
        return
    assert eval(repr(battle)) == battle
