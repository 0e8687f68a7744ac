"""Orders of loss: hit by hit against the naive twin, and the ones that rulebooks force."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import battlecalc as bc
from battlecalc.errors import BattlecalcError
from battlecalc.program.casualties import describe_order
from tests.naive.orders import current_line, loss_line
from tests.naive.tables import TABLES
from tests.program.bench import everything, hits_in_turn, in_words, program_of


def order_of(*battle: object, side: int = 0, **keywords: object) -> list[str]:
    program = program_of(*battle, **keywords)
    return describe_order(program.sides[side].pieces, program.sides[side].segments)


PAIRS = [(name, sequence) for name in bc.ruleset_ids() for sequence in ("land", "naval")]


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_random_orders_hit_by_hit(ruleset: str, sequence: str) -> None:
    rules = bc.load_ruleset(ruleset)
    rng = Random(f"orders {ruleset} {sequence}")
    compared = 0
    for _ in range(40):
        forces = [
            _force(rng, rules.sequences[sequence].takes[side] & TABLES[ruleset].keys()) for side in (0, 1)
        ]
        side = rng.randint(0, 1)
        named = rng.sample(sorted(forces[side]), rng.randint(0, len(forces[side])))
        order = [(unit, rng.randint(1, 3)) for unit in named]
        order += [
            (unit + "*", 99) for unit in named if rules.units[unit].hits[side] > 1 and rng.random() < 0.5
        ]
        rng.shuffle(order)
        keep = rng.randint(0, 1) if sequence == "land" and side == 0 else 0
        sides = [bc.Side(force) for force in forces]
        words = [unit if n == 99 else f"{n} {unit}" for unit, n in order]
        sides[side] = bc.Side(forces[side], loss_order=words or None, keep_land=keep)
        try:
            program = program_of(ruleset, sequence, *sides)
        except BattlecalcError:
            continue
        own = program.sides[side]
        fighting = {kind.unit.id: kind.count for kind in own.pieces.kinds}
        line = loss_line(ruleset, sequence, side, fighting, order, keep)
        wounds = current_line(ruleset, side, line, tuple(sorted(fighting.items())))
        assert hits_in_turn(own) == [w.unit + "*" * w.harmless for w in wounds], (forces[side], words, keep)
        compared += 1
    assert compared > 10


def _force(rng: Random, takes: frozenset[str]) -> dict[str, int]:
    return {unit: rng.randint(1, 3) for unit in rng.sample(sorted(takes), rng.randint(1, 4))}


def test_default_order() -> None:
    """Harmless hits, then cheapest, weakest on this side, later to fire, by name."""
    assert order_of("aa-1942", "naval", "1 bb, 1 ca, 1 dd, 2 ss, 1 cv, 1 trn, 2 ftr", "1 dd") == [
        "battleship*",
        "submarine",
        "destroyer",
        "fighter",
        "cruiser",
        "carrier",
        "battleship",
        "transport",
    ]
    assert order_of("aa-1942", "land", "1 inf", "1 art, 1 tank, 2 inf, 1 ftr", side=1) == [
        "infantry",
        "artillery",
        "tank",
        "fighter",
    ]


def test_splits_and_stars() -> None:
    attacker = bc.Side("4 inf, 2 art, 1 tank", loss_order="2 inf, 1 art, inf, art, tank")
    assert order_of("aa-1942", "land", attacker, "1 inf") == [
        "2 infantry",
        "1 artillery",
        "2 infantry",
        "1 artillery",
        "tank",
    ]
    ships = bc.Side("2 battleship, 1 cruiser", loss_order="1 battleship*, cruiser, battleship*, battleship")
    assert order_of("aa-1942", "naval", ships, "1 dd") == [
        "1 battleship*",
        "cruiser",
        "1 battleship*",
        "battleship",
    ]


@pytest.mark.parametrize(
    ("hits", "order", "turns"),
    [
        (2, "1 bb*, ca, bb*, bb", "bb* ca bb* bb bb"),
        (3, "2 bb*, ca, bb*, bb", "bb* bb* ca bb* bb* bb bb"),
        (3, "3 bb*, ca, bb*, bb", "bb* bb* bb* ca bb* bb bb"),
        (2, "1 bb, ca", "bb* bb* bb ca bb"),
        # a fresh unit takes its harmless hit first, whatever the order says, but one at a time
        (2, "bb, ca, bb*", "bb* bb bb* bb ca"),
        (3, "3 bb*, bb, ca", "bb* bb* bb* bb bb* bb ca"),
        (3, "bb, ca, bb*", "bb* bb* bb bb* bb* bb ca"),
    ],
)
def test_two_battleships_and_a_cruiser_hit_by_hit(hits: int, order: str, turns: str) -> None:
    ships = bc.Side("2 battleship, 1 cruiser", loss_order=order)
    program = program_of("aa-1942", "naval", ships, "1 dd", changes={"battleship.hits": hits})
    short = {"battleship": "bb", "battleship*": "bb*", "cruiser": "ca"}
    assert [short[lost] for lost in hits_in_turn(program.sides[0])] == turns.split()


def test_harmless_hits_that_an_order_leaves_out_come_before_the_units_it_leaves_out() -> None:
    ships = bc.Side("2 battleship, 1 cruiser, 1 carrier", loss_order="1 battleship*, cruiser")
    program = program_of("aa-1942", "naval", ships, "1 dd")
    found = ["battleship*", "cruiser", "battleship*", "carrier", "battleship", "battleship"]
    assert hits_in_turn(program.sides[0]) == found


def test_who_is_still_aboard_counts_for_what_an_order_leaves() -> None:
    """All but one infantry are kept until the cavalry is lost: two of them come with the second wave."""
    landing = bc.Side("4 infantry, 1 cavalry, 3 transport", loss_order="1 infantry, cavalry, infantry")
    attacker = program_of("great-war", "invasion", landing, "1 infantry").sides[0]
    walker = attacker.states.walker
    state, hit = walker.landing_of(1)(walker.start()), walker.edge(everything(attacker))
    ashore = []
    for _ in range(4):
        ashore.append({unit: n for unit, n in in_words(attacker, state).items() if "aboard" not in unit})
        state = hit(state)
    assert ashore == [{"infantry": 2, "cavalry": 1}, {"infantry": 1, "cavalry": 1}, {"infantry": 1}, {}]


def test_transports_are_last_whatever_the_order_says() -> None:
    ships = bc.Side("2 transport, 1 destroyer", loss_order="transport, destroyer")
    assert order_of("aa-1942", "naval", ships, "1 sub") == ["destroyer", "transport"]
    assert order_of("aa-revised", "naval", ships, "1 sub") == ["transport", "destroyer"]


def test_kept_land_units_are_lost_last() -> None:
    order = order_of("aa-1942", "land", bc.Side("2 inf, 1 tank, 1 ftr", keep_land=1), "1 inf")
    assert order == ["infantry", "fighter", "tank"]
    order = order_of("aa-1942", "land", bc.Side("3 inf, 1 ftr", keep_land=2), "1 inf")
    assert order == ["1 infantry", "fighter", "2 infantry"]


@pytest.mark.parametrize("first", ["infantry", "artillery"])
def test_of_equal_land_units_the_one_is_kept_that_would_be_lost_later(first: str) -> None:
    second = "artillery" if first == "infantry" else "infantry"
    order = order_of(
        "aa-1942",
        "land",
        bc.Side("2 inf, 2 art, 1 ftr", keep_land=1, loss_order=f"{first}, {second}"),
        "1 inf",
        changes={"artillery.attack": 1, "artillery.cost": 3},
    )
    assert order == [first, f"1 {second}", "fighter", f"1 {second}"]


IN_TURN = """
schema = 1
name = "One after the other"
holders = ["archer"]

[units]
archer = { attack = 2, defence = 2, cost = 3 }
bowman = { attack = 2, defence = 2, cost = 3 }

[sequences.land]
takes = { attacker = ["archer", "bowman"], defender = ["archer", "bowman"] }

[sequences.land.stages.volley]
repeat = "once"
[sequences.land.stages.volley.steps.volley]
fire = [{ side = "attacker", who = ["bowman"], at = ["archer", "bowman"] }]

[sequences.land.stages.battle]
repeat = "rounds"
[sequences.land.stages.battle.steps.archers]
fire = [{ side = "both", who = ["archer"], at = ["archer", "bowman"] }]
[sequences.land.stages.battle.steps.bowmen]
fire = [{ side = "both", who = ["bowman"], at = ["archer", "bowman"] }]
"""


def test_of_equal_units_the_one_is_lost_that_fires_later_in_the_battle(tmp_path: Path) -> None:
    """Steps before the main battle do not matter."""
    path = tmp_path / "in-turn.toml"
    path.write_text(IN_TURN, encoding="utf-8")
    assert order_of(path, "land", "1 archer, 1 bowman", "1 archer") == ["bowman", "archer"]


def test_the_last_of_1914_is_an_infantry() -> None:
    order = order_of("aa-1914", "land", bc.Side("2 inf, 1 art", loss_order="inf, art"), "1 inf")
    assert order == ["1 infantry", "artillery", "1 infantry"]


def test_guns_of_the_first_edition_are_no_casualties() -> None:
    program = program_of("aa-1942", "land", "1 inf", "2 inf, 1 aa_gun")
    assert hits_in_turn(program.sides[1]) == ["infantry", "infantry"]
    program = program_of("aa-1942-2e", "land", "1 inf", "2 inf, 1 aa_gun")
    assert hits_in_turn(program.sides[1]) == ["infantry", "infantry", "aa_gun"]


@pytest.mark.parametrize(
    ("bombers", "infantry", "paratroopers", "lost"),
    [
        (2, 3, 1, 1 / 36),  # the empty bomber is hit first
        (2, 3, 2, 2 / 6),
        (1, 3, 2, 1 / 6),  # room for one
        (2, 1, 2, 1 / 36),
        (2, 3, 0, 0),
    ],
)
def test_paratroopers_go_down_with_their_bombers(
    bombers: int, infantry: int, paratroopers: int, lost: float
) -> None:
    odds = bc.solve(
        "aa-anniversary",
        "land",
        bc.Side({"bomber": bombers, "infantry": infantry}, technologies="paratroopers"),
        "1 aa_gun, 1 infantry",
        options={"paratroopers": paratroopers},
        rounds=0,
    )
    assert odds.expected_losses("attacker")["infantry"] == pytest.approx(lost)
