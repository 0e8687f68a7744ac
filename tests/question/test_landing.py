"""Cargo: capacity against trial of every load, and what sinks first."""

from __future__ import annotations

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from battlecalc.battle import Battle
from battlecalc.errors import BattlecalcError, ForceError
from battlecalc.landing import Loads, cargo_left, fits, form_loads
from battlecalc.rulesets import load_ruleset
from tests.question import QUICK

KINDS = "abc"
slots = st.frozensets(st.sampled_from(KINDS), min_size=1)
loads = st.lists(st.lists(slots, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple)


def fits_by_trial(cargo: dict[str, int], fleet: list[Loads]) -> bool:
    """Try every load of every transport, every unit in every slot."""
    if not any(cargo.values()):
        return True
    if not fleet:
        return False

    def fill(load: tuple[frozenset[str], ...], left: dict[str, int]) -> bool:
        if not load:
            return fits_by_trial(left, fleet[1:])
        chosen = [unit for unit in load[0] if left[unit]]
        return fill(load[1:], left) or any(fill(load[1:], {**left, u: left[u] - 1}) for u in chosen)

    return any(fill(load, cargo) for load in fleet[0])


@QUICK
@given(
    st.fixed_dictionaries({kind: st.integers(0, 3) for kind in KINDS}),
    st.lists(st.tuples(loads, st.integers(0, 2)), min_size=1, max_size=2),
)
def test_fits_agrees_with_trial(cargo: dict[str, int], groups: list[tuple[Loads, int]]) -> None:
    fleet = [loads for loads, count in groups for _ in range(count)]
    assert fits(tuple(cargo.items()), groups) == fits_by_trial(cargo, fleet)


def test_huge_landings_are_checked_at_once() -> None:
    began = time.process_time()
    with pytest.raises(ForceError, match=r"\(10,?000 would do\)|do not fit"):
        Battle("great-war", "invasion", "10000 inf, 9000 art, 9999 trn", "1 inf")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("ruleset", "force", "error"),
    [
        ("great-war", "4 inf, 2 trn", None),
        ("great-war", "2 inf, 1 art, 2 trn, 3 fighter", None),
        (
            "great-war",
            "3 inf, 1 art, 2 trn",
            "3 infantry, 1 artillery do not fit into 2 transport (3 would do)",
        ),
        ("great-war", "9 inf, 4 tank", None),  # no transport: landed already
        ("great-war", "1 inf, 1 trn, 1 dread", None),
        ("aa-1942", "2 inf, 2 tank, 2 trn", None),
        ("aa-1942", "4 inf, 2 trn", None),
        ("aa-1942", "1 inf, 2 tank, 2 trn", None),
        ("aa-1942", "1 inf, 3 tank, 2 trn", "1 infantry, 3 tank do not fit into 2 transport (3 would do)"),
        ("aa-1942", "2 ftr, 1 bmb, 1 inf, 1 trn", None),
    ],
)
def test_capacity(ruleset: str, force: str, error: str | None) -> None:
    if error is None:
        Battle(ruleset, "invasion", force, "1 inf")
    else:
        with pytest.raises(ForceError, match=f"^attacker: {re.escape(error)}: 1 transport carries "):
            Battle(ruleset, "invasion", force, "1 inf")


def test_the_capacity_is_named() -> None:
    says = "1 transport carries 2 infantry or cavalry or storm_troops, or 1 artillery or tank$"
    with pytest.raises(ForceError, match=says):
        Battle("great-war", "invasion", "3 inf, 1 trn", "1 inf")


def loaded(ruleset: str, transports: int, **cargo: int) -> list[tuple[tuple[str, ...], int]]:
    found = form_loads(load_ruleset(ruleset), frozenset(), (("transport", transports),), tuple(cargo.items()))
    return [(load, count) for _, load, count in found]


def test_loads_are_dealt_out_from_the_dearest() -> None:
    assert loaded("aa-1942", 3, infantry=3, artillery=1, tank=1) == [
        (("tank", "infantry"), 1),
        (("artillery", "infantry"), 1),
        (("infantry",), 1),
    ]
    assert loaded("great-war", 4, infantry=4, tank=1) == [
        (("tank",), 1),
        (("infantry", "infantry"), 1),
        (("infantry",), 2),
    ]


def test_dealing_leaves_room_for_what_comes_later() -> None:
    # spread over both transports, the storm troops would leave no room for the artillery
    assert loaded("great-war", 2, storm_troops=2, artillery=1) == [
        (("storm_troops", "storm_troops"), 1),
        (("artillery",), 1),
    ]


def chained(attacker: str, sea_attacker: str | None = None, ruleset: str = "aa-1942") -> Battle:
    return Battle(ruleset, "invasion", attacker, "1 inf", sea_attacker=sea_attacker, sea_defender="1 dd")


def test_the_cheapest_load_sinks_first_after_empty_transports() -> None:
    battle = chained("3 inf, 1 art, 1 tank, 3 trn, 1 bb, 1 ftr", "2 trn")
    full = {"infantry": 3, "artillery": 1, "tank": 1}
    left = [cargo_left(battle, transports) for transports in range(6)]
    assert left == [
        {},
        {"infantry": 1, "tank": 1},
        {"infantry": 2, "artillery": 1, "tank": 1},
        full,
        full,
        full,
    ]
    assert cargo_left(battle, {"transport": 1}) == left[1]


def test_a_force_that_has_landed_loses_nothing_at_sea() -> None:
    assert cargo_left(chained("3 inf, 1 bb"), 0) == {"infantry": 3}


@pytest.mark.parametrize("left", [-1, True, 1.5, None, 10**6])
def test_transports_left_are_checked(left: object) -> None:
    with pytest.raises(BattlecalcError, match="transport left must be"):
        cargo_left(chained("3 inf, 2 trn, 1 bb"), left)  # type: ignore[arg-type]


@QUICK
@given(
    st.sampled_from(["aa-1942", "great-war"]),
    st.integers(1, 5),
    st.integers(0, 6),
    st.integers(0, 4),
    st.integers(0, 4),
)
def test_cargo_is_all_there_or_goes_load_by_load(
    ruleset: str, trn: int, inf: int, art: int, tank: int
) -> None:
    cargo = {"infantry": inf, "artillery": art, "tank": tank}
    rules = load_ruleset(ruleset)
    if not inf or not fits(tuple(cargo.items()), [(rules.cargo["transport"].loads, trn)]):
        return
    ship, enemy = ("bb", "dd") if ruleset == "aa-1942" else ("dread", "ca")
    battle = Battle(ruleset, "invasion", {**cargo, "trn": trn, ship: 1}, "1 inf", sea_defender=f"1 {enemy}")
    worth = [
        sum((rules.units[unit].cost or 0) * n for unit, n in cargo_left(battle, left).items())
        for left in range(trn + 1)
    ]
    sunk = [later - now for now, later in pairwise(worth)]
    assert worth[0] == 0
    assert cargo_left(battle, trn) == {unit: n for unit, n in cargo.items() if n}
    assert sunk == sorted(sunk, reverse=True)
