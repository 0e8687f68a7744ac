"""States of one side: ladders, graphs where hits are restricted, waves, casualties that still fire."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import battlecalc as bc
from battlecalc.program import reach
from battlecalc.program.build import make_program
from battlecalc.program.edges import LOST, Choice, ManyPieces, OnePiece, Rank, Riders
from battlecalc.program.growing import StateRows, StateSet
from battlecalc.program.program import Program
from battlecalc.program.side import SideProgram, make_side
from battlecalc.program.states import FewStates, Keys, ManyStates, distinct
from battlecalc.program.walker import Mask
from tests.engines.battles import PAIRS, policy_kinds, random_calls, six
from tests.engines.twin import as_battle
from tests.hard.random_rules import make_ruleset
from tests.program.bench import everything, in_words, program_of


def test_land_battles_are_ladders() -> None:
    program = program_of("aa-1942", "land", "4 inf, 2 art, 1 tank", "3 inf, 1 tank")
    for side, size in zip(program.sides, (8, 5), strict=True):
        following = side.states.next(everything(side))
        assert following.tolist() == [*range(1, size), size - 1]
    attacker = program.sides[0]
    assert [in_words(attacker, state) for state in attacker.states.states][3:6] == [
        {"infantry": 1, "artillery": 2, "tank": 1},
        {"artillery": 2, "tank": 1},
        {"artillery": 1, "tank": 1},
    ]


def test_sizes_of_the_naval_battles_stay_small() -> None:
    """What restricted hits make of 13 and of 36 ships: a small graph, no product of counts."""
    assert program_of(six("c_naval")).sizes == (61, 61)
    assert max(program_of(six("f_naval_big")).sizes) <= 444


def sides_of_all_kinds(seed: str, ruleset: str, sequence: str) -> Iterator[SideProgram]:
    """Yield both sides of a random battle for every kind of policy."""
    rng = Random(f"{seed} {ruleset} {sequence}")
    for asked in policy_kinds(ruleset, sequence).values():
        (call,) = random_calls(rng, ruleset, sequence, asked | {"sea_defender": None}, count=1)
        yield from program_of(as_battle(call)).sides


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_numbers_go_up_along_every_edge(ruleset: str, sequence: str) -> None:
    """One ascending pass meets each state after all that lead to it: the exact engine stands on this."""
    for side in sides_of_all_kinds("edges", ruleset, sequence):
        states, walker = side.states, side.states.walker
        assert len(set(states.states)) == len(states)
        assert [states.index[state] for state in states.states] == list(range(len(states)))
        masks = [everything(side), *(Mask("owner", kind.bit) for kind in walker.kinds)]
        for mask in masks:
            edge = walker.edge(mask)
            for number, state in enumerate(states.states):
                after = edge(state)
                if after != state:
                    assert walker.weight(after) < walker.weight(state)
                    assert states.index.get(after, number + 1) > number
        for number, state in enumerate(states.states):
            assert states.index.get(walker.clear_pending(state), number) >= number


def places(side: SideProgram) -> list[str]:
    """Name the places that pieces of a side can be in, in the order in which they are counted."""
    buckets = np.identity(len(side.states.walker.buckets), dtype=int).tolist()
    return [name for state in buckets for name in in_words(side, tuple(state))]


def test_hits_on_one_class_leave_the_others() -> None:
    program = program_of("aa-1942", "naval", "1 destroyer, 1 submarine", "2 fighter, 1 carrier, 1 submarine")
    defender = program.sides[1]
    air = program.setting.bits(frozenset({"fighter"}))
    edge = defender.states.walker.edge(Mask("owner", air))
    state = edge(edge(edge(defender.states.walker.start())))
    assert in_words(defender, state) == {"carrier": 1, "submarine": 1}
    assert defender.states.count(air).tolist()[defender.start] == 2


def test_damaged_units_start_hurt() -> None:
    program = program_of("aa-1942", "naval", bc.Side("2 battleship", damaged={"battleship": 1}), "1 dd")
    attacker = program.sides[0]
    assert in_words(attacker, attacker.states.walker.start()) == {"battleship": 1, "battleship*": 1}


def test_waves_come_ashore_by_attack_and_transport() -> None:
    program = program_of(
        "great-war", "invasion", "2 infantry, 1 cavalry, 1 storm_troops, 2 transport", "1 infantry"
    )
    attacker = program.sides[0]
    walker = attacker.states.walker
    start = walker.start()
    ashore = ["cavalry", "infantry", "storm_troops"]
    assert sorted(places(attacker)) == sorted([*ashore, *(f"{unit} aboard" for unit in ashore)])
    assert in_words(attacker, start) == {"infantry aboard": 2, "cavalry aboard": 1, "storm_troops aboard": 1}
    first = walker.landing_of(1)(start)
    assert in_words(attacker, first) == {"infantry aboard": 2, "cavalry": 1, "storm_troops": 1}
    second = walker.landing_of(2)(first)
    assert in_words(attacker, second) == {"infantry": 2, "cavalry": 1, "storm_troops": 1}
    assert walker.landing_of(3)(second) == second


def test_fresh_troops_come_ashore() -> None:
    attacker = program_of(
        "great-war", "invasion", "3 infantry, 3 transport", "1 infantry", changes={"infantry.hits": 2}
    ).sides[0]
    walker = attacker.states.walker
    assert in_words(attacker, walker.landing_of(1)(walker.start())) == {"infantry": 3}


def test_casualties_that_still_fire() -> None:
    """Revised: what submarines hit fires once more, if its side had a destroyer."""
    program = program_of("aa-revised", "naval", "2 submarine", "1 destroyer, 1 transport, 1 fighter")
    defender = program.sides[1]
    hit_first = ["transport pending", "destroyer pending"]  # submarines cannot hit fighters
    assert sorted(places(defender)) == sorted(["transport", "destroyer", "fighter", *hit_first])
    walker = defender.states.walker
    mask = Mask("owner", program.setting.bits(frozenset({"transport", "destroyer"})), pending=True)
    hit = walker.edge(mask)(walker.start())
    assert in_words(defender, hit) == {"transport pending": 1, "destroyer": 1, "fighter": 1}
    assert walker.signature(hit).present == walker.signature(walker.start()).present
    assert in_words(defender, walker.clear_pending(hit)) == {"destroyer": 1, "fighter": 1}


def test_leaving_one_by_one_or_all_at_once() -> None:
    battle = bc.Battle("aa-1942", "naval", bc.Side("3 submarine, 1 cruiser", submerge="always"), "2 cruiser")
    attacker = program_of(battle).sides[0]
    walker, submarines = attacker.states.walker, 1 << program_of(battle).setting.bit["submarine"]
    start = walker.start()
    assert in_words(attacker, walker.leave(submarines, 0)(start)) == {"submarine away": 3, "cruiser": 1}
    one = walker.leave(submarines, 0, one=True)(start)
    assert in_words(attacker, one) == {"submarine": 2, "submarine away": 1, "cruiser": 1}


@pytest.mark.parametrize(
    ("policies", "size"),
    [
        # 2 submarines and a cruiser, 1 and it, it, none
        ({"submerge": "never", "retreat": "round >= 2"}, 4),
        # the submarines of each of the first two away, and then the cruiser lost
        ({"submerge": "always"}, 8),
        # one away, the other and the cruiser still there
        ({"submerge": "best"}, 9),
    ],
)
def test_nobody_is_away_whom_no_policy_sends(policies: dict[str, str], size: int) -> None:
    fleet = "2 submarine, 1 cruiser"
    program = program_of("aa-1942", "naval", bc.Side(fleet, **policies), fleet)
    assert program.sizes == (size, 4)
    away = ["submarine away"] if size > 4 else []
    assert places(program.sides[0]) == ["submarine", "cruiser", *away]
    assert places(program.sides[1]) == ["submarine", "cruiser"]


def test_called_shots_take_the_dearest_that_they_finish() -> None:
    options: dict[str, Any] = {"called_shots": 1}
    program = program_of(
        "great-war", "naval", "1 cruiser", "1 dreadnought, 1 cruiser, 1 transport", options=options
    )
    defender = program.sides[1]
    bits = defender.pieces.start_bits
    edge = defender.states.walker.edge(Mask("called", bits, others=bits))
    state = defender.states.walker.start()
    found = []
    while (after := edge(state)) != state:
        found.append(in_words(defender, after))
        state = after
    assert found == [
        {"dreadnought": 1, "transport": 1},
        {"dreadnought": 1},
        {"dreadnought*": 1},
        {},
    ]


def test_called_shots_that_finish_nothing_hurt_the_dearest() -> None:
    options: dict[str, Any] = {"called_shots": 1}
    fleet, changes = "1 dreadnought, 2 cruiser", {"cruiser.hits": 2}
    defender = program_of("great-war", "naval", "1 cruiser", fleet, options=options, changes=changes).sides[1]
    bits, walker = defender.pieces.start_bits, defender.states.walker
    hurt = walker.edge(Mask("called", bits, others=bits))(walker.start())
    assert in_words(defender, hurt) == {"dreadnought*": 1, "cruiser": 2}
    assert in_words(defender, walker.edge(everything(defender))(walker.start()))["dreadnought"] == 1


def test_more_states_than_allowed_are_an_error() -> None:
    states = StateSet([(5, 5)], most=3)
    with pytest.raises(bc.StateSpaceError, match=r"^one side of this battle has more than 3 states; "):
        states.close([lambda s: (max(s[0] - 1, 0), s[1]), lambda s: (s[0], max(s[1] - 1, 0))])


@pytest.mark.parametrize(("side", "other"), [("attacker", "defender"), ("defender", "attacker")])
@pytest.mark.parametrize(("dice", "left"), [(1, {"wall": 1, "wall*": 1}), (3, {"wall*": 1}), (5, {})])
def test_one_volley_gets_as_far_as_its_hits(dice: int, left: dict[str, int], side: str, other: str) -> None:
    """No round comes after it that would lead to the same states hit by hit."""
    units = {"foot": {"attack": 6, "defence": 6}, "wall": {"attack": 0, "defence": 0, "hits": 2}}
    takes = {side: ["foot"], other: ["wall"]}
    stage = {"repeat": "once", "steps": {"volley": {"fire": [{"side": side, "who": ["foot"]}]}}}
    table = {"holders": ["foot"], "units": units}
    rules = make_ruleset(table | {"sequences": {"land": {"takes": takes, "stages": {"volley": stage}}}})
    forces = {side: {"foot": dice}, other: {"wall": 2}}
    asked = (rules, "land", forces["attacker"], forces["defender"])
    for odds in (bc.solve(*asked), bc.simulate(*asked, trials=10, seed=1)):
        (row,) = odds.survivors(other).drop(columns="probability").to_dict("records")
        assert {name: n for name, n in row.items() if n} == left


FLEETS = (
    ("aa-1942", "6 submarine, 5 destroyer, 4 fighter, 3 carrier, 3 battleship, 3 transport"),
    ("aa-1942-2e", "5 submarine, 5 destroyer, 4 cruiser, 4 battleship, 2 carrier, 4 fighter"),
    ("aa-revised", "4 submarine, 2 destroyer, 3 fighter, 2 carrier, 2 battleship, 2 transport"),
    ("great-war", "4 cruiser, 4 dreadnought, 3 transport, 1 fighter"),
)


@pytest.mark.parametrize(
    ("ruleset", "sequence", "attacker", "defender"),
    [
        (
            "great-war",
            "land",
            "1 infantry, 1 artillery, 3 gas, 1 adjacent_rail_gun, 1 fighter",
            "1 fort, 1 inf",
        ),
        ("great-war", "naval", "2 cruiser, 1 fighter, 1 submarine", "1 cruiser, 2 fort"),
        ("aa-1914", "invasion", "2 infantry, 1 fighter, 1 transport", "2 artillery, 2 fighter"),
        ("great-war", "invasion", "2 infantry, 2 cruiser, 1 dreadnought, 1 transport", "2 infantry, 1 fort"),
        (
            "aa-1940-2e",
            "land",
            "1 infantry, 1 mech_infantry, 2 artillery, 1 tactical_bomber",
            "1 tank, 2 aa_gun",
        ),
    ],
)
def test_arrays_count_dice_as_tuples_do(
    ruleset: str, sequence: str, attacker: str, defender: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of units that cannot be lost, that stand off, that help each other, that need a keeper."""
    _assert_same_program(bc.Battle(ruleset, sequence, attacker, defender), monkeypatch)


@pytest.mark.parametrize(("ruleset", "fleet"), FLEETS)
def test_arrays_number_states_as_tuples_do(ruleset: str, fleet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fleets are large enough for arrays when those begin at one state; nothing of the program may change."""
    options = {"called_shots": 1, "pass_through_forts": 2} if ruleset == "great-war" else {}
    _assert_same_program(bc.Battle(ruleset, "naval", fleet, fleet, options=options), monkeypatch)


def test_arrays_and_tuples_of_what_only_house_rules_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice for each target of units that differ; carts destroyed where nobody could hit them one by one."""
    units = {
        "foot": {"attack": 1, "defence": 1},
        "gun": {"attack": 3, "defence": 3},
        "cart": {"attack": 0, "defence": 0, "keeps_alive": False, "alone": {"defender": "destroyed"}},
    }
    fire = [
        {"side": "attacker", "who": ["foot"], "at": ["foot", "gun"]},
        {"side": "defender", "who": ["foot", "gun"], "dice": {"kind": "capped", "each": 2}},
    ]
    first = {"fire": [{"side": "attacker", "who": ["gun"], "at": ["cart"]}], "when": {"rounds": 1}}
    stage = {"repeat": "rounds", "steps": {"first": first, "fire": {"fire": fire}}}
    takes = {side: list(units) for side in ("attacker", "defender")}
    sequences = {"land": {"takes": takes, "stages": {"battle": stage}}}
    rules = make_ruleset({"holders": ["foot"], "units": units, "sequences": sequences})
    battle = bc.Battle(rules, "land", "4 foot, 3 gun", "3 foot, 2 gun, 6 cart")
    program = _assert_same_program(battle, monkeypatch)
    defender = program.sides[1]
    carts = defender.states.count(program.setting.defenceless(1))
    assert set(carts.tolist()) == {0, 3, 4, 5, 6}  # three guns fire at them once, or all are destroyed


def _assert_same_program(battle: bc.Battle, monkeypatch: pytest.MonkeyPatch) -> Program:
    few = _fresh(battle, monkeypatch, wide=10**9)
    many = _fresh(battle, monkeypatch, wide=0)
    assert all(isinstance(side.states, FewStates) for side in few.sides)
    assert all(isinstance(side.states, ManyStates) for side in many.sides)
    assert np.array_equal(few.words, many.words)
    assert np.array_equal(few.probabilities, many.probabilities)
    assert few.script == many.script
    for one, other in zip(few.sides, many.sides, strict=True):
        assert one.states.states == other.states.states
        assert np.array_equal(one.states.rows, other.states.rows)
        assert one.states.signatures == other.states.signatures
        assert np.array_equal(one.states.signature, other.states.signature)
        assert one.start == other.start
    return many


def _fresh(battle: bc.Battle, monkeypatch: pytest.MonkeyPatch, wide: int) -> Program:
    monkeypatch.setattr(reach, "WIDE", wide)
    monkeypatch.setattr("battlecalc.program.side.MANY", wide)
    make_side.cache_clear()
    make_program.cache_clear()
    program = program_of(battle)
    make_side.cache_clear()
    make_program.cache_clear()
    return program


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_edges_lead_one_state_and_many_to_the_same(ruleset: str, sequence: str) -> None:
    for side in sides_of_all_kinds("rows", ruleset, sequence):
        states, walker = side.states, side.states.walker
        masks = [everything(side)]
        for n, kind in enumerate(walker.kinds):
            masks += [Mask("owner", kind.bit), Mask("die", kind.bit, kind=n, hits=kind.hits)]
            masks.append(Mask("called", kind.bit, others=side.pieces.start_bits))
        edges = [walker.edge(mask) for mask in masks]
        edges += [walker.clear_pending, walker.landing_of(1), walker.without(side.pieces.start_bits)]
        for edge in edges:
            assert edge.rows(states.rows).tolist() == [list(edge(state)) for state in states.states]


def test_rows_of_states_are_bounded_as_sets_are() -> None:
    lose_first, lose_second = (OnePiece([Rank((Choice(bucket, LOST),))]) for bucket in (0, 1))
    states = StateRows([(5, 5)], most=36)
    states.close([lose_first, lose_second])
    states = StateRows([(5, 5)], most=35)
    with pytest.raises(bc.StateSpaceError, match=r"^one side of this battle has more than 35 states; "):
        states.close([lose_first, lose_second])


def test_a_carrier_takes_its_passenger_down() -> None:
    """Two passengers: carriers go down empty while two are left, then with one passenger each."""
    lost = OnePiece([Rank((Choice(0, LOST, Riders((0,), 2, (1, 2))),))])
    path = [(4, 1, 1), (3, 1, 1), (2, 1, 1), (1, 0, 1), (0, 0, 0), (0, 0, 0)]
    assert [lost(state) for state in path[:-1]] == path[1:]
    assert lost.rows(np.array(path[:-1], dtype=np.int32)).tolist() == [list(state) for state in path[1:]]


def test_no_more_come_ashore_than_are_aboard() -> None:
    """Two of the first move to the second place, the third are lost."""
    ashore = ManyPieces([(0, 1, 2), (2, LOST, None)])
    path = {(3, 0, 5): (1, 2, 0), (1, 2, 0): (0, 3, 0), (0, 3, 0): (0, 3, 0)}
    assert [ashore(state) for state in path] == list(path.values())
    assert ashore.rows(np.array(list(path), dtype=np.int32)).tolist() == [list(s) for s in path.values()]


def test_rows_of_huge_numbers_are_told_apart() -> None:
    rng = np.random.default_rng(5)
    kinds = rng.integers(0, 2**31, size=(7, 6))
    which = np.array([3, 0, 3, 6, 1, 0, 2, 5, 4, 6])
    first, kind = distinct(kinds[which])
    assert first.tolist() == [0, 1, 3, 4, 6, 7, 8]
    assert kind.tolist() == [0, 1, 0, 2, 3, 1, 4, 5, 6, 2]
    # written as one number the first two are 2**64 apart
    first, _ = distinct(np.array([[0, 0, 0], [4, 0, 0], [2**31 - 1] * 3]))
    assert first.tolist() == [0, 1, 2]


@pytest.mark.parametrize("starts", [[(300, 0)], [(200, 100)], [(0, 1), (150, 150)]])
def test_keys_of_large_forces_go_up_with_their_counts(starts: list[tuple[int, int]]) -> None:
    """From none to all pieces of the larger start in one place: more than a byte holds."""
    rows = np.array([(n, last) for n in (0, 44, 255, 256, 300) for last in (0, 44, 300)], dtype=np.int32)
    keys = Keys(np.array(starts, dtype=np.int32)).of(rows).tolist()
    assert keys == sorted(set(keys))


def test_rows_follow_a_landing_as_sets_do() -> None:
    """Waves ashore, some hits, others away: the same states are found and left behind."""
    attacker = program_of(
        "great-war", "invasion", "2 infantry, 1 cavalry, 1 storm_troops, 2 transport", "2 infantry"
    ).sides[0]
    walker, pieces = attacker.states.walker, range(len(attacker.states.walker.kinds))
    found = []
    for states in (StateSet([walker.start()], most=1000), StateRows([walker.start()], most=1000)):
        states.move(walker.landing_of(1), optional=False)
        for n in pieces:
            states.hits(walker.edge(Mask("owner", walker.kinds[n].bit)), 1)
        states.move(walker.landing_of(2), optional=True)
        states.move(walker.landing_of(3), optional=False)
        states.hits(walker.edge(everything(attacker)), 2)
        found.append(states.numbered(walker))
    assert found[0].states == found[1].states
    assert len(found[0]) > 8
    assert [found[1].number(state) for state in found[0].states] == list(range(len(found[0])))
    assert found[1].rows.tolist() == found[0].rows.tolist()
