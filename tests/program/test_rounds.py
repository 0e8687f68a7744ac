"""Nothing left to fight with? That depends on what is still to come: modifiers and steps of later rounds."""

from __future__ import annotations

from pathlib import Path

import pytest

import battlecalc as bc

HOUSE = """
schema = 1
name = "Not yet"
holders = ["militia"]

[units]
militia = {{ attack = 0, defence = 0, cost = 3 }}
gun = {{ attack = 2, defence = 2, cost = 4 }}

[modifiers.dawn]
side = "attacker"
to = ["militia"]
add = 1
when = {{ rounds = {dawn} }}

[sequences.land]
takes = {{ attacker = ["militia", "gun"], defender = ["militia", "gun"] }}

[sequences.land.stages.battle]
repeat = "rounds"

[sequences.land.stages.battle.steps.skirmish]
fire = [{{ side = "both", who = ["militia"], at = ["militia", "gun"] }}]

[sequences.land.stages.battle.steps.guns]
when = {{ rounds = {guns} }}
fire = [{{ side = "both", who = ["gun"], at = ["militia", "gun"] }}]

[sequences.land.stages.battle.steps.leave]
decide = [{{ side = "attacker", right = "retreat", leaves = ["militia", "gun"] }}]
"""


def house(path: Path, dawn: str | int = 1, guns: str | int = 1) -> Path:
    rules = path / "house.toml"
    text = {"dawn": dawn, "guns": guns}
    rules.write_text(
        HOUSE.format(**{name: f'"{n}"' if isinstance(n, str) else n for name, n in text.items()}),
        encoding="utf-8",
    )
    return rules


def chances(odds: bc.Odds) -> dict[str, float]:
    return {name: p for name, p in odds.outcomes.items() if p}


MISS = 5 / 6  # of militia at dawn


@pytest.mark.parametrize(
    ("dawn", "win", "rounds"),
    [
        (1, 1 - MISS, 1.0),
        (2, 1 - MISS, 1.0),  # no die is rolled in round 1
        ("1-2", 1 - MISS**2, 1 + MISS),
        ("2-3", 1 - MISS**2, 1 + MISS),
        ("2-", 1.0, 6.0),
    ],
)
def test_a_modifier_to_come(dawn: str | int, win: float, rounds: float, tmp_path: Path) -> None:
    odds = bc.solve(house(tmp_path, dawn), "land", "1 militia", "1 militia")
    assert odds.outcomes["attacker_wins"] == pytest.approx(win, abs=1e-12)
    assert odds.outcomes["stalemate"] == pytest.approx(1 - win, abs=1e-12)
    assert odds.to_dict()["expected_rounds"] == pytest.approx(rounds, abs=1e-9)


@pytest.mark.parametrize(
    ("guns", "win", "rounds"),
    [(1, 1 / 3, 1.0), (3, 1 / 3, 1.0), ("2-3", 5 / 9, 5 / 3), ("3-", 1.0, 3.0)],
)
def test_a_step_to_come(guns: str | int, win: float, rounds: float, tmp_path: Path) -> None:
    odds = bc.solve(house(tmp_path, guns=guns), "land", "1 gun", "1 militia")
    assert odds.outcomes["attacker_wins"] == pytest.approx(win, abs=1e-12)
    assert odds.outcomes["stalemate"] == pytest.approx(1 - win, abs=1e-12)
    assert odds.to_dict()["expected_rounds"] == pytest.approx(rounds, abs=1e-9)


@pytest.mark.parametrize(
    ("dawn", "retreat", "rounds", "expected"),
    [
        # nothing to come once the dice of round 1 have missed: it is over before anybody can leave
        (1, "round >= 1", 1, {"attacker_wins": 1 - MISS, "stalemate": MISS}),
        ("1-2", "round >= 1", 1, {"attacker_wins": 1 - MISS, "attacker_retreats": MISS}),
        ("1-2", "round >= 2", 1 + MISS, {"attacker_wins": 1 - MISS**2, "stalemate": MISS**2}),
        (2, "round >= 2", 1, {"attacker_wins": 1 - MISS, "stalemate": MISS}),
        # left before the first die
        (3, "round >= 1", 0, {"attacker_retreats": 1.0}),
    ],
)
def test_leaving_while_something_is_to_come(
    dawn: str | int, retreat: str, rounds: float, expected: dict[str, float], tmp_path: Path
) -> None:
    side = bc.Side("1 militia", retreat=retreat)
    odds = bc.solve(house(tmp_path, dawn), "land", side, "1 militia")
    assert chances(odds) == pytest.approx(expected, abs=1e-12)
    assert odds.to_dict()["expected_rounds"] == pytest.approx(rounds, abs=1e-12)
    counted = bc.simulate(house(tmp_path, dawn), "land", side, "1 militia", trials=20_000, seed=2)
    assert set(chances(counted)) == set(expected)
    for outcome, chance in expected.items():
        assert counted.outcomes[outcome] == pytest.approx(chance, abs=0.02)
    assert counted.to_dict()["expected_rounds"] == pytest.approx(rounds, abs=0.02)


def test_a_round_in_which_nobody_fires_any_more_is_not_fought(tmp_path: Path) -> None:
    """Unless both guns are lost in round 1 there are dice in round 2; then the attacker leaves."""
    rules = house(tmp_path, dawn=3, guns="1-")
    force = "1 gun, 1 militia"
    sides = bc.Side(force, loss_order="gun, militia", retreat="round >= 2"), bc.Side(force, loss_order="gun")
    odds = bc.solve(rules, "land", *sides)
    assert odds.to_dict()["expected_rounds"] == pytest.approx(2 - 1 / 9, abs=1e-12)
    assert odds.rounds().to_dict() == pytest.approx({1: 1 / 9, 2: 8 / 9}, abs=1e-12)
    counted = bc.simulate(rules, "land", *sides, trials=20_000, seed=3)
    assert counted.rounds().to_dict() == pytest.approx({1: 1 / 9, 2: 8 / 9}, abs=0.01)


DIVE = """
schema = 1
name = "Boats that dive"
holders = []

[units]
boat = { attack = 2, defence = 2, cost = 6 }

[sequences.naval]
takes = { attacker = ["boat"], defender = ["boat"] }

[sequences.naval.stages.battle]
repeat = "rounds"
"""
FIRE = 'fire = [{ side = "both", who = ["boat"], at = ["boat"] }]'
SUBMERGE = 'decide = [{ side = "attacker", right = "submerge", leaves = ["boat"] }]'
RETREAT = 'decide = [{ side = "defender", right = "retreat", leaves = ["boat"] }]'


@pytest.mark.parametrize(
    "steps",
    [(SUBMERGE, FIRE), (FIRE, SUBMERGE), (f"{FIRE}\n{SUBMERGE}",), (SUBMERGE, FIRE, RETREAT)],
)
def test_who_submerges_thinks_of_the_round_to_come(steps: tuple[str, ...], tmp_path: Path) -> None:
    """From round 2 on nobody is there to be fought, wherever in a round boats dive."""
    path = tmp_path / "dive.toml"
    parts = [f"[sequences.naval.stages.battle.steps.step-{n}]\n{step}" for n, step in enumerate(steps)]
    path.write_text("\n".join([DIVE, *parts]), encoding="utf-8")
    odds = bc.solve(path, "naval", bc.Side("1 boat", submerge="round >= 2"), "1 boat")
    assert odds.to_dict()["expected_rounds"] == pytest.approx(1, abs=1e-12)
    assert odds.expected_losses("attacker") == {"boat": pytest.approx(1 / 3, abs=1e-12)}


@pytest.mark.parametrize("more", ["odds < 40% or round >= 9", "odds < 40% and units <= 99"])
def test_odds_among_other_conditions_look_ahead_as_they_do_alone(more: str) -> None:
    """With a limit of rounds the odds are not those of the rounds before."""
    call = ("aa-1942", "land"), ("3 infantry, 1 tank", "3 infantry")
    alone, mixed = (
        bc.solve(*call[0], bc.Side(call[1][0], retreat=retreat), call[1][1], rounds=3)
        for retreat in ("odds < 40%", more)
    )
    assert mixed.outcomes == pytest.approx(alone.outcomes, abs=1e-12)
    once = bc.solve(*call[0], bc.Side(call[1][0], retreat="odds < 40%"), call[1][1])
    assert alone.outcomes["attacker_retreats"] > 1.2 * once.outcomes["attacker_retreats"]
