"""Battles that cannot end, that take long, or that have nothing in them: one answer by both engines."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest

import battlecalc as bc
from battlecalc.rulesets import Ruleset, load_ruleset
from tests.engines.chisquare import RARE
from tests.hard.random_rules import Table, make_ruleset

FIRE: Table = {"fire": [{"side": "both", "who": ["all"]}]}
TRIALS = 4000


def rules(*stages: Table, **top: Any) -> Ruleset:
    """Rules with a unit that can fight (foot) and one that never hits (cart)."""
    takes = {"attacker": ["foot", "cart"], "defender": ["foot", "cart"]}
    named = {f"stage {number}": stage for number, stage in enumerate(stages)}
    table: Table = {
        "holders": ["foot"],
        "units": {
            "foot": {"attack": 2, "defence": 2, "cost": 3},
            "cart": {"attack": 0, "defence": 0, "cost": 3},
        },
        "options": {"mud": {"kind": "flag"}, "mines": {"kind": "number"}},
        "sequences": {"land": {"takes": takes, "stages": named}},
    }
    return make_ruleset(table | top)


def stage(repeat: str, **step: Any) -> Table:
    return {"repeat": repeat, "steps": {"step": step or FIRE}}


def fire(side: str, **group: Any) -> list[Table]:
    return [{"side": side, **group}]


DOGFIGHT = stage("while both have", fire=fire("both", who=["cart"])) | {"both_have": ["cart"]}
NO_STAGE = stage("rounds") | {"when": {"option": "mud"}}
MINES = fire("attacker", value=2, dice={"kind": "option", "option": "mines"})
LESS = {"less": {"side": "both", "to": ["foot"], "add": -5}}
BATTLES: dict[str, tuple[Ruleset, str, str]] = {
    "no stage under these options": (rules(NO_STAGE), "1 foot", "1 foot"),
    "no step under these options": (
        rules(stage("rounds", **FIRE, when={"option": "mud"})),
        "1 foot",
        "1 foot",
    ),
    "one volley, no main battle": (rules(stage("once")), "2 foot", "1 foot"),
    "one sure volley": (
        rules(stage("once", fire=fire("attacker", who=["foot"], value=6))),
        "1 foot",
        "1 foot",
    ),
    "nobody hits in the air": (rules(DOGFIGHT, stage("rounds")), "2 foot, 1 cart", "1 foot, 1 cart"),
    "only a dogfight": (
        rules(stage("while both have") | {"both_have": ["foot"]}),
        "2 foot",
        "1 foot",
    ),
    "a dogfight of one round": (
        rules(stage("while both have", **FIRE, when={"rounds": 1}) | {"both_have": ["foot"]}),
        "2 foot",
        "1 foot",
    ),
    "one round of fire": (rules(stage("rounds", **FIRE, when={"rounds": 1})), "2 foot", "1 foot"),
    "contested after three rounds": (
        rules(stage("rounds") | {"limit": 3, "then": "contested"}),
        "2 foot",
        "2 foot",
    ),
    "values lowered to nothing": (rules(stage("rounds"), modifiers=LESS), "2 foot", "1 foot"),
    "dice of an option that is 0": (rules(stage("rounds", fire=MINES)), "2 foot", "1 foot"),
    "as many as landed: nobody": (
        rules(stage("rounds", fire=fire("attacker", who=["foot"], at_most_per=["cart"]))),
        "2 foot",
        "1 foot",
    ),
    "values all 0": (rules(stage("rounds", fire=fire("both", who=["cart"]))), "2 foot", "1 foot"),
    "targets that are used up": (
        rules(stage("rounds", fire=fire("attacker", who=["foot"], at=["cart"], casualties="shooter"))),
        "2 foot",
        "1 foot, 1 cart",
    ),
    "nothing but a right": (
        rules(stage("rounds", decide=[{"side": "both", "right": "contest"}])),
        "1 foot",
        "1 foot",
    ),
    "a round without a die before those with": (
        rules(stage("once"), stage("rounds", **FIRE, when={"rounds": "2-"})),
        "3 foot",
        "2 foot",
    ),
    "a volley that only one side fires": (
        rules(stage("once"), stage("rounds", fire=fire("attacker", who=["foot"]))),
        "4 foot",
        "3 foot",
    ),
}


@pytest.mark.parametrize("limit", [{}, {"rounds": 0}, {"rounds": 1}, {"rounds": 3}])
@pytest.mark.parametrize("name", BATTLES)
def test_comes_to_an_end(name: str, limit: dict[str, int]) -> None:
    battle = BATTLES[name]
    exact = bc.solve(battle[0], "land", *battle[1:], **limit)
    simulated = bc.simulate(battle[0], "land", *battle[1:], trials=TRIALS, seed=1, **limit)
    assert sum(exact.outcomes.values()) == pytest.approx(1, abs=1e-12)
    for outcome, chance in exact.outcomes.items():
        error = (chance * (1 - chance) / TRIALS) ** 0.5
        assert abs(simulated.outcomes[outcome] - chance) <= RARE * error + 1e-9, outcome
    for number, chance in exact.rounds().items():
        assert abs(simulated.rounds().get(number, 0.0) - chance) <= RARE / TRIALS**0.5
    left, seen = exact.by_round(), simulated.by_round()
    rows = len(seen) if not limit else len(left)  # without one, the last rounds are too rare to be seen
    assert len(left) >= len(seen) == rows
    assert (left.iloc[:rows] - seen).abs().to_numpy().max() <= RARE * 2 / TRIALS**0.5
    for odds, table in ((exact, left), (simulated, seen)):
        assert table.over.iloc[-1] == pytest.approx(1 - odds.outcomes["unresolved"], abs=1e-9)


def test_what_cannot_go_on_is_a_stalemate() -> None:
    for name in ("values lowered to nothing", "dice of an option that is 0", "as many as landed: nobody"):
        rules_of, attacker, defender = BATTLES[name]
        odds = bc.solve(rules_of, "land", attacker, defender)
        assert odds.outcomes["stalemate"] == pytest.approx(1)
        assert odds.rounds().to_dict() == {0: 1.0}


def test_a_round_counts_by_its_dice() -> None:
    """The cart, which half of all volleys destroy, fires in round 1, the foot from round 2 on."""
    units = {"foot": {"attack": 2, "defence": 3}, "cart": {"attack": 3, "defence": 0}}
    early, late = (
        {"fire": fire("attacker", who=[who]), "when": {"rounds": rounds}}
        for who, rounds in (("cart", 1), ("foot", "2-"))
    )
    fought = {"repeat": "rounds", "steps": {"early": early, "late": late}}
    waits = rules(stage("once", fire=fire("defender", who=["foot"])), fought, units=units)
    odds = bc.solve(waits, "land", bc.Side("1 foot, 1 cart", loss_order="cart, foot"), "1 foot")
    rounds = odds.rounds()
    # with the cart 1/2 in round 1, then 1/3 a round; without it nobody fires in round 1
    assert rounds[1] == pytest.approx(1 / 2 * 1 / 2 + 1 / 2 * 1 / 3, abs=1e-12)
    assert rounds[2] == pytest.approx(1 / 2 * 1 / 2 * 1 / 3 + 1 / 2 * 2 / 3 * 1 / 3, abs=1e-12)
    assert odds.to_dict()["expected_rounds"] == pytest.approx(float((rounds * rounds.index).sum()), abs=1e-9)


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_a_round_that_only_the_lost_would_fire_in(method: str) -> None:
    """Carts and wagons fire in round 1, each at its own targets; both fell before it, so it sees no die."""
    units = {"foot": {"attack": 2, "defence": 6}, "cart": {"attack": 3, "defence": 0}}
    units["wagon"] = units["cart"]
    takes = {side: list(units) for side in ("attacker", "defender")}
    early = [
        {"side": "attacker", "who": [who], "at": [at]} for who, at in (("cart", "foot"), ("wagon", "cart"))
    ]
    steps = {
        "early": {"fire": early, "when": {"rounds": 1}},
        "late": {"fire": fire("attacker", who=["foot"]), "when": {"rounds": "2-"}},
    }
    opening = stage("once", fire=fire("defender", who=["foot"]))
    stages = {"opening": opening, "fight": {"repeat": "rounds", "steps": steps}}
    waits = rules(units=units, sequences={"land": {"takes": takes, "stages": stages}})
    attacker = bc.Side("1 foot, 1 cart, 1 wagon", loss_order="cart, wagon, foot")
    defender = bc.Side("2 foot, 1 cart", loss_order="cart, foot")
    rounds = bc.odds(waits, "land", attacker, defender, method=method, trials=50_000, seed=1).rounds()
    # three hits with one die a round, each one in three
    for number, chance in ((1, 0), (2, 0), (3, 1 / 27), (4, 6 / 81)):
        error = 0 if method == "exact" else RARE * (chance * (1 - chance) / 50_000) ** 0.5
        assert rounds.get(number, 0) == pytest.approx(chance, abs=error + 1e-12)


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_values_lowered_to_nothing_hit_nobody(method: str) -> None:
    """Each kind fires at its own kind; the attacker's foot, lowered below 1, rolls no die: no foot falls."""
    units = {"foot": {"attack": 2, "defence": 2, "cost": 3}, "cart": {"attack": 3, "defence": 1, "cost": 3}}
    alike = [
        {"side": side, "who": [unit], "at": [unit]} for side in ("attacker", "defender") for unit in units
    ]
    less = {"less": {"side": "attacker", "to": ["foot"], "add": -5}}
    weak = rules(stage("rounds", fire=alike), units=units, modifiers=less)
    odds = bc.odds(weak, "land", "1 foot, 1 cart", "1 foot, 1 cart", method=method, trials=20_000, seed=1)
    assert odds.expected_survivors("defender")["foot"] == 1
    assert odds.expected_survivors("attacker")["foot"] == 0
    assert odds.outcomes["attacker_wins"] == odds.outcomes["mutual_destruction"] == 0


def test_units_with_a_value_and_no_dice() -> None:
    """Whoever rolls nothing cannot hit: nothing is prepared for it, and it keeps no battle going."""
    units = {"foot": {"attack": 2, "defence": 2}, "cart": {"attack": 3, "defence": 3, "dice": 0}}
    armed = rules(stage("rounds", fire=fire("both", who=["all"]), victims="fire"), units=units)
    assert bc.solve(armed, "land", "2 cart", "2 cart").outcomes["stalemate"] == 1
    assert bc.solve(armed, "land", "1 foot", "2 cart").outcomes["attacker_wins"] == pytest.approx(1)


def test_an_advantage_that_lasts() -> None:
    """Whoever holds the heights fires better in every round, not in the first alone."""
    raised = {"height": {"side": "both", "to": ["foot"], "add": 2, "when": {"advantage": "height"}}}
    heights = stage("once", fire=fire("attacker", who=["cart"])) | {
        "advantage": {"name": "height", "has": ["cart"]}
    }
    flight = [{"side": "attacker", "right": "retreat", "leaves": ["all"]}]
    fought = stage("rounds", **FIRE, decide=flight)
    hill = rules(heights, fought, modifiers=raised)
    strong = {"foot": {"attack": 4, "defence": 2, "cost": 3}, "cart": {"attack": 0, "defence": 0, "cost": 3}}
    plain = rules(fought, units=strong)
    for limit in ({}, {"rounds": 3}):
        exact = bc.solve(hill, "land", "2 foot, 1 cart", "3 foot", **limit).outcomes
        assert exact == pytest.approx(bc.solve(plain, "land", "2 foot, 1 cart", "3 foot", **limit).outcomes)
    asked = bc.Side("2 foot, 1 cart", retreat="best")
    best = [bc.solve(one, "land", asked, "5 foot", territory=4).outcomes for one in (hill, plain)]
    assert best[0]["attacker_retreats"] > 0
    assert best[0] == pytest.approx(best[1])


@pytest.mark.parametrize(
    ("asked", "keywords"),
    [
        ({}, {"rounds": 10**6}),
        ({"retreat": "round >= 1000000000"}, {}),
        ({"retreat": "round >= 999999999 and units <= 2"}, {"rounds": 10**6}),
    ],
)
def test_limits_that_are_never_reached(asked: dict[str, str], keywords: dict[str, Any]) -> None:
    """A limit of a million rounds costs what is fought, not what is allowed."""
    began = time.process_time()
    odds = bc.solve("aa-1942", "land", bc.Side("5 inf", **asked), "5 inf", **keywords)
    assert time.process_time() - began < 5
    assert odds.outcomes == pytest.approx(bc.solve("aa-1942", "land", "5 inf", "5 inf").outcomes, abs=1e-12)
    assert sum(odds.outcomes.values()) == pytest.approx(1, abs=1e-12)


SLOW: Table = {"foot": {"attack": 1, "defence": 1, "cost": 3}, "cart": {"attack": 0, "defence": 0, "cost": 3}}


def test_a_die_of_a_hundred_sides() -> None:
    """One against one, a hit in a hundred: some fifty rounds, found at once and by simulation."""
    slow = rules(stage("rounds"), units=SLOW, sides=100)
    exact = bc.solve(slow, "land", "1 foot", "1 foot")
    both = 1 - 0.99**2  # a round in which somebody is hit
    assert exact.outcomes["mutual_destruction"] == pytest.approx(0.01**2 / both, abs=1e-12)
    assert exact.to_dict()["expected_rounds"] == pytest.approx(1 / both, abs=1e-9)
    odds = bc.simulate(slow, "land", "1 foot", "1 foot", trials=TRIALS, seed=1)
    assert odds.outcomes["stalemate"] == 0
    assert odds.to_dict()["expected_rounds"] == pytest.approx(1 / both, rel=RARE / TRIALS**0.5)


def test_forty_kinds_of_units() -> None:
    """The odds of as many units of one kind."""
    takes = {side: [f"unit{n}" for n in range(40)] for side in ("attacker", "defender")}
    units = {unit: {"attack": 2, "defence": 2, "cost": 3} for unit in takes["attacker"]}
    sequences = {"land": {"takes": takes, "stages": {"fight": stage("rounds")}}}
    many = rules(units=units, holders=["unit0"], sequences=sequences)
    began = time.process_time()
    odds = bc.solve(many, "land", dict.fromkeys(units, 1), dict.fromkeys(units, 1))
    assert time.process_time() - began < 5
    plain = bc.solve(rules(stage("rounds")), "land", "40 foot", "40 foot")
    assert odds.outcomes == pytest.approx(plain.outcomes, abs=1e-9)


def test_forces_beyond_all_bounds() -> None:
    """Too many pairs of states are refused before anything is laid out."""
    began = time.process_time()
    with pytest.raises(bc.errors.StateSpaceError, match="simulate instead"):
        bc.solve("aa-1942-2e", "naval", "10000 sub, 9000 dd", "10000 sub, 9000 bb")
    assert time.process_time() - began < 1


def test_rulesets_of_changes_are_let_go() -> None:
    """Each change makes a ruleset; those that nobody has are not kept for ever, the others stay the same."""
    base = load_ruleset("aa-1942")
    kept = base.resolve(None, {"tank.cost": 3})
    for cost in range(300):
        base.resolve(None, {"tank.cost": 100 + cost})
    gc.collect()
    assert len(base._resolved) < 200
    assert base.resolve(None, {"tank.cost": 3}) is kept


# what the modifier says, the attacker, his chance to win, the chances that it is over after 0 and 1 rounds
HELP: dict[str, tuple[Table, str, float, tuple[float, float]]] = {
    "whoever helps is not there": ({"source": ["cart"]}, "1 foot", 0, (1, 1)),
    "whoever helps is there": ({"source": ["cart"]}, "1 foot, 1 cart", 1, (0, 0.5)),
    "for ever": ({}, "1 foot", 1, (0, 0.5)),
    "in round 1 only": ({"when": {"rounds": 1}}, "1 foot", 0, (0, 1)),
    "from round 2 on": ({"when": {"rounds": "2-"}}, "1 foot", 1, (0, 0)),
}


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
@pytest.mark.parametrize("name", HELP)
def test_who_can_hit_only_with_help_destroys_with_help(name: str, method: str) -> None:
    """Foot hit with a modifier only; a wagon alone is destroyed by whoever could still hit it."""
    more, attacker, wins, over = HELP[name]
    units = {
        "foot": {"attack": 0, "defence": 2, "cost": 3},
        "cart": {"attack": 0, "defence": 0, "cost": 3},
        "wagon": {"attack": 0, "defence": 0, "cost": 3, "alone": {"defender": "destroyed"}},
    }
    takes = {side: list(units) for side in ("attacker", "defender")}
    raised = {"help": {"side": "attacker", "to": ["foot"], "add": 3, **more}}
    fought = {"fight": stage("rounds")}
    helped = rules(units=units, modifiers=raised, sequences={"land": {"takes": takes, "stages": fought}})
    defender = bc.Side("1 cart, 1 wagon", loss_order="cart, wagon")
    odds = bc.odds(helped, "land", attacker, defender, method=method, trials=1000, seed=1)
    assert odds.outcomes["attacker_wins"] == pytest.approx(wins)
    assert odds.outcomes["stalemate"] == pytest.approx(1 - wins)
    assert odds.expected_survivors("defender")["wagon"] == pytest.approx(1 - wins)
    error = RARE * 0.5 / 1000**0.5 if method == "monte-carlo" and over[1] == 0.5 else 1e-9
    found = odds.by_round()["over"].to_list()[:2]
    assert found == pytest.approx(over[: len(found)], abs=error)


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
def test_the_defenceless_are_destroyed_with_the_last_that_fought(method: str) -> None:
    """The cart takes no hit before the foot, and is left where its side wins, and only there."""
    units: Table = {
        "foot": {"attack": 2, "defence": 2, "cost": 3},
        "cart": {"attack": 0, "defence": 0, "cost": 3, "alone": {"defender": "destroyed"}},
    }
    defender = bc.Side("2 foot, 1 cart", loss_order="foot, cart")
    fought = rules(stage("rounds"), units=units)
    odds = bc.odds(fought, "land", "2 foot", defender, method=method, trials=5000, seed=1)
    assert 0.2 < odds.outcomes["defender_wins"] < 0.8
    assert odds.expected_survivors("defender")["cart"] == pytest.approx(odds.outcomes["defender_wins"])


@pytest.mark.parametrize("method", ["exact", "monte-carlo"])
@pytest.mark.parametrize(
    ("retreat", "outcome"), [("never", "defender_wins"), ("round >= 1", "attacker_retreats")]
)
def test_who_withdraws_is_not_lost_with_the_battle(retreat: str, outcome: str, method: str) -> None:
    """One die a round never hits the cart, which goes with the others or when the last foot has fallen."""
    units: Table = {
        "foot": {"attack": 2, "defence": 2, "cost": 3},
        "cart": {"attack": 0, "defence": 0, "cost": 3, "alone": {"attacker": "withdraws"}},
    }
    attacker = bc.Side("2 foot, 1 cart", loss_order="foot, cart", retreat=retreat)
    flight = [{"side": "attacker", "right": "retreat", "leaves": ["all"]}]
    fought = rules(stage("rounds", **FIRE, decide=flight), units=units)
    odds = bc.odds(fought, "land", attacker, "1 foot", method=method, trials=5000, seed=1)
    assert odds.outcomes[outcome] > 0.05
    assert odds.expected_survivors("attacker")["cart"] == pytest.approx(1)
