"""Many battles in one backward pass: the same numbers as one by one."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import battlecalc as bc
from battlecalc.together import means_together

LAND = ("infantry", "artillery", "tank", "fighter", "bomber")
CASES: list[tuple[str, str, tuple[str, ...], tuple[str, ...], dict[str, Any]]] = [
    ("aa-1942-2e", "land", LAND, (*LAND, "aa_gun"), {}),
    ("aa-1942", "land", LAND, LAND, {"rounds": 2, "territory": 3}),
    (
        "great-war",
        "land",
        ("infantry", "artillery", "fighter", "gas"),
        ("infantry", "fighter", "fort", "artillery"),
        {"territory": 2},
    ),
    (
        "aa-1942-2e",
        "naval",
        ("submarine", "destroyer", "fighter", "battleship"),
        ("submarine", "cruiser", "transport"),
        {},
    ),
    ("aa-revised", "naval", ("submarine", "destroyer"), ("submarine", "transport"), {}),
    (
        "aa-1914",
        "land",
        ("infantry", "artillery", "tank", "fighter"),
        ("infantry", "artillery", "fighter"),
        {},
    ),
    ("aa-1942", "invasion", ("infantry", "tank", "fighter"), ("infantry", "artillery"), {}),
    ("aa-1942-2e", "invasion", ("infantry", "tank", "battleship"), ("infantry", "fighter"), {}),
]


def forces(units: tuple[str, ...], rng: random.Random) -> dict[str, int]:
    chosen = [rng.choice(units) for _ in range(rng.randint(1, 5))]
    return {unit: chosen.count(unit) for unit in chosen}


def battles(
    ruleset: str, sequence: str, attack: tuple[str, ...], defence: tuple[str, ...], keywords: dict[str, Any]
) -> list[bc.Battle]:
    rng = random.Random(sequence + ruleset)
    found = []
    while len(found) < 60:
        try:
            own, enemy = bc.Side(forces(attack, rng), retreat="units <= 1"), bc.Side(forces(defence, rng))
            if ruleset == "great-war":
                enemy = replace(enemy, retreat="units <= 1")
            found.append(bc.Battle(ruleset, sequence, own, enemy, **keywords))
        except bc.BattlecalcError:
            continue
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_the_same_as_one_by_one(case: Any) -> None:
    questions = battles(*case)
    answers = means_together(questions)
    together = [(b, m) for b, m in zip(questions, answers, strict=True) if m is not None]
    assert len(together) > 20
    for battle, means in together[::3]:
        odds = bc.solve(battle)
        assert means.outcomes == pytest.approx(tuple(odds.outcomes.values()), abs=1e-11)
        assert means.captures == pytest.approx(odds.captures, abs=1e-11)
        swing = odds.swing()
        gain = float(np.dot(swing, swing.index)) + battle.territory * means.held
        assert odds.expected_gain("attacker") == pytest.approx(gain, abs=1e-9)
        for side, lost in zip(("attacker", "defender"), means.value_lost, strict=True):
            series = odds.value_lost(side)
            assert lost == pytest.approx(float(np.dot(series, series.index)), abs=1e-9)
        assert means.rounds == pytest.approx(odds.components[0].parts[0].mean_rounds, abs=1e-9)


def test_what_must_stand_alone() -> None:
    alone = [
        bc.Battle("aa-1942", "land", bc.Side("3 inf", retreat="best"), "2 inf"),
        bc.Battle("aa-1942", "land", bc.Side("3 inf, 1 tank", keep_land=1), "2 inf"),
        bc.Battle("aa-1942", "land", bc.Side("3 inf, 1 tank", loss_order="2 inf, tank, inf"), "2 inf"),
        bc.Battle("aa-1942", "raid", "1 bomber", "1 ic"),
    ]
    assert means_together([battle for battle in alone for _ in range(20)]) == [None] * 80


def test_few_battles_are_left_to_the_ordinary_way() -> None:
    assert means_together([bc.Battle("aa-1942", "land", "3 inf", "2 inf")]) == [None]
