"""Fire as words: what a builder leaves out or stores once more for speed, and limits of what it stores."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

import battlecalc as bc
from battlecalc.program.layout import CHAIN, DRAWS, FIRE, ONE_DRAW, OP_WORDS, OWN, PLANS, ROWS, TO_LOSE
from battlecalc.program.program import Program
from tests.engines.battles import PAIRS, random_calls
from tests.engines.chisquare import assert_same
from tests.engines.twin import as_battle
from tests.hard.random_rules import Table, make_ruleset
from tests.program.bench import program_of


def fire_of(program: Program) -> Iterator[list[int]]:
    """Yield the records of all operations in which somebody fires."""
    variants = {one for stage in program.stages for row in stage.variants for one in row}
    for variant in variants:
        for at in range(variant.ops, variant.ops + variant.count * OP_WORDS, OP_WORDS):
            if program.words[at] == FIRE:
                yield program.words[at : at + OP_WORDS].tolist()


def assert_one_draw_is_every_plan(program: Program, op: list[int], side: int) -> None:
    """In every pair of states the draw does what the plan does: it rolls the same, or hits nothing."""
    words, sizes = program.words, program.sizes
    rows, start, left = words[op[ONE_DRAW] + 3 * side :][:3].tolist()
    own, enemy = (np.arange(sizes[n]) for n in (side, 1 - side))
    nothing = (words[rows + own] == side)[:, None] | (words[left + enemy] == 0)[None, :]
    signatures = [words[program.signatures[n] :][: sizes[n]] for n in (0, 1)]
    pairs = signatures[0][:, None] * program.signatures[2] + signatures[1][None, :]
    plans = words[op[PLANS + side] + (pairs if side == 0 else pairs.T)]
    for plan in np.unique(plans).tolist():
        there = plans == plan
        if not words[plan]:
            assert nothing[there].all()
            continue
        assert words[plan] == 1
        draw = words[words[plan + DRAWS] :]
        assert draw[0] == OWN
        fires, hit = there.any(axis=1), there.any(axis=0)
        assert np.array_equal(words[draw[ROWS] + own][fires], words[rows + own][fires])
        assert np.array_equal(words[draw[TO_LOSE] + enemy][hit], words[left + enemy][hit])
        first = [words[words[at + enemy] + (words[left + enemy] > 0)] for at in (draw[CHAIN], start)]
        assert np.array_equal(first[0][hit], first[1][hit])


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_the_one_draw_of_a_step_does_what_its_plans_do(ruleset: str, sequence: str) -> None:
    rng = Random(f"one draw {ruleset} {sequence}")
    for call in random_calls(rng, ruleset, sequence, {"sea_defender": None}, count=8):
        program = program_of(as_battle(call))
        for op in fire_of(program):
            if op[ONE_DRAW] >= 0:
                for side in (0, 1):
                    assert_one_draw_is_every_plan(program, op, side)


LAND = ("3 infantry, 1 artillery", "2 infantry, 1 artillery")


@pytest.mark.parametrize(
    ("ruleset", "sequence", "forces", "steps"),
    [
        ("aa-1942", "land", LAND, 1),
        ("great-war", "land", LAND, 3),  # attacker's guns, defender's guns, everybody else
        ("great-war", "land", ("3 infantry", "2 infantry"), 1),
        ("aa-1942", "naval", ("2 cruiser", "1 cruiser, 1 battleship"), 1),
        ("aa-1942", "naval", ("2 submarine", "1 cruiser"), 2),
        ("great-war", "naval", ("1 submarine, 1 cruiser", "1 submarine"), 3),
    ],
)
def test_steps_in_which_a_side_has_one_kind_of_dice(
    ruleset: str, sequence: str, forces: tuple[str, str], steps: int
) -> None:
    """Steps in which nobody fires are left out; in the others one draw of each side will do."""
    program = program_of(ruleset, sequence, *forces)
    assert program.stages[-1].variants[-1][0].count == steps
    assert all(op[ONE_DRAW] >= 0 for op in fire_of(program))


def crosswise(kinds: int) -> bc.Ruleset:
    """Rules in which each of so many kinds fires at two kinds, of which the next one fires at one."""
    names = [f"unit_{chr(97 + n)}" for n in range(kinds)]
    units = {name: {"attack": 2, "defence": 2, "cost": 3} for name in names}
    fire = [
        {"side": "both", "who": [a], "at": [a, b]} for a, b in zip(names, names[1:] + names[:1], strict=True)
    ]
    stage = {"repeat": "rounds", "steps": {"fire": {"fire": fire}}}
    takes = {side: names for side in ("attacker", "defender")}
    table: Table = {"holders": names, "units": units}
    return make_ruleset(table | {"sequences": {"land": {"takes": takes, "stages": {"battle": stage}}}})


def test_six_kinds_of_hits_crosswise() -> None:
    """That many are assigned together, one more is refused."""
    rules = crosswise(6)
    question = bc.Battle(rules, "land", *[dict.fromkeys(rules.units, 1)] * 2, rounds=1)
    assert_same(bc.simulate(question, trials=20_000, seed=1), bc.solve(question))
    rules = crosswise(7)
    with pytest.raises(bc.StateSpaceError, match=r"has 7 kinds of hits with overlapping .* more than 6: "):
        bc.solve(rules, "land", dict.fromkeys(rules.units, 1), dict.fromkeys(rules.units, 1))
