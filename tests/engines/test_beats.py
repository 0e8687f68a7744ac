"""Battles side by side: which ones are, and that they are the battles of the general loop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import battlecalc as bc
from battlecalc.engines import kernels, records
from battlecalc.engines.beats import MOST_BEATS
from battlecalc.engines.kernels import BLOCK
from battlecalc.engines.montecarlo import Counted, Simulation, make_tables
from battlecalc.program.program import Program
from battlecalc.rulesets import Ruleset
from tests.engines.chisquare import assert_same
from tests.hard.test_endless import FIRE, fire, rules, stage
from tests.program.bench import program_of

FRAIL = {"foot": {"attack": 2, "defence": 2, "cost": 3}, "cart": {"attack": 1, "defence": 1, "cost": 3}}


def leaving(right: str) -> Ruleset:
    """Rules by which the attacker's carts may leave after each round."""
    decision = {"side": "attacker", "right": right, "leaves": ["cart"]}
    return rules(stage("rounds", **FIRE, decide=[decision]), units=FRAIL)


def sniping(side: str) -> Ruleset:
    """Rules with an opening of two steps: dice in the first are counted by the enemy's units."""
    steps = {
        "snipers": {"fire": fire(side, who=["cart"], value=2, dice="per target")},
        "volley": {"fire": fire("both", who=["foot"])},
    }
    return rules({"repeat": "once", "steps": steps}, stage("rounds", **FIRE), units=FRAIL)


WARY = bc.Side("6 inf, 2 art", retreat="ratio <= 1.5")
PLAIN: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "one step a round": (("aa-1942", "land", "6 inf, 2 art, 1 tank", "5 inf, 1 fighter"), {}),
    "antiaircraft fire first": (("aa-1942-2e", "land", "4 inf, 2 fighter, 1 bomber", "5 inf, 1 aa_gun"), {}),
    "antiaircraft fire only": (("aa-1942-2e", "land", "2 fighter, 1 bomber", "1 inf, 1 aa_gun"), {}),
    "casualties fire back": (
        ("aa-1942-2e", "invasion", "4 inf, 2 art, 2 battleship, 1 fighter, 3 transport", "5 inf, 1 aa_gun"),
        {},
    ),
    "four steps a round": (("great-war", "land", "5 inf, 2 art, 1 tank", "4 inf, 1 art, 1 storm"), {}),
    "air superiority": (("great-war", "land", "4 inf, 2 art, 2 fighter", "4 inf, 1 art, 2 fighter"), {}),
    "gas": (("great-war", "land", "4 inf, 2 art, 2 gas", "4 inf, 1 art, 1 fighter"), {}),
    "gas, and rounds": (
        ("great-war", "land", "4 inf, 2 art, 2 gas", "4 inf, 1 art, 1 fighter"),
        {"rounds": 3},
    ),
    "air superiority before a landing": (
        ("aa-1914", "invasion", "4 inf, 2 art, 3 transport, 2 fighter, 1 cruiser", "4 inf, 2 fighter"),
        {},
    ),
    "an attacker's snipers before a volley": (
        (sniping("attacker"), "land", "3 foot, 2 cart", "3 foot, 1 cart"),
        {},
    ),
    "a defender's snipers before a volley": (
        (sniping("defender"), "land", "3 foot, 2 cart", "3 foot, 1 cart"),
        {},
    ),
    "rounds": (("aa-1942", "land", "6 inf, 2 art, 1 tank", "5 inf, 1 fighter"), {"rounds": 2}),
    "one round": (("great-war", "land", "4 inf, 1 fighter", "4 inf, 2 fighter"), {"rounds": 1}),
    "contested in the end": (("aa-1914", "land", "4 inf, 2 art, 1 fighter", "4 inf, 1 fighter"), {}),
    "retreat by units": (
        ("aa-1942", "land", bc.Side("6 inf, 2 art, 1 fighter", retreat="units <= 4"), "5 inf, 1 fighter"),
        {},
    ),
    "retreat by rounds": (("aa-1942", "land", bc.Side("6 inf, 2 art", retreat="round >= 3"), "5 inf"), {}),
    "both may retreat": (
        (
            "great-war",
            "land",
            bc.Side("6 inf, 2 art, 1 fighter", retreat="units <= 4 and round >= 2"),
            bc.Side("5 inf, 1 art, 1 fighter", retreat="units <= 2"),
        ),
        {},
    ),
    "retreat or the limit": (
        ("great-war", "land", bc.Side("6 inf, 2 art", retreat="value <= 9"), "5 inf"),
        {"rounds": 3},
    ),
    "retreat from a landing": (
        (
            "aa-1942",
            "invasion",
            bc.Side("4 inf, 2 art, 2 fighter, 3 transport, 1 battleship", retreat="land <= 1"),
            "5 inf, 1 aa_gun",
        ),
        {},
    ),
    "low luck": (("aa-1942", "land", "4 inf, 2 art", "4 inf"), {"dice": "low-luck"}),
    "several kinds of hits": (
        ("aa-1942-2e", "naval", "2 sub, 2 dd, 1 cv, 2 ftr, 1 bb", "2 sub, 1 dd, 1 cru, 1 cv, 2 ftr"),
        {},
    ),
    "surprise strikes": (("aa-1942-2e", "naval", "3 sub, 1 dd, 1 bb", "2 sub, 2 bb, 1 transport"), {}),
    "transports that fight on without a die": (
        ("aa-classic", "naval", "1 submarine, 2 transport", "1 submarine, 1 battleship, 1 fighter"),
        {},
    ),
    "a defender's transports that fight on without a die": (
        ("aa-classic", "naval", "1 submarine, 1 battleship, 1 fighter", "1 submarine, 2 transport"),
        {},
    ),
    "several kinds of hits, and rounds": (
        ("aa-1940-2e", "naval", "2 sub, 1 dd, 1 cv, 2 ftr", "1 sub, 2 dd, 1 cv, 2 tac"),
        {"rounds": 3},
    ),
    "retreat at sea": (
        (
            "aa-1942-2e",
            "naval",
            bc.Side("2 sub, 2 dd, 2 ftr, 1 cv", retreat="units <= 4"),
            "3 dd, 1 sub, 1 bb",
        ),
        {},
    ),
    "all that is left may dive": (
        (
            leaving("submerge"),
            "land",
            bc.Side("1 foot, 3 cart", submerge="units <= 2", loss_order="foot, cart"),
            "2 foot",
        ),
        {},
    ),
    "all that is left may retreat": (
        (
            leaving("retreat"),
            "land",
            bc.Side("1 foot, 3 cart", retreat="units <= 2 and units >= 1", loss_order="foot, cart"),
            "2 foot",
        ),
        {},
    ),
    "a policy that looks at the enemy": (("aa-1942", "land", WARY, "5 inf"), {}),
    "policies of both that look at the enemy": (
        ("great-war", "land", WARY, bc.Side("5 inf, 2 art, 1 fighter", retreat="odds < 40%")),
        {},
    ),
    "the best decisions": (("aa-1942", "land", bc.Side("3 inf", retreat="best"), "3 inf"), {}),
    "some leave, the others fight on": (
        (
            "aa-1942",
            "invasion",
            bc.Side("4 inf, 1 fighter, 1 bomber, 1 battleship, 2 transport", retreat="ratio < 1.2"),
            "4 inf, 1 fighter, 1 aa_gun",
        ),
        {},
    ),
    "submarines dive, the others fight on": (
        (
            "aa-1942-2e",
            "naval",
            bc.Side("2 sub, 2 cruiser", submerge="ratio < 2 and round >= 2"),
            "2 sub, 2 cruiser, 1 bb",
        ),
        {},
    ),
    "submarines dive one by one": (
        (
            "aa-1914",
            "naval",
            bc.Side("3 sub, 1 cru", submerge="best"),
            bc.Side("2 sub, 1 bb", submerge="best"),
        ),
        {},
    ),
    "retreat at sea from stronger ones": (
        (
            "aa-1942-2e",
            "naval",
            bc.Side("2 sub, 2 dd, 2 ftr, 1 cv", retreat="ratio < 1"),
            "3 dd, 1 sub, 1 bb",
        ),
        {"rounds": 4},
    ),
}
NOT_PLAIN: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "submarines that dive": (("aa-1942-2e", "naval", bc.Side("2 sub", submerge="round >= 2"), "2 sub"), {}),
    "incomparable targets": (("aa-1942-2e", "naval", "1 sub, 1 fighter", "1 sub, 1 dd, 1 cv, 1 ftr"), {}),
    "nobody can hit": (("aa-1942-2e", "naval", "2 fighter", "2 submarine"), {}),
    "no round at all": (("aa-1942", "land", "6 inf", "5 inf"), {"rounds": 0}),
    "too many rounds to list": (("aa-1942", "land", "6 inf", "5 inf"), {"rounds": 400}),
    "a raid": (("aa-1942", "raid", "2 bomber", "1 aa_gun, 1 industrial_complex"), {}),
}


def is_plain(program: Program) -> bool:
    return make_tables(program).beats is not None


def assert_agree(battle: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Hold outcomes, rounds and what is left after each round against the exact engine."""
    simulated = bc.simulate(*battle, trials=200_000, seed=17, **keywords)
    exact = bc.solve(*battle, **keywords)
    assert_same(simulated, exact)
    rounds, chances = simulated.rounds(), exact.rounds()
    assert rounds.to_numpy() == pytest.approx(chances.reindex(rounds.index).to_numpy(), abs=0.006)
    table, means = simulated.by_round(), exact.by_round()
    assert table.to_numpy() == pytest.approx(means.reindex(table.index).to_numpy(), abs=0.03)


@pytest.mark.parametrize("name", PLAIN)
def test_plain_battles_are_those_of_the_exact_engine(name: str) -> None:
    battle, keywords = PLAIN[name]
    assert is_plain(program_of(*battle, **keywords))
    assert_agree(battle, keywords)


@pytest.mark.parametrize("name", NOT_PLAIN)
def test_others_are_fought_one_by_one(name: str) -> None:
    battle, keywords = NOT_PLAIN[name]
    assert not is_plain(program_of(*battle, **keywords))
    assert_agree(battle, keywords)


@pytest.mark.parametrize("needed", ["foot", "cart"])
def test_a_right_that_is_lost_with_a_unit(needed: str) -> None:
    """Without foot the battle is over anyway; without the cart, which falls first, it goes on to the end."""
    flight = [{"side": "attacker", "right": "retreat", "leaves": ["all"], "when": {"own_has": [needed]}}]
    force = "3 foot" if needed == "foot" else "3 foot, 1 cart"
    attacker = bc.Side(force, retreat="round >= 2", loss_order="cart, foot")
    battle = bc.Battle(rules(stage("rounds", **FIRE, decide=flight)), "land", attacker, "3 foot")
    assert is_plain(program_of(battle))
    simulated = bc.simulate(battle, trials=100_000, seed=1)
    assert_same(simulated, bc.solve(battle))
    # two rounds without a hit on the attacker are rare, and the cart takes the first one
    assert (simulated.outcomes["attacker_retreats"] < 0.1) is (needed == "cart")


def test_as_many_rounds_as_are_listed() -> None:
    assert is_plain(program_of("aa-1942", "land", "6 inf", "5 inf", rounds=MOST_BEATS))
    assert not is_plain(program_of("aa-1942", "land", "6 inf", "5 inf", rounds=MOST_BEATS + 1))


def test_tables_as_large_as_they_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    battle, keywords = PLAIN["four steps a round"]
    beats = make_tables(program_of(*battle, **keywords)).beats
    assert beats is not None
    for most, plain in ((len(beats.records), True), (len(beats.records) - 1, False)):
        monkeypatch.setattr(records, "MOST_WORDS", most)
        program = program_of(*battle, **keywords)
        monkeypatch.delitem(program.memo, "tables")  # until the test is over: others fight this battle, too
        assert is_plain(program) is plain


def test_fire_that_ends_in_more_ways_than_a_byte_counts() -> None:
    """Sixteen planes of each kind: 289 ways to be shot down in the one state before the battle."""
    battle = bc.Battle("aa-1942", "land", "1 inf, 16 fighter, 16 bomber", "20 inf, 1 aa_gun", rounds=1)
    assert not is_plain(program_of(battle))
    table = bc.simulate(battle, trials=20_000, seed=1).by_round()
    for plane in ("fighter", "bomber"):
        assert table[f"attacker.{plane}"][0] == pytest.approx(16 * 5 / 6, abs=0.05)


def test_a_whole_block_fits() -> None:
    """As plain Python, which notices an index outside its array: every place for an end is used."""
    simulation = Simulation(program_of("aa-1942", "land", "1 tank", "1 tank"), 3, 1)
    assert is_plain(simulation.program)
    compiled = simulation.run(BLOCK)
    simulation = Simulation(simulation.program, 3, 1)
    simulation.side_by_side = kernels.side_by_side
    plain = simulation.run(BLOCK)
    assert plain.trials == plain.counts.sum() == BLOCK
    assert np.array_equal(plain.counts, compiled.counts)


def general(program: Program, seed: int, trials: int) -> Counted:
    """Fight a program by the loop that fights all of them."""
    simulation = Simulation(program, seed, 1)
    simulation.tables = replace(simulation.tables, beats=None)
    return simulation.run(trials)


@pytest.mark.parametrize("name", PLAIN)
def test_both_loops_count_alike(name: str) -> None:
    """Means of both loops; each is held against the exact engine elsewhere."""
    battle, keywords = PLAIN[name]
    program, trials = program_of(*battle, **keywords), 100 * BLOCK
    one, other = Simulation(program, 23, 1).run(trials), general(program, 29, trials)
    assert not np.array_equal(one.counts, other.counts)
    cells = np.union1d(one.cells, other.cells)
    shares = [np.zeros(len(cells)), np.zeros(len(cells))]
    for share, counted in zip(shares, (one, other), strict=True):
        share[np.searchsorted(cells, counted.cells)] = counted.counts / trials
    error = np.sqrt((shares[0] + shares[1]) / trials) + 1 / trials
    assert (np.abs(shares[0] - shares[1]) < 5 * error).all()
    rounds = one.rounds / trials, other.rounds / trials
    assert (np.abs(rounds[0] - rounds[1]) < 5 * np.sqrt((rounds[0] + rounds[1] + 1e-6) / trials)).all()


@pytest.mark.parametrize("trials", [1, 7, 16, 17, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5])
def test_as_many_as_were_asked_for(trials: int) -> None:
    battle, keywords = PLAIN["casualties fire back"]
    counted = Simulation(program_of(*battle, **keywords), 3, 1).run(trials)
    assert counted.counts.sum() == counted.rounds.sum() == counted.trials == trials


def test_long_battles_count_like_short_ones() -> None:
    """Nobody is dropped because others end first: with value-1 units battles last up to fifty rounds."""
    changes = {"infantry.attack": 1, "infantry.defence": 1}
    battle = bc.Battle("aa-1942", "land", "1 inf", "1 inf", changes=changes)
    assert is_plain(program_of(battle))
    rounds = bc.simulate(battle, trials=500_000, seed=5).rounds()
    chances = bc.solve(battle).rounds().reindex(rounds.index)
    assert rounds.index.max() > 30
    assert rounds.to_numpy() == pytest.approx(chances.to_numpy(), abs=0.003)
