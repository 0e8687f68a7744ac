"""What is too large for tables says so before the memory is taken, and how one would do with less."""

from __future__ import annotations

from typing import Any

import pytest

import battlecalc as bc
from battlecalc.program import asking, decide, policy
from battlecalc.program.build import make_program
from battlecalc.program.fight import fight_of
from battlecalc.program.lattice import lattice_key, make_lattice
from battlecalc.program.program import Program
from battlecalc.program.reach import MAX_STATES
from battlecalc.program.side import make_side


def program_of(*battle: Any, **keywords: Any) -> Program:
    make_program.cache_clear()
    return make_program(fight_of(bc.Battle(*battle, **keywords)))


def test_odds_need_tables_of_their_own_for_each_round() -> None:
    cautious = bc.Side("3 infantry", retreat="odds < 40%")
    assert program_of("aa-1942", "land", cautious, "3 infantry", rounds=500)
    with pytest.raises(bc.StateSpaceError, match=r"for each of 501 rounds, more than 500: a lower limit"):
        program_of("aa-1942", "land", cautious, "3 infantry", rounds=501)


@pytest.mark.parametrize(
    ("least", "rounds", "stays"), [(60, 1, 1), (60, 2, 1), (60, 3, 2), (60, 4, 3), (40, 1, 1), (40, 3, 3)]
)
def test_odds_are_those_of_the_rounds_that_are_left(least: int, rounds: int, stays: int) -> None:
    """An even chance each round: with two to go they stay, with none they retreat; with one, some do."""
    cautious = bc.Side("1 infantry", retreat=f"odds < {least}%")
    even = {"infantry.attack": 3, "infantry.defence": 0}
    odds = bc.solve("aa-1942", "land", cautious, "1 infantry", rounds=rounds, changes=even)
    assert odds.outcomes["attacker_retreats"] == pytest.approx(1 / 2**stays, abs=1e-12)
    assert odds.outcomes["attacker_wins"] == pytest.approx(1 - 1 / 2**stays, abs=1e-12)


@pytest.mark.parametrize("rounds", [2, 3, 4])
def test_the_best_is_asked_for_in_the_rounds_that_are_left(rounds: int) -> None:
    """With one round to go the infantry before the bomber are not worth the fighter, with two they are."""
    defender = bc.Side("1 infantry, 1 bomber", loss_order="infantry, bomber")
    changes = {"infantry.defence": 1, "bomber.defence": 1, "bomber.cost": 24}
    fighter = bc.Side("1 fighter", retreat="best")
    odds = bc.solve("aa-1942", "land", fighter, defender, rounds=rounds, changes=changes)
    stays = (5 / 6) ** 2 / 2  # neither side has hit
    assert odds.outcomes["attacker_retreats"] == pytest.approx(stays ** (rounds - 1), abs=1e-12)


def test_a_policy_on_both_forces_is_a_table_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    weaker = bc.Side("3 infantry", retreat="ratio < 1")
    monkeypatch.setattr(policy, "MAX_JOINT_ANSWERS", 16)
    assert program_of("aa-1942", "land", weaker, "3 infantry")
    monkeypatch.setattr(policy, "MAX_JOINT_ANSWERS", 15)
    with pytest.raises(bc.StateSpaceError, match=r"needs 16 answers here, more than 15; conditions on round"):
        program_of("aa-1942", "land", weaker, "3 infantry")
    assert program_of("aa-1942", "land", bc.Side("3 infantry", retreat="units <= 1"), "3 infantry")


def test_all_answers_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    weaker = bc.Side("3 infantry", retreat="units <= 1 and round >= 2")
    size = program_of("aa-1942", "land", weaker, "3 infantry").answers.size
    monkeypatch.setattr(decide, "_MOST_ANSWERS", size - 1)
    with pytest.raises(bc.StateSpaceError, match=r"look at more pairs of states than can be tabled"):
        program_of("aa-1942", "land", weaker, "3 infantry")


def test_battles_are_compiled_together_only_while_they_fit() -> None:
    fights = [fight_of(bc.Battle("aa-1942", "land", f"{n} infantry", "3 infantry")) for n in (1, 2, 3)]
    assert len({lattice_key(fight) for fight in fights}) == 1
    together = make_lattice(fights, 16)
    assert together is not None and together.program.cells == 16
    assert len(set(together.starts)) == 3
    assert make_lattice(fights, 15) is None, "more pairs of states than allowed"
    assert make_lattice(fights, 2) is None, "more battles than pairs of states"


def test_waves_stand_alone() -> None:
    landing = fight_of(bc.Battle("great-war", "invasion", "2 infantry, 1 transport", "1 infantry"))
    assert lattice_key(landing) is None


@pytest.mark.parametrize(
    ("few", "most", "sizes", "complete"),
    [
        (3, 40, (8, 5), True),
        (3, 39, (8, 5), False),  # the second leaves room for 7
        (5, 30, (7, 5), False),  # and for 6
        (6, 10, (7, 5), False),  # 6 are counted in any case
        (7, 40, (8, 5), True),
        (8, 1, (8, 5), True),
        (3, 4, (4, 4), False),
        (1, 20, (5, 5), False),
        (1, MAX_STATES**2, (8, 5), True),
    ],
)
@pytest.mark.parametrize("larger", [0, 1])
def test_states_are_counted_while_their_pairs_may_fit(
    few: int, most: int, sizes: tuple[int, int], complete: bool, larger: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "_FEW_STATES", few)
    make_side.cache_clear()
    forces = ("4 inf, 2 art, 1 tank", "3 inf, 1 tank")
    fight = fight_of(bc.Battle("aa-1942", "land", forces[larger], forces[1 - larger]))
    assert asking.count_states(fight, most) == (sizes[:: 1 - 2 * larger], complete)
    assert (
        program_of("aa-1942", "land", forces[larger], forces[1 - larger]).sizes == (8, 5)[:: 1 - 2 * larger]
    )
    assert asking.count_states(fight, most) == (sizes[:: 1 - 2 * larger], complete), "all are known by now"
