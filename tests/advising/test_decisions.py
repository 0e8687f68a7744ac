"""Best decisions: worked examples, every policy of the twin, and that nobody does better alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import battlecalc as bc
from battlecalc.engines.decisions import decide, worth_of
from battlecalc.engines.payoffs import payoffs
from battlecalc.forces import format_force
from battlecalc.policies import parse_policy
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from battlecalc.program.policy import answer_table
from battlecalc.program.program import Decided, Program
from tests import naive

SIMPLE = (
    "never",
    "round >= 1",
    "round >= 2",
    "units <= 1",
    "units <= 2",
    "value <= 6",
    "ratio < 1",
    "odds < 40%",
)
ROUNDING = 1e-9
FO_07 = ("aa-1942", "naval", "1 fighter, 1 bomber", "1 battleship, 1 transport")


def worth(odds: bc.Odds, side: str = "attacker") -> float:
    """Value of the objective of a side, from the answer itself."""
    objective = getattr(odds.battle, side).objective
    if objective == "value":
        return odds.expected_gain(side)
    return odds.captures if objective == "capture" else odds.outcomes[f"{side}_wins"]


def test_fighter_and_bomber_against_battleship_and_transport() -> None:
    ruleset, sequence, attacker, defender = FO_07
    order = "fighter, bomber"
    to_the_end = bc.solve(ruleset, sequence, bc.Side(attacker, loss_order=order), defender)
    best = bc.solve(ruleset, sequence, bc.Side(attacker, loss_order=order, retreat="best"), defender)
    assert to_the_end.expected_gain("attacker") == pytest.approx(7.494377, abs=5e-7)
    assert best.expected_gain("attacker") == pytest.approx(8.325260, abs=5e-7)


TINY: list[tuple[dict[str, int], dict[str, int]]] = [
    ({"infantry": 2}, {"infantry": 2}),
    ({"infantry": 1, "tank": 1}, {"infantry": 2}),
    ({"tank": 1, "fighter": 1}, {"infantry": 1, "tank": 1}),
]


@pytest.mark.parametrize("objective", ["value", "win", "capture"])
@pytest.mark.parametrize("forces", TINY)
def test_every_policy_of_the_twin(forces: tuple[dict[str, int], dict[str, int]], objective: str) -> None:
    tried = naive.best_by_enumeration("aa-1942", "land", *forces, objective=objective, territory=3)
    induced = naive.best_retreat_value("aa-1942", "land", *forces, objective=objective, territory=3)
    own = bc.Side(format_force(forces[0]), retreat="best", objective=objective)
    odds = bc.solve("aa-1942", "land", own, format_force(forces[1]), territory=3)
    assert tried == induced
    assert worth(odds) == pytest.approx(float(tried), abs=ROUNDING)


FORCE = st.fixed_dictionaries(
    {}, optional={"infantry": st.integers(1, 2), "tank": st.integers(1, 1), "fighter": st.integers(1, 1)}
).filter(lambda force: sum(force.values()) in (1, 2, 3))


@settings(max_examples=12, derandomize=True, deadline=None, database=None)
@given(FORCE, FORCE, st.sampled_from(["aa-1942", "aa-classic", "aa-1940-2e"]), st.sampled_from([0, 4]))
def test_one_best_side_is_the_twins(
    attacker: dict[str, int], defender: dict[str, int], ruleset: str, territory: int
) -> None:
    value = naive.best_retreat_value(ruleset, "land", attacker, defender, territory=territory)
    own = bc.Side(format_force(attacker), retreat="best")
    odds = bc.solve(ruleset, "land", own, format_force(defender), territory=territory)
    assert odds.expected_gain("attacker") == pytest.approx(float(value), abs=ROUNDING)


GREAT_WAR = st.fixed_dictionaries(
    {}, optional={"infantry": st.integers(1, 2), "artillery": st.integers(1, 1), "tank": st.integers(1, 1)}
).filter(lambda force: sum(force.values()) in (1, 2, 3))


@settings(max_examples=12, derandomize=True, deadline=None, database=None)
@given(GREAT_WAR, GREAT_WAR)
def test_two_best_sides_are_the_twins(attacker: dict[str, int], defender: dict[str, int]) -> None:
    value = naive.best_retreat_value("great-war", "land", attacker, defender, who=(True, True), contest=True)
    odds = bc.solve(
        "great-war",
        "land",
        bc.Side(format_force(attacker), retreat="best", contest="best"),
        bc.Side(format_force(defender), retreat="best"),
    )
    assert odds.expected_gain("attacker") == pytest.approx(float(value), abs=ROUNDING)


QUESTIONS = st.sampled_from(
    [
        ("great-war", "land", ("infantry", "artillery", "tank", "fighter")),
        ("aa-1942", "land", ("infantry", "artillery", "tank", "bomber")),
        ("aa-1942-2e", "naval", ("submarine", "destroyer", "fighter", "battleship")),
        ("aa-classic", "naval", ("submarine", "transport", "fighter", "battleship")),
        ("great-war", "naval", ("submarine", "cruiser", "transport")),
    ]
)


@st.composite
def battles(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """Small battles with a right to leave."""
    ruleset, sequence, units = draw(QUESTIONS)
    forces = []
    for _ in range(2):
        chosen = draw(st.lists(st.sampled_from(units), min_size=1, max_size=3, unique=True))
        forces.append(format_force({unit: draw(st.integers(1, 3)) for unit in chosen}))
    assume("," in forces[0] or "transport" not in forces[0])  # they cannot attack alone
    return ruleset, sequence, forces[0], forces[1]


def rights(ruleset: str, sequence: str, side: str) -> list[str]:
    """Rights that the rules give, by asking for them."""
    found = []
    for right in ("retreat", "contest", "submerge"):
        try:
            force = "1 submarine" if sequence == "naval" else "1 infantry"
            sides = {"attacker": bc.Side(force), "defender": bc.Side(force)}
            sides[side] = bc.Side(force, **{right: "round >= 1"})  # type: ignore[arg-type]
            bc.Battle(ruleset, sequence, **sides)  # type: ignore[arg-type]
        except bc.PolicyError:
            continue
        found.append(right)
    return found


@settings(max_examples=40, derandomize=True, deadline=None, database=None)
@given(battles(), st.sampled_from(["attacker", "defender"]), st.sampled_from(["value", "win"]))
def test_best_is_never_worse_than_a_simple_policy(
    question: tuple[str, str, str, str], side: str, objective: str
) -> None:
    ruleset, sequence, *forces = question
    given_rights = rights(ruleset, sequence, side)
    own, enemy = forces if side == "attacker" else reversed(forces)

    def play(policies: dict[str, str]) -> float:
        sides: dict[str, Any] = {
            side: bc.Side(own, objective=objective, **policies),  # type: ignore[arg-type]
            "defender" if side == "attacker" else "attacker": enemy,
        }
        return worth(bc.solve(ruleset, sequence, territory=0, **sides), side)

    best = play(dict.fromkeys(given_rights, "best"))
    for right in given_rights:
        for policy in SIMPLE:
            if right == "submerge" and not policy.startswith(("never", "round")):
                continue
            assert best >= play({right: policy}) - ROUNDING, (question, right, policy)


@settings(max_examples=25, derandomize=True, deadline=None, database=None)
@given(battles(), st.sampled_from(["value", "win"]))
def test_at_their_best_nobody_gains_alone(question: tuple[str, str, str, str], objective: str) -> None:
    """Equilibrium: with the enemy's decisions held as they were found, no simple policy does better."""
    ruleset, sequence, *forces = question
    sides = [
        bc.Side(force, objective=objective, **dict.fromkeys(rights(ruleset, sequence, name), "best"))  # type: ignore[arg-type]
        for name, force in zip(("attacker", "defender"), forces, strict=True)
    ]
    fight = fight_of(bc.Battle(ruleset, sequence, *sides))
    program = make_program(fight)
    found = decide(program, fight, 10_000)
    if found is None:
        return
    both = {d.rule.side for d in program.decisions} == {0, 1}
    worth = payoffs(program, objective, 0 if both else program.decisions[0].rule.side)  # type: ignore[arg-type]
    kept = program.answers.copy()
    assert worth_of(program, worth) == pytest.approx(found.value, abs=ROUNDING)
    for side, right in {(d.rule.side, d.rule.rule.right) for d in program.decisions}:
        for policy in SIMPLE[:6]:
            if right == "submerge" and not policy.startswith(("never", "round")):
                continue
            for decided in program.decisions:
                if (decided.rule.side, decided.rule.rule.right) == (side, right):
                    answer(program, decided, policy)
            value = worth_of(program, worth)
            assert (value <= found.value + ROUNDING) if side == 0 else (value >= found.value - ROUNDING)
            program.answers[:] = kept
            program.memo.pop("lists", None)


def answer(program: Program, decided: Decided, policy: str) -> None:
    """Put a simple policy in place of the best one, for one decision."""
    read = parse_policy(policy, decided.rule.rule.right)
    _, own = answer_table(program.setting, program.sides, decided.rule, read, decided.counted)
    table = own[:, None] if decided.rule.side == 0 else own[None, :]
    program.answers[decided.table : decided.table + program.cells] = np.broadcast_to(
        table, program.sizes
    ).ravel()
    program.memo.pop("lists", None)
