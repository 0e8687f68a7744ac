"""Compiled schedules against golden files, and proofs that everything which ships compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

import battlecalc as bc
from battlecalc.engines.montecarlo import Simulation
from battlecalc.program.program import Program
from tests.hard.random_rules import Table, make_ruleset
from tests.program.bench import program_of
from tests.program.schedules import GOLDEN, describe, options_of, standard_battle, with_options

MANY = ("bomber", "carrier", "cruiser")
ALL = [(name, sequence) for name in bc.ruleset_ids() for sequence in bc.load_ruleset(name).sequences]


@pytest.mark.parametrize("ruleset", bc.ruleset_ids())
def test_golden_schedules(ruleset: str) -> None:
    """A change of rules or compiler is a difference to look at before the files are written anew."""
    assert describe(ruleset) == (GOLDEN / f"{ruleset}.txt").read_text(encoding="utf-8")


def test_no_golden_schedule_without_a_ruleset() -> None:
    assert sorted(path.stem for path in GOLDEN.iterdir()) == sorted(bc.ruleset_ids())


def fought(program: Program) -> None:
    counted = Simulation(program, 1, 1).run(500)
    assert counted.counts.sum() == 500


@pytest.mark.parametrize(("ruleset", "sequence"), ALL)
def test_everything_that_ships_compiles_and_can_be_fought(ruleset: str, sequence: str) -> None:
    fought(program_of(standard_battle(ruleset, sequence)))


@pytest.mark.parametrize(("ruleset", "sequence"), ALL)
def test_every_option_and_technology_compiles(ruleset: str, sequence: str) -> None:
    rules = bc.load_ruleset(ruleset)
    # Revised's casualty strip makes many states of many types
    small = standard_battle(ruleset, sequence, frozenset(MANY if sequence == "naval" else ()))
    for options in options_of(ruleset):
        battle = with_options(small, options)
        if battle is not None:
            assert program_of(battle).cells > 0
    for technology in rules.technologies:
        for side in ("attacker", "defender"):
            force = dict(getattr(small, side).counts)
            battle = small.replace(**{side: bc.Side(force, technologies=technology)})
            assert program_of(battle).cells > 0


def test_1914_is_one_round() -> None:
    program = program_of(standard_battle("aa-1914", "land"))
    *_, battle = program.stages
    assert (battle.repeat, battle.limit) == ("rounds", 1)
    odds = bc.solve("aa-1914", "land", "3 infantry, 1 tank", "3 infantry")
    assert odds.rounds().index.max() == 1
    assert odds.outcomes["contested"] > 0


def test_revised_strip_needs_a_destroyer_at_the_start_of_the_step() -> None:
    """Victims of the opening fire shoot back if their side had a destroyer, that destroyer included."""
    # two submarines, each hitting at 6: both ships are gone in the opening fire of round 1
    sure = {"submarine.attack": 6, "cruiser.defence": 6, "destroyer.defence": 6, "battleship.defence": 6}
    sure = {
        name: value
        for name, value in sure.items()
        if name.split(".")[0] in bc.load_ruleset("aa-revised").units
    }
    with_strip = bc.solve(
        "aa-revised", "naval", "2 submarine", "1 destroyer, 1 fighter", changes=sure, rounds=1
    )
    assert with_strip.outcomes["attacker_wins"] == 0
    alone = bc.solve("aa-revised", "naval", "2 submarine", "1 destroyer", changes=sure)
    assert alone.expected_losses("attacker") == {"submarine": 1.0}
    carrier = bc.solve(
        "aa-revised", "naval", "2 submarine", "1 carrier", changes={**sure, "carrier.defence": 6}
    )
    assert carrier.expected_losses("attacker") == {"submarine": 0.0}


HOUSE = """
id = "fired-upon"
name = "A stage that an option brings"
extends = "aa-1942"

[options.barrage]
kind = "flag"
about = "a barrage before the battle"

[sequences.naval.stages.barrage]
after = ""
repeat = "once"

[sequences.naval.stages.barrage.steps.barrage]
when = { option = "barrage" }
fire = [{ side = "attacker", who = ["battleship"], at = ["sea"] }]
"""


def test_a_stage_whose_steps_are_all_switched_off_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fired-upon.toml"
    path.write_text(HOUSE, encoding="utf-8")
    for attacker, defender in (
        ("1 sub", "1 sub"),
        ("2 sub, 1 ftr", "1 sub, 1 dd"),
        ("1 ftr, 1 sub", "1 trn, 1 sub"),
    ):
        plain = bc.solve("aa-1942", "naval", attacker, defender)
        house = bc.solve(path, "naval", attacker, defender)
        assert house.outcomes == pytest.approx(plain.outcomes, abs=1e-12)
    barrage = bc.solve(path, "naval", "1 bb", "1 dd", options={"barrage": True})
    assert (
        barrage.outcomes["attacker_wins"] > bc.solve(path, "naval", "1 bb", "1 dd").outcomes["attacker_wins"]
    )


@pytest.mark.parametrize(("winner", "loser"), [("attacker", "defender"), ("defender", "attacker")])
def test_a_stage_in_which_both_fly_and_what_it_brings(winner: str, loser: str) -> None:
    """It ends with the loser's plane, and his foot are for the guns, which need the advantage to hit them."""
    sides = ("attacker", "defender")
    none: Table = {"attack": 0, "defence": 0}
    units = {"plane": {"cost": 1, **none}, "gun": {"cost": 2, **none}, "foot": {"cost": 3, **none}}
    units["plane"]["attack" if winner == "attacker" else "defence"] = 6
    flown = {
        "repeat": "while both have",
        "both_have": ["plane"],
        "advantage": {"name": "sky", "has": ["plane"]},
        "steps": {"air": {"fire": [{"side": "both", "who": ["plane"], "at": ["plane", "foot"]}]}},
    }
    guns = {"fire": [{"side": "both", "who": ["gun"], "at": ["foot"]}]}
    salvo = {"repeat": "once", "steps": {"guns": guns}}  # too early
    battle = {"repeat": "rounds", "steps": {"guns": guns}}
    takes = {side: list(units) for side in sides}
    rules = make_ruleset(
        {
            "holders": ["foot"],
            "units": units,
            "modifiers": {"sky": {"side": "both", "to": ["gun"], "add": 6, "when": {"advantage": "sky"}}},
            "sequences": {
                "land": {"takes": takes, "stages": {"salvo": salvo, "sky": flown, "battle": battle}},
                "naval": {"takes": takes, "stages": {"battle": battle}},
            },
        }
    )
    forces = {winner: "1 plane, 2 gun", loser: "1 plane, 1 gun, 4 foot"}
    for odds in (
        bc.solve(rules, "land", *(forces[side] for side in sides)),
        bc.simulate(rules, "land", *(forces[side] for side in sides), trials=100, seed=1),
    ):
        assert odds.expected_survivors(loser) == {"plane": 0, "gun": 1, "foot": 0}
        assert odds.expected_survivors(winner) == {"plane": 1, "gun": 2}
        assert odds.to_dict()["expected_rounds"] == 2
    quiet = bc.solve(rules, "naval", *(forces[side] for side in sides))
    assert quiet.outcomes["stalemate"] == 1, "an advantage that no stage brings"
