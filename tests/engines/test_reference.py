"""Both engines against numbers from elsewhere: published battles, examples of the rules, reference tables."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import battlecalc as bc
from battlecalc.endings import OUTCOMES
from tests.engines import tables
from tests.engines.battles import six
from tests.engines.chisquare import assert_same
from tests.engines.twin import as_battle, table_of
from tests.naive import cases
from tests.naive.cases import REFERENCE, VECTORS, by_id

PUBLIC = list(cases.battles())
TRIALS = 40_000


# ------------------------------------------------------------------ the six battles


@pytest.mark.parametrize("name", REFERENCE["battles"])
def test_six_battles_exactly(name: str) -> None:
    odds = bc.solve(six(name))
    expected = REFERENCE["battles"][name]["attacker_wins"]
    assert odds.outcomes["attacker_wins"] == pytest.approx(expected, abs=1e-8)
    assert sum(odds.outcomes.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", REFERENCE["battles"])
def test_six_battles_simulated(name: str) -> None:
    odds = bc.simulate(six(name), trials=200_000, seed=20)
    expected = REFERENCE["battles"][name]["attacker_wins"]
    assert abs(odds.outcomes["attacker_wins"] - expected) < 4 * odds.standard_error("attacker_wins")
    assert 0.0005 < odds.standard_error("attacker_wins") < 0.0012


# ------------------------------------------------------------------ public cases


@pytest.mark.parametrize("case", PUBLIC, ids=by_id)
def test_public_battles_exactly(case: cases.Case) -> None:
    odds = bc.solve(as_battle(case.call))
    found = cases.measures(case, table_of(odds), odds.captures)
    for key, value in case.expect.items():
        assert found.get(key, 0.0) == pytest.approx(value, abs=case.tolerance), key


@pytest.mark.parametrize("case", PUBLIC, ids=by_id)
def test_public_battles_simulated(case: cases.Case) -> None:
    """The whole table by chi-square, so that every number of the case is covered."""
    battle = as_battle(case.call)
    assert_same(bc.simulate(battle, trials=TRIALS, seed=3), bc.solve(battle))


@pytest.mark.parametrize("case", list(cases.hits()), ids=by_id)
def test_public_hits(case: cases.Case) -> None:
    found = bc.hits(case.call["ruleset"], case.call["units"], case.call["side"], dice=case.call["dice"])
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert case.expect
    for key, value in case.expect.items():
        assert cases.hit_measure(key, found) == pytest.approx(value, abs=case.tolerance), key


# ------------------------------------------------------------------ examples of the rules


@pytest.mark.parametrize("vector", VECTORS["battles"], ids=by_id)
def test_vectors(vector: dict[str, Any]) -> None:
    odds = bc.solve(as_battle(vector))
    for key, value in vector["expect"].items():
        assert odds.outcomes[key] == pytest.approx(float(Fraction(value)), abs=vector["tolerance"]), key


@pytest.mark.parametrize("vector", VECTORS["stalemates"], ids=by_id)
def test_stalemates_are_seen_before_the_first_round(vector: dict[str, Any]) -> None:
    battle = as_battle({**vector, "sequence": "naval"})
    for odds in (bc.solve(battle), bc.simulate(battle, trials=100, seed=1)):
        assert odds.outcomes["stalemate"] == 1
        assert odds.rounds().to_dict() == {0: 1.0}
        for side in ("attacker", "defender"):
            left = {unit: n for unit, n in odds.expected_survivors(side).items() if n}
            assert left == vector[f"{side}_survivors"]


@pytest.mark.parametrize("vector", VECTORS["aa_mean_lost"], ids=by_id)
def test_dice_of_guns(vector: dict[str, Any]) -> None:
    force = {"aa_gun": vector["guns"], "infantry": 1}
    odds = bc.solve(vector["ruleset"], "land", {"fighter": vector["planes"]}, force, rounds=0)
    assert odds.expected_losses("attacker")["fighter"] == pytest.approx(vector["dice"] / 6, abs=1e-12)


@pytest.mark.parametrize("vector", VECTORS["great_war_1914"], ids=by_id)
def test_one_round_of_1914(vector: dict[str, Any]) -> None:
    odds = bc.solve("aa-1914", "land", vector["attacker"], vector["defender"])
    assert odds.outcomes["unresolved"] == 0
    for side in ("attacker", "defender"):
        frame = odds.survivors(side)
        left = frame.drop(columns="probability").sum(axis=1)
        for number, value in vector.get(f"{side}_loses", {}).items():
            wanted = sum(vector[side].values()) - int(number)
            chance = frame.probability[left == wanted].sum()
            assert chance == pytest.approx(float(Fraction(value)), abs=1e-12), (side, number)


# ------------------------------------------------------------------ two rules in one battle, worked by hand

PARATROOPERS = {"technologies": ("paratroopers",)}


@pytest.mark.parametrize(
    ("ruleset", "sequence", "attacker", "defender", "keywords", "expected"),
    [
        pytest.param(
            *("aa-1940-2e", "invasion", bc.Side("1 inf, 1 para, 2 bb", **PARATROOPERS), "1 inf", {}),
            {"attacker_wins": "207/232", "defender_wins": "125/1392", "mutual_destruction": "25/1392"},
            id="one battleship bombards: the paratrooper has not landed",
        ),
        pytest.param(
            "aa-1940-2e",
            "invasion",
            bc.Side("1 trn, 2 inf, 1 para", retreat="round >= 1", **PARATROOPERS),
            "1 inf",
            {"rounds": 1},
            {"attacker_wins": "91/216", "unresolved": "125/216"},
            id="the paratrooper takes no room and leaves, those from the transport stay",
        ),
        pytest.param(
            "aa-1940-2e",
            "invasion",
            bc.Side("1 inf, 1 para", retreat="round >= 1", **PARATROOPERS),
            "1 inf",
            {},
            {
                "attacker_wins": "91/216",
                "attacker_retreats": "25/108",
                "defender_wins": "125/432",
                "mutual_destruction": "25/432",
            },
            id="the paratrooper leaves alone once the landed infantry is lost",
        ),
        pytest.param(
            "aa-1940-2e",
            "raid",
            "1 tac, 1 bomber",
            "1 ftr, 1 air_base",
            {"options": {"raid_on_base": True, "alpha_interceptors": True}},
            {"attacker_wins": "3655/3888", "defender_wins": "233/3888"},
            id="tactical bombers fire in the air battle of the alpha rules",
        ),
        pytest.param(
            "aa-anniversary",
            "land",
            bc.Side("1 bomber, 1 ftr, 1 inf", **PARATROOPERS),
            "1 inf, 1 aa",
            {"rounds": 0, "options": {"free_aa_choice": True}},
            {"defender_wins": "1/36", "unresolved": "35/36"},
            id="infantry goes down with its bomber also where the owner chooses among all planes",
        ),
        pytest.param(
            "great-war",
            "invasion",
            "1 inf, 1 trn, 1 ca",
            "1 inf",
            {"sea_defender": bc.Side("1 ca", retreat="round >= 1")},
            {"attacker_wins": "3/16", "defender_wins": "13/16"},
            id="a fleet that retreats leaves the sea zone to the landing",
        ),
        pytest.param(
            *("aa-1940-2e", "naval", "1 ca", "1 trn", {"options": {"kamikaze": 1}}),
            {"attacker_wins": "2/3", "defender_wins": "1/3"},
            id="kamikaze strikes come before defenceless transports are destroyed",
        ),
        pytest.param(
            *("aa-1914", "naval", "1 ca", "1 trn", {"options": {"mines": True}}),
            {"attacker_wins": "5/6", "defender_wins": "1/6"},
            id="mines ask for no warship in the zone",
        ),
        pytest.param(
            *("aa-1914", "invasion", "1 art", "1 art", {"overland": "1 tank"}),
            {"attacker_wins": "13/24", "contested": "11/24"},
            id="no tank that came by land absorbs the coastal fire",
        ),
        pytest.param(
            *("aa-1914", "invasion", "1 art", "1 art", {"overland": "2 inf"}),
            {"attacker_wins": "25/36", "contested": "11/36"},
            id="coastal fire falls on the landed artillery, not on the cheaper infantry beside it",
        ),
        pytest.param(
            "aa-1914",
            "invasion",
            "1 inf",
            "1 art, 1 ftr",
            {"options": {"supremacy_boosts_coastal_fire": True}},
            {"defender_wins": "25/27", "contested": "2/27"},
            id="air supremacy adds 1 to coastal fire where the option says so",
        ),
    ],
)
def test_rules_that_meet(
    ruleset: str,
    sequence: str,
    attacker: str | bc.Side,
    defender: str,
    keywords: dict[str, Any],
    expected: dict[str, str],
) -> None:
    odds = bc.solve(ruleset, sequence, attacker, defender, **keywords)
    found = {outcome: chance for outcome, chance in odds.outcomes.items() if chance}
    assert found == pytest.approx({key: float(Fraction(value)) for key, value in expected.items()}, abs=1e-12)


def test_a_tank_absorbs_its_hit_first_whatever_the_order_says() -> None:
    attacker = bc.Side("1 art, 1 tank", loss_order="art, tank*")
    for defender, left in (("1 inf", 1.0), ("2 inf", 3 / 4)):
        odds = bc.solve("aa-1914", "land", attacker, defender)
        assert odds.expected_survivors("attacker") == pytest.approx({"artillery": left, "tank": 1})


def test_paratroopers_come_beside_others() -> None:
    for sequence in ("land", "invasion"):
        with pytest.raises(bc.BattlecalcError, match="paratrooper cannot attack alone"):
            bc.Battle("aa-1940-2e", sequence, bc.Side("1 para", **PARATROOPERS), "1 inf")
    with pytest.raises(bc.BattlecalcError, match="3 infantry do not fit into 1 transport"):
        bc.Battle("aa-1940-2e", "invasion", bc.Side("1 trn, 3 inf, 1 para", **PARATROOPERS), "1 inf")
    with pytest.raises(bc.BattlecalcError, match="land units do not fight at sea"):
        bc.Battle("aa-1940-2e", "naval", bc.Side("1 sub, 1 para", **PARATROOPERS), "1 sub")


# ------------------------------------------------------------------ reference tables

TABLES = {ruleset: tables.read(path) for ruleset, path in tables.tables()}
ROWS = [(ruleset, row) for ruleset, rows in TABLES.items() for row in rows]


def test_every_ruleset_has_a_table_for_each_kind_of_battle() -> None:
    assert sorted(TABLES) == sorted(bc.ruleset_ids())
    for ruleset, rows in TABLES.items():
        kinds = set(bc.load_ruleset(ruleset).sequences) - {"raid"}
        assert {row["sequence"] for row in rows} == kinds, ruleset


@pytest.mark.parametrize(
    ("ruleset", "row"),
    ROWS,
    ids=[f"{r} {row['sequence']}: {row['attacker']} v {row['defender']}; {row['asked']}" for r, row in ROWS],
)
def test_tables(ruleset: str, row: tables.Row) -> None:
    odds = bc.solve(as_battle(tables.call_of(ruleset, row)))
    for key in OUTCOMES:
        assert odds.outcomes[key] == pytest.approx(float(row[key]), abs=1e-10), key
    assert odds.captures == pytest.approx(float(row["captures"]), abs=1e-10)


def test_tables_are_what_the_twin_says_today() -> None:
    for ruleset, rows in TABLES.items():
        assert tables.answer(ruleset, rows[0]) == rows[0]
