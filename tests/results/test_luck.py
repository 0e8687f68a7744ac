"""Where a result lies among all."""

from __future__ import annotations

import pytest

from battlecalc.errors import BattleError, ForceError
from tests.results.stand_ins import exact, landing, simulated

ODDS = exact({"infantry": 4, "fighter": 1}, {"infantry": 3, "aa_gun": 1})


def test_place_by_swing() -> None:
    place = ODDS.percentile("2 inf, 1 ftr", "-")
    swing = ODDS.swing()
    assert place.swing == 9 - 6
    assert place.below == pytest.approx(swing[swing.index < 3].sum())
    assert place.equal == pytest.approx(swing.loc[3.0])
    assert place.below + place.equal + place.above == pytest.approx(1)
    assert place.percentile == pytest.approx(place.below + swing.loc[3.0] / 2)
    table = ODDS.outcome_table()
    rows = table[(table["attacker.infantry"] == 2) & (table["attacker.fighter"] == 1)]
    rows = rows[rows["defender.infantry"] == 0]
    assert place.probability == pytest.approx(rows["probability"].sum())
    assert str(place).startswith("swing +3 IPC: worse for the attacker ")


def test_a_captured_unit_may_be_named_or_not() -> None:
    assert ODDS.percentile({"infantry": 2, "fighter": 1}, {"aa_gun": 1}) == ODDS.percentile(
        "2 inf, 1 ftr", ""
    )


def test_damaged_units_count_as_left() -> None:
    odds = exact({"battleship": 1}, {"battleship": 1}, kind="naval")
    place = odds.percentile("1 bb", "-")
    frame = odds.survivors("attacker")
    assert place.probability == pytest.approx(
        frame["probability"][frame["battleship"] + frame["battleship*"] > 0].sum()
    )


def test_a_landing_is_placed_over_both_battles() -> None:
    odds = landing()
    place = odds.percentile("1 ftr", "3 inf, 1 aa_gun, 1 bb")
    assert place.swing == 7 - (4 * 3 + 2 * 7 + 20)


def test_ends_that_cannot_be() -> None:
    text = (
        r"^no battle ends with '2 inf' left of the attacker and '1 infantry' of the defender; "
        r"the likeliest end \(attacker_wins\) leaves '.* infantry, 1 fighter' and 'nothing'$"
    )
    with pytest.raises(BattleError, match=text):
        ODDS.percentile("2 inf", {"infantry": 1})
    with pytest.raises(BattleError, match=r"^none of 1,000 trials ended with '9 infantry' left"):
        simulated({"infantry": 4}, {"infantry": 3}, trials=1000).percentile("9 infantry", "-")
    with pytest.raises(
        BattleError, match=r"^the attacker of this battle has no 'artillery': infantry, fighter$"
    ):
        ODDS.percentile("2 art", "-")
    with pytest.raises(ForceError):
        ODDS.percentile("two inf", "-")
