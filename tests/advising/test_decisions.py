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
from battlecalc.rulesets import load_ruleset
from tests import naive
from tests.hard.test_endless import FIRE, fire, rules, stage

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
            program.forget_answers()


def answer(program: Program, decided: Decided, policy: str) -> None:
    """Put a simple policy in place of the best one, for one decision."""
    read = parse_policy(policy, decided.rule.rule.right)
    _, own = answer_table(program.setting, program.sides, decided.rule, read, decided.counted)
    table = own[:, None] if decided.rule.side == 0 else own[None, :]
    program.answers[decided.table : decided.table + program.cells] = np.broadcast_to(
        table, program.sizes
    ).ravel()
    program.forget_answers()


@pytest.mark.parametrize("before", [FIRE, {}])
def test_chances_of_a_policy_are_how_often_it_is_asked_for(before: dict[str, Any]) -> None:
    """Between a dogfight and the battle, whoever won in the air: who always leaves, leaves as often."""
    units = {unit: {"attack": 2, "defence": 2, "cost": 3} for unit in ("foot", "cart")}
    dogfight = stage("while both have", fire=fire("both", who=["cart"])) | {
        "both_have": ["cart"],
        "advantage": {"name": "height", "has": ["cart"]},
    }
    flight = {"side": "attacker", "right": "retreat", "leaves": ["all"]}
    ruleset = rules(dogfight, stage("once", **before, decide=[flight]), stage("rounds"), units=units)
    sides = {how: bc.Side("3 foot, 1 cart", retreat=how) for how in ("best", "units >= 1")}
    policy = bc.solve(ruleset, "land", sides["best"], "2 foot, 1 cart").policy("attacker")
    leaves = bc.solve(ruleset, "land", sides["units >= 1"], "2 foot, 1 cart").outcomes["attacker_retreats"]
    assert len(policy) > 1
    assert policy["chance"].sum() == pytest.approx(leaves, abs=1e-12)


def test_best_decisions_leave_the_other_side_to_its_policy() -> None:
    """A retreat never wins, so who only wants to win stays; ten infantry go because they are told to."""
    told = bc.Side("10 infantry", retreat="units <= 10")
    best, never = (
        bc.solve("great-war", "land", bc.Side("6 infantry", retreat=how, objective="win"), told).outcomes
        for how in ("best", "never")
    )
    assert best == pytest.approx(never, abs=1e-12)
    assert best["defender_retreats"] > 0.9


@pytest.mark.parametrize(
    ("attacker", "defender"),
    [
        (bc.Side("2 submarine, 1 cruiser", submerge="best", retreat="best"), "3 cruiser, 1 submarine"),
        ("3 cruiser, 1 submarine", bc.Side("2 submarine, 1 cruiser", submerge="best")),
    ],
)
def test_who_leaves_gains_by_it(attacker: str | bc.Side, defender: str | bc.Side) -> None:
    """Both values of every choice against its answer, state by state, boats leaving one by one."""
    fight = fight_of(bc.Battle("aa-1942", "naval", attacker, defender))
    program = make_program(fight)
    decisions = decide(program, fight, 1_000_000)
    assert decisions is not None
    assert program.answers.any()
    for choice in decisions.choices:
        gain = choice.stop - choice.go_on if choice.decided.rule.side == 0 else choice.go_on - choice.stop
        start = choice.decided.table
        yes = program.answers[start : start + program.cells].reshape(program.sizes) != 0
        assert choice.open.any() and not yes[~choice.open].any()
        assert (yes == (gain > 1e-9))[choice.open & (abs(gain) > 1e-9)].all()


def test_tables_that_are_too_large_for_policies_that_look_ahead() -> None:
    battle = bc.Battle("aa-1942", "land", bc.Side("6 infantry", retreat="odds < 40%"), "5 infantry")
    fight = fight_of(battle)
    program = make_program(fight)
    program.memo.pop("decisions", None)
    with pytest.raises(bc.StateSpaceError, match=r"^policies on the odds look through 42 .* more than 41: "):
        decide(program, fight, 41)
    assert decide(program, fight, 42) is None


def cost_of(ruleset: str, force: str) -> float:
    units = load_ruleset(ruleset).units
    return sum(int(n) * units[unit].cost for n, unit in (entry.split() for entry in force.split(", ")))


@pytest.mark.parametrize(
    ("ruleset", "own", "enemy", "side"),
    [
        ("aa-1942", "3 infantry, 1 tank", "3 infantry", "attacker"),
        ("great-war", "3 infantry", "4 infantry, 1 artillery", "defender"),
    ],
)
def test_both_values_of_a_choice(ruleset: str, own: str, enemy: str, side: str) -> None:
    """Who leaves keeps what the fight brought so far; who stays is as well off as one who begins there."""
    other = "attacker" if side == "defender" else "defender"

    def solve(own: str, enemy: str) -> bc.Odds:
        forces = {side: bc.Side(own, retreat="best"), other: enemy}
        return bc.solve(ruleset, "land", forces["attacker"], forces["defender"])

    policy = solve(own, enemy).policy(side)
    assert set(policy["decision"]) == {"retreat", "fight on"}
    for row in policy.itertuples():
        left = {"attacker": row.attacker, "defender": row.defender}
        so_far = cost_of(ruleset, enemy) - cost_of(ruleset, left[other])
        so_far -= cost_of(ruleset, own) - cost_of(ruleset, left[side])
        assert row.stop == pytest.approx(so_far, abs=1e-9)
        assert (row.decision == "retreat") == (row.stop > row.go_on)
        later = solve(left[side], left[other]).expected_gain(side)
        assert row.go_on == pytest.approx(so_far + later, abs=1e-9)


def test_choices_are_told_where_there_is_one() -> None:
    """The foot, which falls first, leads the way: once it is gone nobody is asked."""
    flight = {"side": "attacker", "right": "retreat", "leaves": ["all"], "when": {"own_has": ["foot"]}}
    ruleset = rules(stage("rounds", **FIRE, decide=[flight]))
    attacker = bc.Side("2 foot, 2 cart", retreat="best", loss_order="foot, cart")
    policy = bc.solve(ruleset, "land", attacker, "3 foot").policy("attacker")
    assert {row.split(", ")[0] for row in policy["attacker"]} == {"1 foot", "2 foot"}


@pytest.mark.parametrize("side", ["attacker", "defender"])
@pytest.mark.parametrize(
    ("own", "enemy", "leaves"), [("8 infantry", "2 infantry", False), ("3 infantry", "8 infantry", True)]
)
def test_odds_are_those_of_the_side_that_asks(side: str, own: str, enemy: str, leaves: bool) -> None:
    """Who is sure to win stays, who is sure to lose goes after the first round."""
    forces = {"attacker": enemy, "defender": enemy, side: bc.Side(own, retreat="odds < 50%")}
    odds = bc.solve("great-war", "land", forces["attacker"], forces["defender"])
    retreats = odds.outcomes[f"{side}_retreats"]
    assert retreats > 0.2 if leaves else retreats < 0.01
