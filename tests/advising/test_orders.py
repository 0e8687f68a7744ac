"""Best orders of loss: against every order fought out by the naive twin, and never below the default."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

import battlecalc as bc
from battlecalc.advising import orders, values
from battlecalc.advising.lines import SLOTS, Hit, Hits, losses, neighbours
from battlecalc.advising.orders import best_order, settle
from battlecalc.forces import format_force
from battlecalc.losses import format_loss_order
from tests import naive

ATTACKER = SLOTS[0]
FO_07 = ("aa-1942", "naval", "1 fighter, 1 bomber", "1 battleship, 1 transport")


def side(force: str, **fields: object) -> bc.Side:
    return bc.Side(force, **fields)  # type: ignore[arg-type]


def test_fighter_goes_before_the_bomber() -> None:
    ruleset, sequence, attacker, defender = FO_07
    best = bc.solve(ruleset, sequence, side(attacker, loss_order="best"), defender)
    other = bc.solve(ruleset, sequence, side(attacker, loss_order="bomber, fighter"), defender)
    assert best.swing() @ best.swing().index == pytest.approx(7.494377, abs=5e-7)
    assert other.expected_gain("attacker") == pytest.approx(4.972042, abs=5e-7)
    assert best.loss_orders is not None
    assert best.loss_orders["attacker"] == ["fighter", "bomber"]
    assert "attacker's best order of loss: fighter, bomber (all 2 orders tried)" in best.notes


@pytest.mark.parametrize(
    ("objective", "whose"), [("value", 0), ("win", 0), ("capture", 0), ("value", 1), ("win", 1)]
)
def test_no_order_of_the_twin_is_better(objective: str, whose: int) -> None:
    """All orders of three kinds, fought out by the twin."""
    forces = ({"infantry": 1, "tank": 1, "fighter": 1}, {"infantry": 1, "tank": 1, "bomber": 1})
    worths = {}
    for order in permutations(forces[whose]):
        pair = (None, order) if whose else (order, None)
        if objective == "win" and whose:
            result = naive.battle("aa-1942", "land", *forces, loss_order=pair)
            worths[order] = float(result.outcomes()["defender_wins"])
            continue
        worth = naive.retreat_value(
            "aa-1942", "land", *forces, loss_order=pair, objective=objective, territory=4
        )
        worths[order] = float(-worth if whose else worth)
    sides = [
        side(format_force(force), objective=objective if n == whose else "value")
        for n, force in enumerate(forces)
    ]
    name = ("attacker", "defender")[whose]
    advice = best_order(bc.Battle("aa-1942", "land", *sides, territory=4), name)
    held = 4.0 if whose and objective == "value" else 0.0  # the defender holds what is not captured
    assert advice.every
    assert advice.tried == len(worths)
    assert advice.value - held == pytest.approx(max(worths.values()), abs=1e-9)
    assert sorted(value - held for _, value in advice.orders) == pytest.approx(
        sorted(worths.values()), abs=1e-9
    )


def test_harmless_hits_are_items_too() -> None:
    """Every battleship is damaged before it sinks; where that goes in the order is free."""
    battle = bc.Battle("aa-1942-2e", "naval", "1 battleship, 1 destroyer", "1 cruiser")
    lines = {format_loss_order(losses(line)) for line in Hits(battle, ATTACKER).all_lines()}
    assert lines == {
        "battleship*, battleship, destroyer",
        "battleship*, destroyer, battleship",
        "destroyer, battleship*, battleship",
    }
    advice = best_order(battle)
    assert (advice.tried, advice.every) == (3, True)
    assert advice.order == "battleship*, destroyer, battleship"


def test_forced_orders_and_kept_units_leave_nothing_to_try_twice() -> None:
    """Transports go last whatever the order says, and so does a land unit that is kept."""
    fleet = bc.Battle("aa-1942-2e", "naval", "1 destroyer, 1 cruiser, 1 transport", "2 submarine")
    assert best_order(fleet).tried == 2
    kept = bc.Battle("aa-1942", "land", side("1 inf, 1 ftr, 1 bmb", keep_land=1), "2 inf")
    advice = best_order(kept)
    assert advice.tried == 2
    assert bc.solve(advice.battle).loss_orders["attacker"][-1] == "infantry"  # type: ignore[index]


def test_steps_move_one_run_or_a_part_of_it() -> None:
    inf, tank = Hit("infantry", False), Hit("tank", False)
    found = {format_loss_order(losses(line)) for line in neighbours((inf, inf, inf, inf, tank))}
    assert found == {"tank, infantry", "3 infantry, tank, infantry", "2 infantry, tank, infantry"}


@pytest.mark.parametrize("number", range(6))
def test_the_search_is_never_below_the_default_and_near_the_best(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The local search on battles that are small enough to try every order."""
    rng = Random(number)
    units = ("infantry", "artillery", "tank", "fighter", "bomber")
    force = ", ".join(f"{rng.randint(1, 2)} {unit}" for unit in rng.sample(units, 3))
    enemy = f"{rng.randint(2, 4)} infantry, {rng.randint(0, 2)} tank"
    objective = rng.choice(["value", "win", "capture"])
    battle = bc.Battle("aa-1942", "land", side(force, objective=objective), enemy, territory=3)
    sure = best_order(battle)
    assert sure.every
    orders._search.cache_clear()
    monkeypatch.setattr(orders, "LONGEST_LINE", 0)
    found = best_order(battle)
    orders._search.cache_clear()
    assert not found.every
    assert found.sure == f"local search, {found.tried:,} orders tried"
    assert found.default_value <= found.value <= sure.value + 1e-9
    assert found.value == pytest.approx(sure.value, abs=1e-9)


def test_large_battles_are_searched_by_simulation() -> None:
    battle = bc.Battle("aa-1942", "land", "400 inf, 300 tank", "800 inf")
    advice = best_order(battle)
    assert advice.standard_error > 0
    assert advice.order == "infantry, tank"
    assert advice.value >= advice.default_value


def test_two_best_orders_answer_each_other() -> None:
    best = {"loss_order": "best"}
    battle = bc.Battle(
        "aa-1942-2e", "naval", side("1 bb, 1 dd, 2 ftr", **best), side("1 bb, 1 sub, 1 ftr", **best)
    )
    settled, notes = settle(battle)
    assert notes[-1] == "the orders of loss are each the best answer to the other"
    for name in ("attacker", "defender"):
        again = best_order(settled, name)
        worth = bc.solve(settled).expected_gain(name)
        assert again.value == pytest.approx(worth, abs=1e-9)


def test_two_best_orders_for_two_objectives_are_an_error() -> None:
    own = side("1 inf, 1 tank", loss_order="best", objective="win")
    with pytest.raises(bc.PolicyError, match="one objective, not 'win' and 'value'"):
        bc.solve("aa-1942", "land", own, side("2 inf, 1 tank", loss_order="best"))


def test_orders_at_sea_before_a_landing() -> None:
    battle = bc.Battle(
        "aa-1942-2e",
        "invasion",
        side("2 inf, 1 tank, 2 trn, 1 cruiser", loss_order="best"),
        "2 inf",
        sea_attacker=side("1 dd, 1 ftr", loss_order="best"),
        sea_defender=side("1 sub, 1 dd", loss_order="best"),
    )
    odds = bc.solve(battle)
    assert {note.partition("'")[0] for note in odds.notes if "order of loss" in note} == {
        "attacker",
        "sea attacker",
        "sea defender",
    }
    assert odds.expected_gain("attacker") >= best_order(battle).default_value - 1e-9


def test_simulation_uses_the_order_that_was_found() -> None:
    ruleset, sequence, attacker, defender = FO_07
    battle = bc.Battle(ruleset, sequence, side(attacker, loss_order="best"), defender)
    odds = bc.simulate(battle, trials=50_000, seed=3)
    assert abs(odds.expected_gain("attacker") - 7.494377) < 5 * odds.standard_error("swing")


def test_best_decisions_are_not_looked_for_with_every_order_of_a_large_battle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(values, "MOST_STATES", 1)
    monkeypatch.setattr(values, "TRIALS", 2_000)
    orders._search.cache_clear()
    battle = bc.Battle("aa-1942", "land", side("2 inf, 1 bomber", retreat="best"), "3 inf")
    advice = best_order(battle)
    orders._search.cache_clear()
    assert advice.to_the_end
    assert advice.sure == "all 3 orders tried in simulated battles without best decisions"
    assert advice.battle.attacker.policy("retreat").kind == "best"


def test_notes_are_those_of_the_battle_asked() -> None:
    """Battles that ask the same may differ in what was passed over."""
    for order in (None, "best"):
        plain = bc.Battle("aa-1942", "land", bc.Side("2 inf, 1 tank", loss_order=order), "5 inf")
        side = bc.Side("2 inf, 1 tank", loss_order=order, submerge="round >= 2")
        passed = plain.replace(attacker=side)
        assert plain == passed
        for battle in (plain, passed, plain):
            told = [note for note in bc.solve(battle).notes if "submerge" in note]
            assert told == [note for note in battle.notes if "submerge" in note]
        assert passed.notes != plain.notes
