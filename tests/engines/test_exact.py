"""The exact engine by itself: sums, pruning, bounds, both of its faces, battles worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import battlecalc as bc
from battlecalc import answering, run
from battlecalc.engines import exact
from battlecalc.program.asking import count_states
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from battlecalc.program.side import make_side
from tests.engines.battles import PAIRS, policy_kinds, random_calls
from tests.engines.twin import as_battle
from tests.engines.ways import compiled, plain
from tests.program.bench import program_of

LAND = ("great-war", "land", "6 infantry, 2 artillery, 2 fighter", "5 infantry, 1 artillery, 1 fighter")
NAVAL = ("aa-1942-2e", "naval", "2 submarine, 1 destroyer, 1 fighter", "2 submarine, 1 cruiser")
LARGE = ("aa-1942-2e", "land", "40 inf, 20 art, 10 tank, 5 ftr", "40 inf, 10 art, 10 tank, 5 ftr, 2 aaa")
HUGE = ("great-war", "land", "5000 inf", "5000 inf")
few = settings(max_examples=25, derandomize=True, deadline=None, database=None)


# ------------------------------------------------------------------ sums


@pytest.mark.parametrize("battle", [LAND, NAVAL, LARGE])
def test_chances_sum_to_1(battle: tuple[str, ...]) -> None:
    odds = bc.solve(*battle)
    assert sum(odds.outcomes.values()) == pytest.approx(1, abs=1e-12)
    assert odds.outcome_table().probability.sum() == pytest.approx(1, abs=1e-12)
    assert odds.rounds().sum() == pytest.approx(1, abs=1e-11)
    for side in ("attacker", "defender"):
        assert odds.survivors(side).probability.sum() == pytest.approx(1, abs=1e-12)
        assert odds.value_lost(side).sum() == pytest.approx(1, abs=1e-12)
    assert odds.swing().sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_units_are_conserved(ruleset: str, sequence: str) -> None:
    rng = Random(f"exact {ruleset} {sequence}")
    for asked in policy_kinds(ruleset, sequence).values():
        (call,) = random_calls(rng, ruleset, sequence, asked, count=1)
        odds = bc.solve(as_battle(call))
        assert sum(odds.outcomes.values()) == pytest.approx(1, abs=1e-12), call
        captured = odds.captured()
        for side in ("attacker", "defender"):
            lost, left = odds.expected_losses(side), odds.expected_survivors(side)
            at_sea = call.get(f"sea_{side}") or {} if call.get("sea_defender") else {}
            ashore = call.get("overland", {}) if side == "attacker" else {}
            for unit, mean in left.items():
                start = sum(force.get(unit, 0) for force in (call[side], at_sea, ashore))
                taken = captured.get(unit, 0.0) if side == "defender" else 0.0
                assert mean + lost[unit] + taken == pytest.approx(start, abs=1e-9), (call, unit)
                assert lost[unit] >= -1e-12


# ------------------------------------------------------------------ pruning and bounds


def test_pruning_tells_what_it_dropped() -> None:
    odds, whole = bc.solve(*LARGE, prune=1e-7), bc.solve(*LARGE)
    assert sum(odds.outcomes.values()) == pytest.approx(1, abs=1e-12)
    (note,) = (note for note in odds.notes if "dropped" in note)
    assert note.startswith("states with a chance below 1e-07 were dropped, ")
    dropped = float(note.removesuffix(" in all").rsplit(" ", 1)[1])
    assert 0 < dropped < 0.01
    for name, chance in whole.outcomes.items():
        assert abs(odds.outcomes[name] - chance) <= dropped, name
    assert not any("dropped" in note for note in whole.notes)


def test_pruning_nothing_changes_nothing() -> None:
    odds = bc.solve(*LAND, prune=1e-300)
    assert odds.outcomes == bc.solve(*LAND).outcomes
    assert odds.notes[-1].endswith("dropped, 0 in all")


def test_too_many_states_is_an_error_that_says_how_many() -> None:
    program = program_of(*LARGE)
    a, d = program.sizes
    with pytest.raises(bc.StateSpaceError) as caught:
        bc.solve(*LARGE, max_states=1000)
    assert str(caught.value) == (
        f"an exact answer would go through {a * d:,} pairs of states ({a:,} of the attacker, {d:,} of the "
        "defender), more than 1,000; simulate instead, or raise max_states"
    )
    assert bc.solve(*LARGE, max_states=a * d).method == "exact"


def test_auto_falls_back_and_says_so() -> None:
    odds = bc.odds(*LARGE, max_states=1000, trials=2000, seed=1)
    assert (odds.method, odds.trials) == ("monte-carlo", 2000)
    (note,) = (note for note in odds.notes if note.startswith("simulated: an exact answer would go through "))
    assert note.endswith("more than 1,000; simulate instead, or raise max_states")
    assert bc.odds(*LARGE).method == "exact"
    with pytest.raises(bc.StateSpaceError):
        bc.odds(*LARGE, method="exact", max_states=1000)


def test_a_size_out_of_reach_is_known_before_the_work_starts() -> None:
    odds = bc.odds(*HUGE, trials=100, seed=1)
    assert odds.method == "monte-carlo"
    assert any(note.startswith("simulated: ") for note in odds.notes)
    with pytest.raises(bc.StateSpaceError, match=r"pairs of states"):
        bc.solve(*HUGE)


def test_auto_simulates_what_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("battlecalc.run.AUTO_SECONDS", 1e-9)
    odds = bc.odds(*LAND, trials=100, seed=1)
    assert odds.method == "monte-carlo"
    assert any("the exact answer would take about" in note for note in odds.notes)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"prune": -1}, r"^prune is a probability from 0 to 0\.01, not -1$"),
        ({"prune": 0.5}, r"^prune is a probability from 0 to 0\.01, not 0\.5$"),
        ({"prune": "some"}, r"^prune is a probability from 0 to 0\.01, not 'some'$"),
    ],
)
def test_nonsense(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(bc.BattlecalcError, match=message):
        bc.solve(*LAND, **keywords)


def test_unknown_method() -> None:
    with pytest.raises(
        bc.BattlecalcError, match=r"^unknown method 'guess'; known: monte-carlo, exact, auto$"
    ):
        bc.odds(*LAND, method="guess")


# ------------------------------------------------------------------ plain Python and compiled code


@pytest.mark.parametrize(("ruleset", "sequence"), PAIRS)
def test_both_faces_of_the_walker(ruleset: str, sequence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(f"faces {ruleset} {sequence}")
    for asked in policy_kinds(ruleset, sequence).values():
        (call,) = random_calls(rng, ruleset, sequence, asked | {"sea_defender": None}, count=1)
        program = program_of(as_battle(call))
        monkeypatch.setattr(exact, "_choose", plain)
        slow = exact.solve_program(program)
        monkeypatch.setattr(exact, "_choose", compiled)
        fast = exact.solve_program(program)
        np.testing.assert_allclose(slow.by_slot, fast.by_slot, rtol=0, atol=1e-13)
        assert slow.rounds == pytest.approx(fast.rounds, abs=1e-12)


# ------------------------------------------------------------------ rounds


@pytest.mark.parametrize(
    "battle",
    [
        LAND,
        NAVAL,
        ("aa-1914", "land", "3 inf, 1 tank, 1 fighter", "2 inf, 1 fighter"),
        ("great-war", "invasion", "4 infantry, 2 transport, 1 fighter", "2 infantry, 1 artillery"),
    ],
)
def test_rounds_and_by_round(battle: tuple[str, ...]) -> None:
    odds = bc.solve(*battle)
    rounds, table = odds.rounds(), odds.by_round()
    assert rounds.sum() == pytest.approx(1, abs=1e-11)
    assert (rounds >= 0).all()
    assert table.index[0] == 0
    assert (table.over.diff().dropna() >= -1e-12).all()
    for column in table.columns.drop("over"):
        assert (table[column].diff().dropna() <= 1e-12).all(), column
        side, unit = column.split(".")
        left = odds.expected_survivors(side)[unit] + odds.captured().get(unit, 0.0)
        assert table[column].iloc[-1] == pytest.approx(left, abs=1e-9), column
    mean = float((rounds.index * rounds).sum())
    assert odds.to_dict()["expected_rounds"] == pytest.approx(mean, abs=1e-9)


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_limit_cuts_what_lasts_longer(limit: int) -> None:
    whole, cut = bc.solve(*LAND).rounds(), bc.solve(*LAND, rounds=limit)
    rounds = cut.rounds()
    for number in range(limit):
        assert rounds.get(number, 0.0) == pytest.approx(whole.get(number, 0.0), abs=1e-12)
    assert rounds.index.max() <= limit
    assert cut.outcomes["unresolved"] == pytest.approx(whole[whole.index > limit].sum(), abs=1e-11)


def test_odds_after_each_limit_lead_to_the_whole() -> None:
    limits = [bc.solve(*NAVAL, rounds=n).outcomes["unresolved"] for n in range(25)]
    assert limits == sorted(limits, reverse=True)
    assert limits[-1] < 1e-3
    last, whole = bc.solve(*NAVAL, rounds=60).outcomes, bc.solve(*NAVAL).outcomes
    for name, chance in whole.items():
        assert last[name] == pytest.approx(chance, abs=1e-6)


def test_a_battle_that_takes_long() -> None:
    """One against one at 1 and 2 of 12: a no-hit loop that is divided out, not walked."""
    odds = bc.solve("aa-1942", "land", "1 infantry", "1 infantry", changes={"infantry.defence": 1})
    assert odds.outcomes["attacker_wins"] == pytest.approx(5 / 11, abs=1e-15)
    assert odds.outcomes["mutual_destruction"] == pytest.approx(1 / 11, abs=1e-15)
    assert odds.to_dict()["expected_rounds"] == pytest.approx(36 / 11, abs=1e-12)
    rounds = odds.rounds()
    assert rounds[1] == pytest.approx(11 / 36, abs=1e-15)
    assert rounds[10] == pytest.approx(11 / 36 * (25 / 36) ** 9, abs=1e-15)


# ------------------------------------------------------------------ what must hold in any battle

land_units = st.fixed_dictionaries(
    {"infantry": st.integers(1, 4), "artillery": st.integers(0, 2), "tank": st.integers(0, 2)}
)


@few
@given(land_units, land_units, st.sampled_from(["infantry", "tank"]))
def test_one_more_unit_never_hurts(attacker: dict[str, int], defender: dict[str, int], unit: str) -> None:
    """Where everybody is lost in order of strength; one more artillery also helps, but may be lost first."""
    less = bc.solve("aa-1942", "land", attacker, defender).outcomes
    more = bc.solve("aa-1942", "land", attacker | {unit: attacker[unit] + 1}, defender).outcomes
    assert more["attacker_wins"] >= less["attacker_wins"] - 1e-12
    assert more["defender_wins"] <= less["defender_wins"] + 1e-12
    worse = bc.solve("aa-1942", "land", attacker, defender | {unit: defender[unit] + 1}).outcomes
    assert worse["attacker_wins"] <= less["attacker_wins"] + 1e-12


@few
@given(land_units, land_units)
def test_symmetrical_rules_mirror(attacker: dict[str, int], defender: dict[str, int]) -> None:
    """With equal attack and defence and no support, the sides can change places."""
    changes = {
        "infantry.attack": 2,
        "infantry.defence": 2,
        "tank.attack": 3,
        "tank.defence": 3,
        "artillery.attack": 1,
        "artillery.defence": 1,
    }
    units = [{name: n for name, n in force.items() if name != "artillery"} for force in (attacker, defender)]
    here = bc.solve("aa-1942", "land", *units, changes=changes)
    there = bc.solve("aa-1942", "land", *reversed(units), changes=changes)
    mirror = {"attacker_wins": "defender_wins", "defender_wins": "attacker_wins"}
    for name, chance in here.outcomes.items():
        assert there.outcomes[mirror.get(name, name)] == pytest.approx(chance, abs=1e-12), name
    for side, other in (("attacker", "defender"), ("defender", "attacker")):
        assert here.expected_losses(side) == pytest.approx(there.expected_losses(other), abs=1e-12)


# ------------------------------------------------------------------ stalemates

STUCK = [
    ("aa-1942", {"submarine": 1}, {"fighter": 1}),
    ("aa-1942-2e", {"fighter": 2}, {"submarine": 2}),
    ("aa-anniversary", {"submarine": 2}, {"fighter": 1, "bomber": 1}),
]


@pytest.mark.parametrize(("ruleset", "attacker", "defender"), STUCK)
def test_a_battle_nobody_can_win_is_a_stalemate_at_once(
    ruleset: str, attacker: dict[str, int], defender: dict[str, int]
) -> None:
    odds = bc.solve(ruleset, "naval", attacker, defender)
    assert odds.outcomes["stalemate"] == 1
    assert odds.rounds().to_dict() == {0: 1.0}
    assert odds.expected_survivors("attacker") == attacker
    assert odds.expected_survivors("defender") == defender


NOTHING = {"infantry.attack": 0, "infantry.defence": 0}
HARMLESS: list[tuple[str, str, str, dict[str, int]]] = [
    ("aa-1942", "2 infantry", "1 infantry", NOTHING),
    (
        "great-war",
        "1 artillery, 1 fighter",
        "1 infantry",
        NOTHING | {"artillery.attack": 0, "fighter.attack": 0},
    ),
    ("great-war", "1 infantry", "1 infantry, 1 fort", NOTHING | {"fort.defence": 0}),
]


@pytest.mark.parametrize(("ruleset", "attacker", "defender", "changes"), HARMLESS)
def test_units_that_never_hit(ruleset: str, attacker: str, defender: str, changes: dict[str, int]) -> None:
    """Not even where a rule could raise their value, once what raises it is not there (any more)."""
    battle = bc.Battle(ruleset, "land", attacker, defender, changes=changes)
    exactly = bc.solve(battle)
    assert exactly.outcomes["stalemate"] > 0.1
    assert exactly.outcomes["attacker_wins"] + exactly.outcomes["stalemate"] == pytest.approx(1, abs=1e-12)
    simulated = bc.simulate(battle, trials=1000, seed=1)
    assert simulated.outcomes["stalemate"] == pytest.approx(exactly.outcomes["stalemate"], abs=0.1)


def test_a_battle_can_become_a_stalemate() -> None:
    """Submarine and destroyer against a fighter: with the destroyer gone nobody can hit anybody."""
    order = bc.Side("1 submarine, 1 destroyer", loss_order="destroyer, submarine")
    odds = bc.solve("aa-1942", "naval", order, "1 fighter")
    assert 0 < odds.outcomes["stalemate"] < 1
    # each round the destroyer hits at 2 and the fighter at 4 of 6; a hit on either side ends it
    hit, hurt = Fraction(1, 3), Fraction(2, 3)
    over = 1 - (1 - hit) * (1 - hurt)
    assert odds.outcomes["stalemate"] == pytest.approx(float((1 - hit) * hurt / over), abs=1e-12)
    assert odds.outcomes["attacker_wins"] == pytest.approx(float(hit / over), abs=1e-12)


# ------------------------------------------------------------------ The Great War by hand

BY_HAND: dict[str, tuple[str, str | bc.Side, str | bc.Side, dict[str, Fraction]]] = {
    # the gun fires before the infantry: p = 1/3 + (2/3)(2/3) p
    "guns fire first": ("land", "1 artillery", "1 infantry", {"attacker_wins": Fraction(3, 5)}),
    "storm troops fire before infantry": (
        "land",
        "1 storm_troops",
        "1 infantry",
        {"attacker_wins": Fraction(3, 5), "mutual_destruction": Fraction(0)},
    ),
    "storm troops and trenches fire together": (
        "land",
        "1 storm_troops",
        "1 entrenched_infantry",
        {"attacker_wins": Fraction(2, 5), "mutual_destruction": Fraction(1, 5)},
    ),
    # 11/27 of the rounds win with the infantry, 6/27 leave the fighter alone, which then wins 3 of 5
    "planes hold no territory": (
        "land",
        "1 infantry, 1 fighter",
        "1 artillery",
        {"attacker_wins": Fraction(73, 85), "captures": Fraction(11, 17)},
    ),
    # with the air, the gun hits at 3 in the first round and at 2 in the others
    "superiority lasts one round": (
        "land",
        "1 artillery, 1 fighter",
        "1 infantry",
        {"captures": Fraction(16, 19)},
    ),
    "a fort with its keeper fires twice and is captured": (
        "land",
        "1 infantry",
        bc.Side("1 infantry, 1 fort", loss_order="infantry, fort*"),
        {"attacker_wins": Fraction(1, 31), "mutual_destruction": Fraction(1, 62), "fort": Fraction(1, 31)},
    ),
    "gas is used once": ("land", "1 infantry, 2 gas", "1 infantry", {"attacker_wins": Fraction(2, 3)}),
    "submarines strike first": (
        "naval",
        "1 submarine",
        "1 cruiser",
        {"attacker_wins": Fraction(1, 2), "mutual_destruction": Fraction(0)},
    ),
    "detection takes the strike away": (
        "naval",
        "1 submarine",
        bc.Side("1 cruiser", technologies="sub_detection"),
        {"attacker_wins": Fraction(1, 4), "mutual_destruction": Fraction(1, 4)},
    ),
    "the defender of a coast fires first": (
        "invasion",
        "1 infantry",
        "1 infantry",
        {"attacker_wins": Fraction(1, 4), "captures": Fraction(1, 4)},
    ),
    # the second wave lands in round 2, whether or not the first is still there
    "two waves": ("invasion", "2 infantry, 1 transport", "1 infantry", {"attacker_wins": Fraction(31, 58)}),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_great_war_by_hand(name: str) -> None:
    sequence, attacker, defender, expect = BY_HAND[name]
    odds = bc.solve("great-war", sequence, attacker, defender)
    found = odds.outcomes | odds.captured() | {"captures": odds.captures}
    for key, value in expect.items():
        assert found[key] == pytest.approx(float(value), abs=1e-14), key


def test_withdrawing_in_the_air_leaves_the_land_battle_to_the_others() -> None:
    """Two fighters against one: the attacker may go after a round, and takes both out of the battle."""
    attacker = bc.Side("1 infantry, 2 fighter", air_retreat="round >= 1")
    odds = bc.solve("great-war", "land", attacker, "1 infantry, 1 fighter")
    # nobody hits with 4/9 * 2/3; the attacker loses one plane at most in the only round
    assert odds.expected_losses("attacker")["fighter"] <= 1
    alone = bc.solve("great-war", "land", bc.Side("2 fighter", air_retreat="round >= 1"), "1 fighter")
    assert alone.outcomes["attacker_retreats"] == pytest.approx(4 / 9, abs=1e-15)
    assert alone.outcomes["attacker_wins"] == pytest.approx(5 / 9, abs=1e-15)


def test_planes_without_a_deck_are_lost_where_the_option_says_so() -> None:
    battle = bc.Battle("aa-1942", "naval", "1 carrier, 3 fighter", "1 destroyer, 1 cruiser")
    reported, lost = bc.solve(battle), bc.solve(battle.replace(options={"planes_need_decks": True}))
    assert reported.outcomes == lost.outcomes
    adrift = reported.without_deck("attacker")
    mean = float((adrift * adrift.index).sum())
    gone = reported.expected_survivors("attacker")["fighter"] - lost.expected_survivors("attacker")["fighter"]
    assert gone == pytest.approx(mean, abs=1e-12)
    assert mean > 0.2
    assert lost.without_deck("attacker").to_dict() == {0: pytest.approx(1.0)}


def test_of_planes_without_a_deck_the_cheapest_are_lost() -> None:
    fleet = "2 fighter, 2 tactical_bomber, 1 bomber, 1 carrier, 1 submarine"
    odds = bc.solve("aa-1940-2e", "naval", fleet, "1 transport", options={"planes_need_decks": True})
    assert odds.expected_losses("attacker") == {
        "fighter": 2.0,
        "tactical_bomber": 0.0,
        "bomber": 0.0,
        "submarine": 0.0,
        "carrier": 0.0,
    }


def test_fleets_too_large_are_refused_before_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides are counted no further than needed; the whole fleet would take minutes and is never made."""
    fleet = "300 submarine, 300 destroyer, 200 fighter, 100 cruiser, 100 battleship"
    asked = ("aa-1942-2e", "naval", fleet, fleet)

    def no_program(fight: object) -> None:
        raise AssertionError("built all the same")

    monkeypatch.setattr(answering, "make_program", no_program)
    with pytest.raises(bc.StateSpaceError) as caught:
        bc.solve(*asked)
    assert str(caught.value) == (
        "an exact answer would go through at least 400,040,001 pairs of states (20,001 of the attacker, "
        "20,001 of the defender), more than 20,000,000; simulate instead, or raise max_states"
    )
    monkeypatch.setattr(run, "make_program", no_program)
    with pytest.raises(bc.StateSpaceError, match=r"at least 400,040,001 pairs"):
        run.exact_seconds(bc.Battle(*asked))


def test_a_large_side_is_counted_as_far_as_the_other_leaves_room() -> None:
    fleet = "90 submarine, 90 destroyer, 60 fighter, 30 cruiser, 30 battleship"
    fight = fight_of(bc.Battle("aa-1942-2e", "naval", fleet, "1 submarine, 1 fighter"))
    sizes = make_program(fight).sizes
    assert sizes[0] > 20_001
    assert count_states(fight, sizes[0] * sizes[1]) == (sizes, True)
    make_side.cache_clear()
    assert count_states(fight, sizes[0] * sizes[1] - 1) == (sizes, False)
    assert count_states(fight, 1) == ((20_001, sizes[1]), False)
