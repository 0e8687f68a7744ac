"""Lists and frames of battles in one call."""

from __future__ import annotations

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import battlecalc as bc

PAIRS = [
    ("6 inf", "5 inf"),
    ("3 inf, 1 art", {"infantry": 2}),
    (bc.Side("6 inf", retreat="units <= 2"), "5 inf"),
]
BATTLES = [bc.Battle("aa-1942-2e", "land", attacker, defender) for attacker, defender in PAIRS]


def test_each_battle_as_it_is_alone() -> None:
    table = bc.odds_many(BATTLES)
    for row, battle in zip(table.to_dict("records"), BATTLES, strict=True):
        assert {name: row[name] for name in bc.OUTCOMES} == pytest.approx(bc.solve(battle).outcomes)
        assert row["captures"] == pytest.approx(bc.solve(battle).captures)
    assert table["attacker"].tolist() == ["6 infantry", "3 infantry, 1 artillery", "6 infantry"]


def test_many_are_worked_out_together_and_are_right() -> None:
    forces = [f"{i} inf, {j} art" for i in range(1, 5) for j in range(4)]
    pairs = [(attacker, f"{defender}, 1 fighter") for attacker in forces for defender in forces]
    table = bc.odds_many(pairs, "great-war", "land", territory=3)
    for place in (0, 17, 100, 255):
        odds, row = bc.solve("great-war", "land", *pairs[place], territory=3), table.loc[place]
        assert row["attacker_wins"] == pytest.approx(odds.outcomes["attacker_wins"], abs=1e-12)
        assert row["expected_gain"] == pytest.approx(odds.expected_gain("attacker"), abs=1e-10)
        assert row["expected_rounds"] == pytest.approx(odds.to_dict()["expected_rounds"], abs=1e-10)


@pytest.mark.parametrize(
    ("ruleset", "sequence", "attackers", "defenders"),
    [
        # ships off the shore bombard for so many that land; forts alone hold nothing
        (
            "great-war",
            "invasion",
            [f"{n} inf, {ships} dreadnought" for n in (1, 2, 3) for ships in (1, 2)],
            ["1 fort", "1 inf", "1 fort, 1 inf", "2 inf", "1 artillery"],
        ),
        (
            "aa-1942-2e",
            "invasion",
            [f"{n} inf, {ships} battleship" for n in (1, 2, 3) for ships in (0, 1, 2)],
            ["1 aa_gun", "1 inf", "1 aa_gun, 2 inf", "2 inf", "1 tank"],
        ),
        # hurt ships, boats that leave, and the casualty strip
        (
            "aa-revised",
            "naval",
            [
                bc.Side(f"{n} battleship, 2 sub", damaged=f"{hurt} battleship", submerge="units <= 2")
                for n in (1, 2)
                for hurt in range(n + 1)
            ],
            ["1 destroyer", "1 sub", "2 sub, 1 battleship"],
        ),
    ],
)
def test_whatever_begins_in_one_program(
    ruleset: str, sequence: str, attackers: list[str | bc.Side], defenders: list[str]
) -> None:
    pairs = [(attacker, defender) for attacker in attackers for defender in defenders]
    table = bc.odds_many(pairs, ruleset, sequence)
    for row, pair in zip(table.to_dict("records"), pairs, strict=True):
        odds = bc.solve(ruleset, sequence, *pair)
        assert {name: row[name] for name in bc.OUTCOMES} == pytest.approx(odds.outcomes, abs=1e-12), pair
        assert row["captures"] == pytest.approx(odds.captures, abs=1e-12)
        assert row["expected_rounds"] == pytest.approx(odds.to_dict()["expected_rounds"], abs=1e-10)
        for side in ("attacker", "defender"):
            lost = odds.value_lost(side)
            assert row[f"{side}.value_lost"] == pytest.approx(float((lost.index * lost).sum()), abs=1e-10)


def test_pairs_mappings_and_frames_are_the_same_battles() -> None:
    expected = bc.odds_many(BATTLES[:2])
    assert_frame_equal(bc.odds_many(PAIRS[:2], "aa-1942-2e", "land"), expected)
    mappings = [{"attacker": a, "defender": d, "sequence": "land"} for a, d in PAIRS[:2]]
    assert_frame_equal(bc.odds_many(mappings, "aa-1942-2e"), expected)
    forces = pd.DataFrame({"attacker": ["6 inf", "3 inf, 1 art"], "defender": ["5 inf", "2 inf"]})
    assert_frame_equal(bc.odds_many(forces, "aa-1942-2e", "land"), expected)
    counts = pd.DataFrame(
        {"attacker.infantry": [6, 3], "attacker.art": [None, 1], "defender.inf": [5, 2]}, index=["x", "y"]
    )
    assert_frame_equal(bc.odds_many(counts, "aa-1942-2e", "land"), expected.set_axis(["x", "y"]))


def test_what_all_share() -> None:
    (row,) = bc.odds_many([("6 inf", "5 inf")], "aa-1942-2e", "land", rounds=2).to_dict("records")
    assert row["unresolved"] == bc.solve(BATTLES[0].replace(rounds=2)).outcomes["unresolved"] > 0


def test_equal_battles_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from battlecalc.sweeping import many

    asked = []

    def find(battle: bc.Battle, *how: object) -> bc.Odds:
        asked.append(battle)
        return bc.solve(battle)

    monkeypatch.setattr(many, "find", find)
    table = bc.odds_many(
        [("6 inf", "5 inf"), ("5 inf, 1 infantry", "5 inf"), ("1 inf", "5 inf")] * 2, "aa-1942", "land"
    )
    assert len(asked) == 2
    assert table["attacker_wins"].nunique() == 2


def test_a_slip_costs_nothing_else() -> None:
    questions = [
        ("6 inf", "5 inf"),
        ("6 infs", "5 int"),
        ("6 inf",),
        3,
        {"attacker": "1 inf", "defender": "-"},
    ]
    table = bc.odds_many(questions, "aa-1942-2e", "land")
    assert table["error"].isna().tolist() == [True, False, False, False, False]
    assert table["attacker"].tolist()[:2] == ["6 infantry", "6 infs"]
    assert table["error"][2] == "a battle is a Battle, a pair of forces or a mapping, not ('6 inf',)"


def test_seeds_are_those_of_the_question() -> None:
    how = {"method": "monte-carlo", "trials": 1000, "seed": 3}
    one = bc.odds_many(BATTLES, **how)
    other = bc.odds_many(BATTLES[::-1], **how)
    assert_frame_equal(one, other[::-1].reset_index(drop=True))
    assert one["seed"].nunique() == 3


def test_nothing_is_asked() -> None:
    assert bc.odds_many([]).empty


@pytest.mark.parametrize("battles", ["6 inf", 3, BATTLES[0], {"attacker": "6 inf"}])
def test_one_battle_is_no_list(battles: object) -> None:
    with pytest.raises(bc.BattleError, match=r"^odds_many takes a list or frame of battles, not "):
        bc.odds_many(battles)  # type: ignore[arg-type]


def test_a_keyword_that_no_battle_has() -> None:
    table = bc.odds_many([("1 inf", "1 inf")], "aa-1942", "land", round=3)
    assert "unexpected keyword argument 'round'" in table["error"][0]


def test_what_is_missing_is_said() -> None:
    assert bc.odds_many([("1 inf", "1 inf")], "aa-1942")["error"].tolist() == ["a battle needs sequence"]


def test_cells_that_hold_nothing_are_left_out() -> None:
    columns = {"attacker.infantry": [6, 3], "attacker.artillery": [None, 1], "defender.infantry": [5, 2]}
    table = pd.DataFrame(columns).astype({"attacker.artillery": "Int64"})
    answers = bc.odds_many(table, "aa-1942", "land")
    assert answers["attacker"].tolist() == ["6 infantry", "3 infantry, 1 artillery"]
    assert answers["error"].isna().all()


def test_text_where_a_number_belongs_costs_its_row_only() -> None:
    table = pd.DataFrame({"attacker.infantry": [6, "six", float("inf")], "defender.infantry": [5, 5, 5]})
    answers = bc.odds_many(table, "aa-1942", "land")
    assert answers["error"].isna().tolist() == [True, False, False]
    assert "six" in answers["error"][1]


def test_a_frame_names_a_side_in_one_way() -> None:
    table = pd.DataFrame({"attacker": ["6 inf"], "attacker.tank": [1], "defender": ["5 inf"]})
    with pytest.raises(bc.BattleError, match=r"^a frame has either a column 'attacker' or columns such as "):
        bc.odds_many(table, "aa-1942", "land")


def test_states_are_a_whole_number() -> None:
    with pytest.raises(bc.BattleError, match=r"^max_states is a whole number from 1 .* not 'many'$"):
        bc.odds_many(BATTLES, max_states="many")  # type: ignore[arg-type]
