"""Advice: the table is the sum of single answers, best first, and says what it found in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import battlecalc as bc
from battlecalc.advising.advice import worst
from battlecalc.advising.plans import plans
from battlecalc.advising.wording import first_decisions

BATTLE = bc.Battle("aa-1942", "land", "3 inf, 1 art, 1 fighter", "4 inf", territory=3)


def test_rows_are_the_odds_of_their_plans() -> None:
    advice = bc.advise(BATTLE)
    names = {"fight to the end", "retreat after round 2", "best decisions", "a land unit is lost last"}
    assert names <= {rated.plan.name for rated in advice.rated}
    strafe = bc.solve(BATTLE.replace(attacker=bc.Side("3 inf, 1 art, 1 fighter", retreat="round >= 2")))
    row = advice.plan("retreat after round 2")
    assert row.win == strafe.outcomes["attacker_wins"]
    assert row.capture == strafe.captures
    assert row.gain == strafe.expected_gain("attacker")
    assert row.swing == pytest.approx(row.gain - 3 * strafe.captures)
    kept = advice.plan("a land unit is lost last")
    assert kept.capture == kept.win


@pytest.mark.parametrize("side", ["attacker", "defender"])
@pytest.mark.parametrize(("objective", "column"), [("value", "gain"), ("win", "win")])
def test_ranked_by_the_objective(side: str, objective: str, column: str) -> None:
    forces: dict[str, Any] = {"attacker": "4 inf, 1 art", "defender": "3 inf, 1 art"}
    forces[side] = bc.Side(forces[side], objective=objective)
    advice = bc.advise(bc.Battle("great-war", "land", **forces), side)
    values = advice.frame()[column].to_numpy()
    assert (np.diff(values) <= 1e-8).all()
    best = max(
        ("best decisions", "best decisions and order of loss"), key=lambda n: getattr(advice.plan(n), column)
    )
    assert getattr(advice.best, column) == pytest.approx(getattr(advice.plan(best), column), abs=1e-8)


def test_defender_sees_his_own_swing() -> None:
    own, other = (
        bc.advise(BATTLE, "defender").plan("fight to the end"),
        bc.advise(BATTLE).plan("fight to the end"),
    )
    assert own.swing == -other.swing
    assert own.gain == pytest.approx(3 - other.gain)


def test_worst_tenth_splits_the_value_at_its_edge() -> None:
    odds = bc.solve("aa-1942", "land", "1 infantry", "1 infantry")
    assert odds.swing().to_dict() == pytest.approx({-3: 5 / 8, 0: 1 / 8, 3: 1 / 4})
    assert worst(odds, "attacker") == pytest.approx(-3)
    assert worst(odds, "attacker", share=0.75) == pytest.approx(-2.5)
    assert worst(odds, "defender") == pytest.approx(-3)
    assert worst(odds, "defender", share=0.5) == pytest.approx(-0.75)


@pytest.mark.parametrize(
    ("battle", "side", "some", "none"),
    [
        (("great-war", "land", "3 inf", "3 inf"), 0, {"contest after round 1"}, {"submerge at once"}),
        (("great-war", "land", "3 inf", "3 inf"), 1, {"retreat after round 1"}, {"contest after round 1"}),
        (("aa-1942", "land", "3 inf", "3 inf"), 1, {"fight to the end"}, {"retreat after round 1"}),
        (("aa-1942", "naval", "1 sub, 1 dd", "1 ca"), 0, {"submerge at once"}, {"a land unit is lost last"}),
        (("aa-1942", "land", "3 inf", "3 inf"), 0, {"retreat after round 3"}, {"best order of loss"}),
        (("aa-1942-2e", "raid", "2 bmb", "1 ic"), 0, {"fight to the end"}, {"best decisions"}),
        (
            ("great-war", "land", "3 inf, 2 fighter", "3 inf, 1 fighter"),
            0,
            {"withdraw the aircraft after round 1"},
            {"submerge at once"},
        ),
    ],
)
def test_plans_are_those_of_the_rules(
    battle: tuple[str, str, str, str], side: int, some: set[str], none: set[str]
) -> None:
    names = {plan.name for plan in plans(bc.Battle(*battle), side)}
    assert some <= names
    assert not none & names


def test_the_side_keeps_its_order_and_may_have_asked() -> None:
    own = bc.Side("2 inf, 1 tank, 1 ftr", retreat="units <= 2", loss_order="tank, inf")
    battle = bc.Battle("aa-1942", "land", own, "3 inf")
    advice = bc.advise(battle)
    assert advice.plan("as asked").gain == bc.solve(battle).expected_gain("attacker")
    assert advice.plan("fight to the end").odds.loss_orders["attacker"][0] == "tank"  # type: ignore[index]
    best = advice.plan("best order of loss")
    assert best.gain > advice.plan("fight to the end").gain
    assert any(note.startswith("best order of loss: infantry") for note in advice.notes)


def test_large_battles_are_simulated_and_their_decisions_left_out() -> None:
    advice = bc.advise(
        bc.Battle("aa-1942", "land", "300 inf", "300 inf"), trials=2_000, seed=1, max_states=1_000
    )
    assert set(advice.frame()["method"]) == {"monte-carlo"}
    assert any(note.startswith("fight to the end: simulated") for note in advice.notes)
    again = bc.advise(
        bc.Battle("aa-1942", "land", "300 inf", "300 inf"), trials=2_000, seed=1, max_states=1_000
    )
    assert advice.frame().equals(again.frame())


def test_text_document_and_notebook() -> None:
    advice = bc.advise(bc.Battle("aa-1942", "naval", "1 ftr, 1 bmb", "1 bb, 1 trn"))
    words = "after each round, retreat with 1 bomber against 1 transport and 1 battleship; else fight on"
    assert words in " ".join(str(advice).split())
    assert max(map(len, str(advice).splitlines())) <= 80
    document = json.loads(json.dumps(advice.to_dict()))
    assert document["plans"][0]["plan"] == "best decisions"
    assert document["plans"][0]["side"] == {"retreat": "best", "submerge": "best"} or document["plans"][0][
        "side"
    ] == {"retreat": "best"}
    assert document["plans"][0]["expected_gain"] == pytest.approx(8.325260, abs=5e-7)
    assert document["decisions"] == list(advice.decisions)
    assert repr(advice) == f"<Advice to the attacker: best decisions; {len(advice.rated)} plans>"
    assert "best decisions" in advice._repr_html_()


def rows(*cases: tuple[str, str, str, float]) -> Any:
    """Answer with these rows of a policy."""

    class Answer:
        policies = {  # noqa: RUF012
            "attacker": [
                {"right": "retreat", "round": "1+", "attacker": a, "defender": d, "decision": x, "chance": p}
                for a, d, x, p in cases
            ]
        }

    return Answer()


def test_words_for_numbers_of_units() -> None:
    cases = [
        (f"{own} infantry", f"{enemy} infantry", "fight on" if own > enemy else "retreat", 0.1)
        for own in (1, 2, 3, 4)
        for enemy in (1, 2, 3)
    ]
    assert first_decisions(rows(*cases), "attacker") == [
        "after each round, retreat unless you have at least 2 units against 1, 3 against 2 and 4 against 3"
    ]
    worse = [*cases, ("4 infantry", "1 tank", "retreat", 0.05)]
    (text,) = first_decisions(rows(*worse), "attacker")
    assert text.endswith("(right in 96.0 % of the cases)")
    hopeless = [*cases, *((f"{own} infantry", "9 infantry", "retreat", 0.2) for own in (3, 4))]
    (text,) = first_decisions(rows(*hopeless), "attacker")
    assert text.endswith("4 against 3; against 9 retreat in any case")


def test_words_for_few_cases_and_for_one_answer() -> None:
    always = [(f"{n} infantry", "1 infantry", "retreat", 0.2) for n in (1, 2)]
    never = [(f"{n} infantry", "1 infantry", "fight on", 0.2) for n in (1, 2)]
    assert first_decisions(rows(*always), "attacker") == ["after each round, retreat"]
    assert first_decisions(rows(*never), "attacker") == ["after each round, never retreat"]
    assert first_decisions(rows(*never, ("1 tank", "2 infantry", "retreat", 1e-6)), "attacker") == [
        "after each round, never retreat"
    ]
    assert first_decisions(rows(*never, ("1 tank", "2 infantry", "retreat", 0.1)), "attacker") == [
        "after each round, retreat with 1 tank against 2 infantry; else fight on"
    ]
    assert first_decisions(rows(), "attacker") == []


def test_no_words_without_best_decisions() -> None:
    assert first_decisions(bc.solve(BATTLE), "attacker") == []


@pytest.mark.parametrize("asked", [bc.advise, bc.best_order])
def test_only_battles_are_advised_on(asked: Callable[[Any], object]) -> None:
    with pytest.raises(bc.BattleError, match=rf"^{asked.__name__} starts from a Battle, not 'land'$"):
        asked("land")
