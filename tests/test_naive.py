"""The naive twin against the published numbers: without these it could not judge anything."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.naive import (
    battle,
    best_by_enumeration,
    best_retreat_value,
    cases,
    hits,
    policy,
    raid,
    retreat_value,
)
from tests.naive.cases import REFERENCE, VECTORS, by_id
from tests.naive.orders import loss_line, take_hits


def solve(call: dict[str, Any], exact: bool = True) -> Any:
    retreat = tuple(policy(words, call["ruleset"]) for words in call["retreat"])
    rest = {
        key: value
        for key, value in call.items()
        if key not in ("ruleset", "sequence", "attacker", "defender")
    }
    rest |= {"retreat": retreat, "exact": exact}
    return battle(call["ruleset"], call["sequence"], call["attacker"], call["defender"], **rest)


# thirty against thirty units is work for the engines, not for the twin
SMALL = [case for case in cases.battles() if case.id != "FO-13"]


@pytest.mark.parametrize("case", SMALL, ids=by_id)
def test_public_battles(case: cases.Case) -> None:
    result = solve(case.call)
    assert float(sum(result.values())) == pytest.approx(1, abs=1e-12)
    found = cases.measures(case, result, float(result.captures))
    for key, value in case.expect.items():
        assert found.get(key, 0.0) == pytest.approx(value, abs=case.tolerance), key
    if case.wrong:
        assert any(abs(found[key] - value) > 1e-3 for key, value in case.wrong.items())


@pytest.mark.parametrize("case", list(cases.hits()), ids=by_id)
def test_public_hits(case: cases.Case) -> None:
    found = hits(case.call["ruleset"], case.call["units"], case.call["side"], dice=case.call["dice"])
    assert case.expect
    for key, value in case.expect.items():
        assert float(cases.hit_measure(key, found)) == pytest.approx(value, abs=case.tolerance), key


@pytest.mark.parametrize("case", list(cases.raids()), ids=by_id)
def test_public_raids(case: cases.Case) -> None:
    result = raid(**case.call)
    found = {
        "mean_damage": result.mean_damage(),
        "bomber_lost": result.chance(lambda n, a, d: "bomber" not in a),
        "bomber_survives": result.chance(lambda n, a, d: "bomber" in a),
        "escort_lost": result.chance(lambda n, a, d: "fighter" not in a),
        "one_interceptor_lost": result.chance(lambda n, a, d: d.get("fighter") == 1),
    }
    found["mean_ipc_lost"] = 12 * found["bomber_lost"]
    found["mean_gain"] = found["mean_damage"] - found["mean_ipc_lost"]
    for key, value in case.expect.items():
        assert float(found[key]) == pytest.approx(value, abs=case.tolerance), key


@pytest.mark.parametrize(
    ("name", "victim", "force", "scored", "left"),
    [
        ("FO-01", 1, {"cruiser": 1, "submarine": 2}, {"no submarines": 2, "any": 1}, {"submarine": 1}),
        ("FO-03", 0, {"cruiser": 1, "transport": 2}, {"any": 2}, {"transport": 1}),
        ("sub hit on fighter, transport", 1, {"fighter": 1, "transport": 1}, {"ships": 1}, {"fighter": 1}),
    ],
)
def test_public_assignments(name: str, victim: int, force: Any, scored: Any, left: Any) -> None:
    line = loss_line("aa-anniversary", "naval", victim, force, None)
    got = take_hits(
        "aa-anniversary", victim, line, tuple(sorted(force.items())), tuple(sorted(scored.items()))
    )
    assert dict(got) == left, name


def test_assignment_follows_the_order() -> None:
    force = {"fighter": 1, "destroyer": 1, "transport": 1}
    line = loss_line("aa-1942", "naval", 1, force, ["fighter", "destroyer"])
    got = take_hits("aa-1942", 1, line, tuple(sorted(force.items())), (("any", 1), ("ships", 1)))
    assert dict(got) == {"transport": 1}


@pytest.mark.parametrize("vector", VECTORS["battles"], ids=by_id)
def test_vectors(vector: dict[str, Any]) -> None:
    forces = vector["attacker"], vector["defender"]
    order = tuple(vector.get("loss_order", (None, None)))
    result = battle(vector["ruleset"], vector["sequence"], *forces, loss_order=order)
    found = result.outcomes()
    assert sum(result.values()) == 1
    for key, value in vector["expect"].items():
        assert float(found[key]) == pytest.approx(float(Fraction(value)), abs=vector["tolerance"]), key
        if isinstance(value, str):
            assert found[key] == Fraction(value)


@pytest.mark.parametrize("vector", VECTORS["stalemates"], ids=by_id)
def test_stalemates(vector: dict[str, Any]) -> None:
    result = battle(vector["ruleset"], "naval", vector["attacker"], vector["defender"])
    survivors = [tuple(sorted(vector[f"{side}_survivors"].items())) for side in ("attacker", "defender")]
    assert result == {("stalemate", *survivors): 1}


@pytest.mark.parametrize("vector", VECTORS["aa_mean_lost"], ids=by_id)
def test_aa_dice(vector: dict[str, Any]) -> None:
    planes, guns = vector["planes"], vector["guns"]
    force = {"aa_gun": guns, "infantry": 1}
    result = battle(vector["ruleset"], "land", {"fighter": planes}, force, rounds=0)
    assert planes - result.expected(0) == Fraction(vector["dice"], 6)


@pytest.mark.parametrize("vector", VECTORS["great_war_1914"], ids=by_id)
def test_1914_land(vector: dict[str, Any]) -> None:
    result = battle("aa-1914", "land", vector["attacker"], vector["defender"])
    assert result.outcomes()["unresolved"] == 0
    for side, name in ((0, "attacker"), (1, "defender")):
        start = sum(vector[name].values())
        for number, value in vector.get(f"{name}_loses", {}).items():
            left = start - int(number)
            got = result.chance(lambda o, a, d, s=side, n=left: sum((a, d)[s].values()) == n)
            assert got == Fraction(value), (name, number)
    if "attacker_hits" in vector:
        distribution = hits("aa-1914", vector["attacker"], "attacker")
        assert [distribution[n] for n in range(5)] == [Fraction(value) for value in vector["attacker_hits"]]


def test_1914_dogfight() -> None:
    found = battle("aa-1914", "land", {"fighter": 1}, {"fighter": 1}).outcomes()
    assert [found[key] for key in ("attacker_wins", "defender_wins", "mutual_destruction")] == [
        Fraction(2, 5),
        Fraction(2, 5),
        Fraction(1, 5),
    ]


@pytest.mark.parametrize("vector", VECTORS["raids"], ids=by_id)
def test_raids(vector: dict[str, Any]) -> None:
    limits = {"value": vector.get("value"), "cap": vector.get("cap")}
    result = raid(vector["ruleset"], vector["bombers"], aa_guns=vector["guns"], **limits)
    assert result.mean_damage() == Fraction(vector["mean_damage"])


@pytest.mark.parametrize("vector", VECTORS["interceptions"], ids=by_id)
def test_interceptions(vector: dict[str, Any]) -> None:
    result = raid(vector["ruleset"], {"bomber": 1}, interceptors={"fighter": 1}, aa_guns=vector["guns"])
    assert result.chance(lambda n, a, d: "bomber" in a) == Fraction(vector["bombs"])


def test_heavy_bombers() -> None:
    best = hits("aa-1940-2e", {"bomber": 1}, "attacker", technologies=["heavy_bombers"])
    assert best[1] == Fraction(8, 9)
    both = hits("aa-anniversary", {"bomber": 1}, "attacker", technologies=["heavy_bombers"])
    assert sum(n * p for n, p in both.items()) == Fraction(4, 3)
    dropped = raid("aa-revised-lhtr", {"bomber": 1}, technologies=(["heavy_bombers"], ()))
    assert dropped.mean_damage() == Fraction(161, 36) + 1


@pytest.mark.parametrize("name", ["a_small_land", "d_amphibious"])
def test_reference_battles(name: str) -> None:
    asked = REFERENCE["battles"][name]
    orders = (REFERENCE["loss_orders"]["land_attack"], REFERENCE["loss_orders"]["land_defence"])
    forces = asked["attacker"], asked["defender"]
    result = battle("aa-1942-2e", asked["sequence"], *forces, loss_order=orders, exact=name == "a_small_land")
    assert float(result.outcomes()["attacker_wins"]) == pytest.approx(asked["attacker_wins"], abs=1e-8)


# ------------------------------------------------------------------ decisions

FO_07 = cases.raw()["FO-07"]
PLANES, SHIPS = FO_07["attacker"], FO_07["defender"]
AT_SEA: dict[str, Any] = {"loss_order": (FO_07["options"]["ool_attacker"], None)}


def test_fight_to_the_end_has_the_published_value() -> None:
    assert retreat_value("aa-1942", "naval", PLANES, SHIPS, **AT_SEA) == Fraction(
        FO_07["exact"]["ev_fight_to_end"]
    )


def test_best_retreats_have_the_published_value() -> None:
    best = Fraction(FO_07["exact"]["ev_best_retreat"])
    assert best_retreat_value("aa-1942", "naval", PLANES, SHIPS, **AT_SEA) == best
    assert best_by_enumeration("aa-1942", "naval", PLANES, SHIPS, **AT_SEA) == best


@pytest.mark.parametrize(
    ("ruleset", "attacker", "defender", "territory"),
    [
        ("aa-1942", {"infantry": 2, "tank": 1}, {"infantry": 2}, 0),
        ("aa-1942", {"infantry": 1, "tank": 1}, {"infantry": 1, "fighter": 1}, 3),
        ("great-war", {"infantry": 2, "artillery": 1}, {"infantry": 2}, 2),
        ("aa-1942-2e", {"infantry": 1, "fighter": 1}, {"infantry": 1, "aa_gun": 1}, 1),
    ],
)
def test_induction_equals_enumeration(ruleset: str, attacker: Any, defender: Any, territory: int) -> None:
    asked = {"territory": territory}
    best = best_retreat_value(ruleset, "land", attacker, defender, **asked)
    assert best == best_by_enumeration(ruleset, "land", attacker, defender, **asked)
    assert best >= retreat_value(ruleset, "land", attacker, defender, **asked)


def test_two_sided_game_lies_between_the_one_sided_ones() -> None:
    forces = {"infantry": 2, "artillery": 1}, {"infantry": 2, "cavalry": 1}
    attacker, defender, both = (
        best_retreat_value("great-war", "land", *forces, territory=2, who=who)
        for who in ((True, False), (False, True), (True, True))
    )
    end = retreat_value("great-war", "land", *forces, territory=2)
    assert defender <= both <= attacker
    assert defender <= end <= attacker
