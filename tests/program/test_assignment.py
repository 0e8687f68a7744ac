"""Hits that may fall on some units only: as many as possible are assigned, then in the owner's order."""

from __future__ import annotations

from pathlib import Path

import pytest

import battlecalc as bc

# every shot a hit, so that one round shows one assignment
SURE = {"submarine.attack": 6, "fighter.attack": 6, "destroyer.attack": 6, "cruiser.attack": 6}
HARMLESS = {
    f"{unit}.defence": 0 for unit in ("submarine", "fighter", "destroyer", "cruiser", "carrier", "battleship")
}


def left(attacker: str, defender: str | bc.Side) -> dict[str, int]:
    """Fight one round of sure hits; return what is left of the defender."""
    odds = bc.solve("aa-anniversary", "naval", attacker, defender, rounds=1, changes=SURE | HARMLESS)
    frame = odds.survivors("defender")
    assert len(frame) == 1
    (row,) = frame.drop(columns="probability").to_dict("records")
    return {unit: n for unit, n in row.items() if n}


@pytest.mark.parametrize(
    ("attacker", "defender", "remains"),
    [
        # two hits of planes that find no submarine, one that may fall on all
        ("2 fighter, 1 cruiser", "1 cruiser, 2 submarine", {"submarine": 1}),
        # a submarine's hit never falls on a plane, though planes are cheaper
        ("1 submarine, 1 cruiser", bc.Side("1 fighter, 1 carrier", loss_order="fighter, carrier"), {}),
        ("2 submarine", bc.Side("1 fighter, 1 cruiser", loss_order="fighter, cruiser"), {"fighter": 1}),
        # the destroyer lets planes find submarines
        ("2 fighter, 1 destroyer", "3 submarine, 1 cruiser", {"cruiser": 1}),
        # hits without a target are lost
        ("3 fighter", "1 destroyer, 2 submarine", {"submarine": 2}),
        # a harmless hit is a hit like any other
        ("1 fighter, 1 cruiser", "1 battleship, 1 submarine", {"battleship*": 1}),
        # the order is the owner's, as long as every hit finds its place
        (
            "1 submarine, 1 fighter",
            bc.Side("1 submarine, 1 fighter, 1 cruiser", loss_order="submarine, cruiser, fighter"),
            {"fighter": 1},
        ),
        (
            "1 submarine, 1 fighter",
            bc.Side("1 submarine, 1 fighter, 1 cruiser", loss_order="cruiser, submarine, fighter"),
            {"submarine": 1},
        ),
    ],
)
def test_who_is_hit(attacker: str, defender: str | bc.Side, remains: dict[str, int]) -> None:
    assert left(attacker, defender) == remains


ONCE = """
schema = 1
name = "Archers and cannon"
holders = ["horse"]

[units]
horse = { attack = 0, defence = 1, cost = 2 }
archer = { attack = 6, defence = 0, cost = 3 }
cannon = { attack = 6, defence = 0, cost = 3 }
wagon = { attack = 0, defence = 1, cost = 1 }
wall = { attack = 0, defence = 1, cost = 3 }

[sequences.land]
takes = { attacker = ["archer", "cannon"], defender = ["wagon", "horse", "wall"] }

[sequences.land.stages.volley]
repeat = "once"
[sequences.land.stages.volley.steps.volley]
fire = [
    { side = "attacker", who = ["archer"], at = ["wagon", "horse"] },
    { side = "attacker", who = ["cannon"], at = ["wagon", "wall"] },
]

[sequences.land.stages.battle]
repeat = "rounds"
[sequences.land.stages.battle.steps.fire]
fire = [{ side = "defender", who = ["all"] }]
"""


@pytest.mark.parametrize(
    ("order", "remains"), [("wagon, horse, wall", "wall"), ("wagon, wall, horse", "horse")]
)
def test_one_volley_follows_the_order_too(order: str, remains: str, tmp_path: Path) -> None:
    """Both hits may fall on the wagon; whose it is depends on which of the others is to go next."""
    path = tmp_path / "archers.toml"
    path.write_text(ONCE, encoding="utf-8")
    battle = bc.Battle(
        bc.load_ruleset(path),
        "land",
        "1 archer, 1 cannon",
        bc.Side("1 wagon, 1 horse, 1 wall", loss_order=order),
        rounds=0,
    )
    for odds in (bc.solve(battle), bc.simulate(battle, trials=100, seed=1)):
        left = odds.expected_survivors("defender")
        assert {unit: n for unit, n in left.items() if n} == {remains: 1}


@pytest.mark.parametrize(
    ("order", "remain"),
    [("horse, wall, wagon", (1 / 2, 1 / 2, 1)), ("wall, wagon, horse", (1, 1 / 2, 1 / 2))],
)
def test_where_one_kind_of_hits_misses(order: str, remain: tuple[float, ...], tmp_path: Path) -> None:
    """Either hits in half of the volleys; the cannon never hits the horse, the archer never the wall."""
    path = tmp_path / "archers.toml"
    path.write_text(ONCE.replace("attack = 6", "attack = 3"), encoding="utf-8")
    side = bc.Side("1 wagon, 1 horse, 1 wall", loss_order=order)
    odds = bc.solve(path, "land", "1 archer, 1 cannon", side, rounds=0)
    left = odds.expected_survivors("defender")
    assert [left[unit] for unit in ("horse", "wall", "wagon")] == pytest.approx(remain)
