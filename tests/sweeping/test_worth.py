"""What a unit or a force is worth."""

from __future__ import annotations

import pytest

import battlecalc as bc
from battlecalc.sweeping.limits import side_cost

BATTLE = bc.Battle("aa-1942-2e", "land", "4 inf, 1 art", "4 inf, 1 fighter", territory=2)


@pytest.mark.parametrize("side", ["attacker", "defender"])
def test_one_unit_more(side: str) -> None:
    table = bc.additions(BATTLE, side)
    assert table["chance"].is_monotonic_decreasing
    assert {"infantry", "artillery", "tank", "fighter", "bomber"} <= set(table["unit"])
    assert "submarine" not in set(table["unit"])
    row = table.set_index("unit").loc["tank"]
    before = bc.solve(BATTLE)
    larger = (
        {"attacker": "4 inf, 1 art, 1 tank"}
        if side == "attacker"
        else {"defender": "4 inf, 1 fighter, 1 tank"}
    )
    after = bc.solve(BATTLE.replace(**larger))
    assert row["chance"] == after.outcomes[f"{side}_wins"]
    assert row["more"] == after.outcomes[f"{side}_wins"] - before.outcomes[f"{side}_wins"]
    assert row["more_per_ipc"] == row["more"] / 6
    assert row["profit"] == after.expected_gain(side) - before.expected_gain(side)
    assert row["profit_per_ipc"] == row["profit"] / row["cost"]


@pytest.mark.parametrize("side", ["attacker", "defender"])
def test_most_profit(side: str) -> None:
    table = bc.most_profit(BATTLE, {"inf": (1, 5), "tank": 2}, side)
    assert len(table) == 15
    assert table["profit_per_ipc"].is_monotonic_decreasing
    row = table.iloc[3]
    force = {"infantry": int(row["infantry"]), "tank": int(row["tank"])}
    force |= {"artillery": 1} if side == "attacker" else {"fighter": 1}
    battle = BATTLE.replace(**{side: force})
    assert row["cost"] == side_cost(battle, side)
    assert row["profit"] == pytest.approx(bc.solve(battle).expected_gain(side), abs=1e-12)


def test_most_profit_with_a_chance() -> None:
    table = bc.most_profit(BATTLE, {"inf": (1, 9), "tank": 2}, odds=0.8)
    assert 0 < len(table) < 27
    assert table["chance"].min() >= 0.8


def test_sides_and_goals_are_checked() -> None:
    with pytest.raises(bc.BattleError, match=r"^side is 'attacker' or 'defender', not 'both'"):
        bc.additions(BATTLE, "both")
    with pytest.raises(bc.BattleError, match=r"^the defender can want to win or hold, not to 'capture'"):
        bc.most_profit(BATTLE, {"inf": 2}, "defender", what="capture")
