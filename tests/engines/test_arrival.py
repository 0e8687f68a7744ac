"""A battle is judged where it ends: by what was still to come then, not by what is left at the very end."""

from __future__ import annotations

from typing import Any

import pytest

import battlecalc as bc
from battlecalc.engines.montecarlo import make_tables
from battlecalc.rulesets import Ruleset
from tests.engines.chisquare import RARE
from tests.hard.random_rules import Table, make_ruleset
from tests.program.bench import program_of

TRIALS = 20_000
BOTH = ("attacker", "defender")
QUIET: Table = {"decide": [{"side": "attacker", "right": "contest"}]}
CARTS: Table = {"attack": 0, "defence": 0, "keeps_alive": False, "alone": dict.fromkeys(BOTH, "destroyed")}


def rules(
    *fire: Table,
    stages: Table | None = None,
    limit: int | None = None,
    modifiers: Table | None = None,
    after: Table | None = None,
    **cart: Any,
) -> Ruleset:
    """Rules with carts that are destroyed where they are left alone with somebody who can hit them.

    `limit`: rounds after which it is contested; `after`: steps after the fire.
    """
    units = {
        "foot": {"attack": 0, "defence": 0, "cost": 3},
        "gun": {"attack": 3, "defence": 3, "cost": 5},
        "cart": {"cost": 2, **CARTS, **cart},
    }
    takes = {side: list(units) for side in BOTH}
    battle: Table = {"repeat": "rounds", "steps": {"fire": {"fire": list(fire)}, **(after or {})}}
    if limit is not None:
        battle |= {"limit": limit, "then": "contested"}
    table: Table = {"holders": ["foot"], "units": units, "modifiers": modifiers or {}}
    table["sequences"] = {"land": {"takes": takes, "stages": (stages or {}) | {"battle": battle}}}
    return make_ruleset(table)


def guns(side: str = "attacker", **when: Any) -> Table:
    return {"side": side, "who": ["gun"], **({"when": when} if when else {})}


def by_both(*asked: Any, **more: Any) -> tuple[bc.Odds, bc.Odds]:
    return bc.solve(*asked, **more), bc.simulate(*asked, trials=TRIALS, seed=1, threads=1, **more)


@pytest.mark.parametrize("rounds", [None, 0, 1])
@pytest.mark.parametrize("carts", [1, 2, 5])
@pytest.mark.parametrize("when", [{}, {"rounds": 1}])
def test_carts_alone_are_destroyed_before_the_first_round(
    when: Table, carts: int, rounds: int | None
) -> None:
    """The guns can still fire at them: nobody asks how long, nor how many carts a round would hit."""
    for odds in by_both(rules(guns(**when)), "land", "1 gun, 1 foot", f"{carts} cart", rounds=rounds):
        assert odds.outcomes["attacker_wins"] == 1
        assert odds.expected_survivors("defender") == {"cart": 0}
        assert odds.rounds().to_dict() == {0: 1}


@pytest.mark.parametrize("carts", [1, 2])
def test_when_the_guns_are_silent_carts_stand(carts: int) -> None:
    """A gun kills the foot before the carts in its one round, or it does not: both end without a winner.

    Had it two rounds, a hit in the first of them would leave the carts alone with a gun that can fire.
    """
    order = bc.Side(f"1 foot, {carts} cart", loss_order="foot, cart")
    for odds in by_both(rules(guns(rounds=1)), "land", "1 gun", order):
        assert odds.outcomes["stalemate"] == 1
        assert odds.expected_survivors("defender") == pytest.approx({"foot": 0.5, "cart": carts}, abs=0.02)
    exact, counted = by_both(rules(guns(rounds="1-2")), "land", "1 gun", order)
    assert exact.outcomes["attacker_wins"] == pytest.approx(1 / 2, abs=1e-12)
    assert exact.outcomes["stalemate"] == pytest.approx(1 / 2, abs=1e-12)
    assert exact.expected_survivors("defender") == pytest.approx({"foot": 1 / 4, "cart": carts / 2})
    assert abs(counted.outcomes["attacker_wins"] - 1 / 2) < RARE / TRIALS**0.5
    assert counted.expected_survivors("defender")["cart"] == carts * counted.outcomes["stalemate"]


def test_either_may_destroy_the_carts_of_the_other() -> None:
    """Both have the same; whoever loses his guns in the first round loses his carts."""
    force = bc.Side("2 gun, 1 cart", loss_order="gun, cart")
    exact, counted = by_both(rules(*(guns(side, rounds="1-2") for side in BOTH)), "land", force, force)
    assert exact.outcomes["attacker_wins"] == pytest.approx(exact.outcomes["defender_wins"], abs=1e-12)
    for name, chance in exact.outcomes.items():
        assert abs(counted.outcomes[name] - chance) < RARE / TRIALS**0.5
    assert exact.outcomes["attacker_wins"] > 3 / 16  # two hits, and not two back


@pytest.mark.parametrize(("when", "ways"), [({}, 0), ({"rounds": "1-2"}, 1)])
def test_what_ends_in_more_ways_than_one_is_fought_side_by_side(when: dict[str, Any], ways: int) -> None:
    """Guns that fall silent leave behind what they would have destroyed."""
    side = bc.Side("1 foot, 2 cart", loss_order="foot, cart")
    program = program_of(rules(guns(**when)), "land", "1 gun", side)
    assert make_tables(program).beats is not None
    assert len(program.slots) == ways


@pytest.mark.parametrize(("side", "enemy"), [BOTH, BOTH[::-1]])
def test_carts_behind_foot_that_only_silent_foot_could_hit(side: str, enemy: str) -> None:
    """Foot would fall before the carts, if anybody could hit them: no hit leads to foot without carts."""
    silent = {"side": enemy, "who": ["foot"], "value": 6, "when": {"own_has": ["cart"]}}
    opening = {"opening": {"repeat": "once", "steps": {"fire": {"fire": [guns(enemy) | {"at": ["cart"]}]}}}}
    forces = {side: bc.Side("1 foot, 5 cart", loss_order="foot, cart"), enemy: bc.Side("1 gun, 1 foot")}
    for odds in by_both(rules(silent, stages=opening), "land", *(forces[name] for name in BOTH)):
        assert odds.outcomes["stalemate"] == 1
        assert odds.expected_survivors(side) == {"foot": 1, "cart": 0}


@pytest.mark.parametrize(("side", "enemy"), [BOTH, BOTH[::-1]])
def test_carts_behind_foot_that_can_be_hit(side: str, enemy: str) -> None:
    """As long as there are carts guns can hit the foot: they go on until both are gone."""
    fire = {"side": enemy, "who": ["gun"], "when": {"enemy_has": ["cart"]}}
    forces = {side: bc.Side("1 foot, 2 cart", loss_order="foot, cart"), enemy: bc.Side("1 gun")}
    for odds in by_both(rules(fire), "land", *(forces[name] for name in BOTH)):
        assert odds.outcomes[f"{enemy}_wins"] == 1
        assert odds.expected_survivors(side) == {"foot": 0, "cart": 0}


@pytest.mark.parametrize(("side", "enemy"), [BOTH, BOTH[::-1]])
def test_foot_that_fight_once_their_carts_are_gone(side: str, enemy: str) -> None:
    """Guns that can hit carts only bring it on themselves."""
    at_carts = guns(enemy) | {"at": ["cart"]}
    foot = {"side": side, "who": ["foot"], "value": 6, "when": {"own_lacks": ["cart"]}}
    forces = {side: bc.Side("1 foot, 2 cart"), enemy: bc.Side("1 gun")}
    for odds in by_both(rules(at_carts, foot), "land", *(forces[name] for name in BOTH)):
        assert odds.outcomes[f"{side}_wins"] == pytest.approx(1)
        assert odds.expected_survivors(side) == pytest.approx({"foot": 1, "cart": 0})


@pytest.mark.parametrize(("side", "enemy"), [BOTH, BOTH[::-1]])
@pytest.mark.parametrize(("alone", "left"), [("withdraws", 2), ("destroyed", 0)])
def test_what_becomes_of_carts_alone(side: str, enemy: str, alone: str, left: int) -> None:
    """Of two guns that fire at once the enemy's is the last in a third of the battles, or both fall."""
    ruleset = rules({"side": "both", "who": ["gun"]}, alone={side: alone})
    forces = {side: bc.Side("1 gun, 2 cart", loss_order="gun, cart"), enemy: bc.Side("1 gun")}
    for odds in by_both(ruleset, "land", *(forces[name] for name in BOTH)):
        assert odds.outcomes[f"{enemy}_wins"] == pytest.approx(1 / 3, abs=0.02)
        assert odds.outcomes[f"{side}_wins"] == pytest.approx(2 / 3, abs=0.02)
        mean = 2 * odds.outcomes[f"{side}_wins"] + left * odds.outcomes[f"{enemy}_wins"]
        assert odds.expected_survivors(side)["cart"] == pytest.approx(mean)


def test_after_an_opening_that_alone_could_hit_them() -> None:
    """Fire before the battle is still to come for carts alone at its start, and over when it is fought."""
    opening = {"opening": {"repeat": "once", "steps": {"fire": {"fire": [guns()]}}}}
    nobody = {"side": "attacker", "who": ["foot"]}
    ruleset = rules(nobody, stages=opening)
    for odds in by_both(ruleset, "land", "1 gun, 1 foot", "3 cart"):
        assert odds.outcomes["attacker_wins"] == 1
        assert odds.expected_survivors("defender") == {"cart": 0}
    side = bc.Side("1 foot, 3 cart", loss_order="foot, cart")
    for odds in by_both(ruleset, "land", "1 gun, 1 foot", side):
        assert odds.outcomes["stalemate"] == 1


@pytest.mark.parametrize("one_step", [False, True])
@pytest.mark.parametrize("why", ["the step", "a modifier"])
@pytest.mark.parametrize(
    ("window", "first", "otherwise"),
    [
        (1, 1, "stalemate"),
        ("1-2", 1, "attacker_retreats"),
        ("1-2", 2, "stalemate"),
        ("1-3", 2, "attacker_retreats"),
    ],
)
def test_it_is_over_before_anybody_leaves(
    window: str | int, first: int, otherwise: str, why: str, one_step: bool
) -> None:
    """Once the gun has hit or missed for the last time."""
    leave: Table = {"decide": [{"side": "attacker", "right": "retreat", "leaves": ["gun"]}]}
    modifiers = {}
    fire = guns(rounds=window)
    if why == "a modifier":
        fire = guns()
        modifiers["height"] = {"side": "attacker", "to": ["gun"], "add": 3, "when": {"rounds": window}}
        modifiers["mud"] = {"side": "attacker", "to": ["gun"], "add": -3}
    after = {"fire": {"fire": [fire], **leave}} if one_step else {"leave": leave}
    asked = (rules(fire, after=after, modifiers=modifiers), "land")
    gun = bc.Side("1 gun", retreat=f"round >= {first}")
    for odds, error in zip(by_both(*asked, gun, "1 foot"), (1e-12, 0.02), strict=True):
        assert odds.outcomes["attacker_wins"] == pytest.approx(1 - 0.5**first, abs=error)
        assert odds.outcomes[otherwise] == pytest.approx(0.5**first, abs=error)


def test_odds_of_the_rounds_that_the_rules_allow() -> None:
    """Two: no tables for the 501 rounds that the question allows."""
    leave: Table = {"decide": [{"side": "attacker", "right": "retreat", "leaves": ["gun"]}]}
    ruleset = rules(guns(), limit=2, after={"leave": leave})
    odds = bc.solve(ruleset, "land", bc.Side("1 gun", retreat="odds < 40%"), "1 foot", rounds=501)
    assert odds.outcomes["attacker_wins"] == pytest.approx(3 / 4, abs=1e-12)
    assert odds.outcomes["attacker_retreats"] == pytest.approx(1 / 4, abs=1e-12)


@pytest.mark.parametrize("limit", [None, 1, 2])
@pytest.mark.parametrize("why", ["the step", "a modifier", "the step after an opening"])
@pytest.mark.parametrize(
    ("window", "first", "last"), [(1, 1, 1), ("1-2", 1, 2), (2, 2, 2), ("2-3", 2, 3), ("1-", 1, 99)]
)
def test_what_a_limit_of_rounds_cuts_off(
    window: str | int, first: int, last: int, why: str, limit: int | None
) -> None:
    """It is a stalemate if the gun would never have hit again; else the limit that came first says what."""
    ruleset = rules(guns(rounds=window), limit=limit)
    if why == "a modifier":  # beside one that is always there, and makes it worse
        gun: Table = {"side": "attacker", "to": ["gun"]}
        some = {"height": gun | {"add": 3, "when": {"rounds": window}}, "mud": gun | {"add": -3}}
        ruleset = rules(guns(), limit=limit, modifiers=some, after={"quiet": QUIET})
    elif why != "the step":
        opening = {"repeat": "once", "steps": {"fire": {"fire": [guns() | {"at": ["cart"]}]}}}
        ruleset = rules(guns(rounds=window), limit=limit, stages={"opening": opening})
    for rounds in (0, 1, 2, 3):
        end = min(rounds, limit or rounds)
        miss = 0.5 ** max(0, min(last, end) - first + 1)
        otherwise = "stalemate" if end >= last else "contested" if end == limit else "unresolved"
        expected = {name: p for name, p in (("attacker_wins", 1 - miss), (otherwise, miss)) if p}
        for odds, error in zip(
            by_both(ruleset, "land", "1 gun", "1 foot", rounds=rounds), (1e-12, 0.02), strict=True
        ):
            assert {name: p for name, p in odds.outcomes.items() if p} == pytest.approx(expected, abs=error)


@pytest.mark.parametrize(
    ("mud", "win"),
    [({"rounds": "2-"}, 1 / 2), ({"rounds": "2-3"}, 1), ({"rounds": 1}, 1), ({"rounds": "1-"}, 0), ({}, 0)],
)
def test_a_gun_that_mud_makes_worse(mud: Table, win: float) -> None:
    """It fires while there is none."""
    ruleset = rules(guns(), modifiers={"mud": {"side": "attacker", "to": ["gun"], "add": -3, "when": mud}})
    for odds, error in zip(by_both(ruleset, "land", "1 gun", "1 foot"), (1e-12, 0.02), strict=True):
        assert odds.outcomes["attacker_wins"] == pytest.approx(win, abs=error)
        assert odds.outcomes["stalemate"] == pytest.approx(1 - win, abs=error)


@pytest.mark.parametrize(
    "stages",
    [
        [("once", ("first", "second"))],
        [("once", ("first", "second", "quiet"))],
        [("once", ("first",)), ("once", ("second",))],
        [("once", ("first", "second")), ("rounds", ("quiet",))],
        [("once", ("first",)), ("rounds", ("second",))],
        [("rounds", ("first", "second", "quiet"))],
    ],
)
@pytest.mark.parametrize(
    ("attacker", "defender", "outcome"),
    [(1, 1, "mutual_destruction"), (2, 1, "attacker_wins"), (1, 2, "defender_wins")],
)
def test_casualties_that_fire_last_are_gone_in_the_end(
    stages: list[tuple[str, tuple[str, ...]]], attacker: int, defender: int, outcome: str
) -> None:
    """Who is hit first fires back, in the same stage or in a later one; all hit."""
    steps = {
        "first": {"victims": "fire", "fire": [{"side": "attacker", "who": ["foot"], "value": 6}]},
        "second": {"fire": [{"side": "defender", "who": ["foot"], "value": 6}]},
        "quiet": QUIET,
    }
    made = {
        f"stage {n}": {"repeat": repeat, "steps": {name: steps[name] for name in names}}
        for n, (repeat, names) in enumerate(stages)
    }
    table: Table = {"holders": ["foot"], "units": {"foot": {"attack": 0, "defence": 0}}}
    table["sequences"] = {"land": {"takes": {side: ["foot"] for side in BOTH}, "stages": made}}
    for odds in by_both(make_ruleset(table), "land", {"foot": attacker}, {"foot": defender}):
        assert odds.outcomes[outcome] == 1
        assert odds.expected_survivors("attacker") == {"foot": attacker // 2}
        assert odds.expected_survivors("defender") == {"foot": defender // 2}
