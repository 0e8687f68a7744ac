"""Strategic bombing by both engines, against the naive twin, published cases and the rules' examples."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any

import pytest

import battlecalc as bc
from battlecalc.errors import BattlecalcError
from tests import naive
from tests.engines.chisquare import RARE
from tests.engines.twin import words
from tests.naive import cases
from tests.naive.cases import VECTORS, by_id

RAIDERS = [name for name in bc.ruleset_ids() if "raid" in bc.load_ruleset(name).sequences]
Call = dict[str, Any]


def as_raid(call: Call) -> bc.Battle:
    """Make the library's raid for the arguments that the twin takes."""
    ruleset = call["ruleset"]
    rules = bc.load_ruleset(ruleset)
    planes = {**call["bombers"]}
    for unit, n in (call.get("escorts") or {}).items():
        planes[unit] = planes.get(unit, 0) + n
    target = "major_industrial_complex" if ruleset == "aa-1940-2e" else "industrial_complex"
    if call.get("cap") == 6:
        target = "minor_industrial_complex"
    defender = {**(call.get("interceptors") or {}), target: 1}
    if call.get("aa_guns"):
        defender["aa_gun"] = call["aa_guns"]
    orders, technologies = call.get("loss_order", (None, None)), call.get("technologies", ((), ()))
    options = dict(call.get("options") or {})
    if call.get("value") is not None and "territory_value" in rules.options:
        options["territory_value"] = call["value"]
    return bc.Battle(
        ruleset,
        "raid",
        bc.Side(planes, technologies=technologies[0], loss_order=words(orders[0])),
        bc.Side(defender, technologies=technologies[1], loss_order=words(orders[1])),
        dice=call.get("dice", "standard"),
        options=options or None,
    )


def left_of(odds: bc.Odds, side: str) -> dict[tuple[tuple[str, int], ...], float]:
    """Chances of the planes left to one side."""
    table: dict[tuple[tuple[str, int], ...], float] = {}
    frame = odds.survivors(side)
    for row in frame.to_dict("records"):
        chance = row.pop("probability")
        key = tuple(
            sorted((u, int(n)) for u, n in row.items() if n and u in ("fighter", "bomber", "tactical_bomber"))
        )
        table[key] = table.get(key, 0.0) + chance
    return table


def compare(call: Call) -> None:
    """Damage and planes left, by both engines and by the twin."""
    twin = naive.raid(**call)
    battle = as_raid(call)
    odds = bc.solve(battle)
    damage, expected = odds.damage(), twin.damage()
    for n in {*damage.index, *expected}:
        assert damage.get(n, 0.0) == pytest.approx(float(expected.get(n, 0)), abs=1e-9), (call, n)
    for number, side in enumerate(("attacker", "defender")):
        planes: dict[Any, float] = {}
        for (_, *forces), p in twin.chances.items():
            key = tuple(sorted((unit, n) for unit, n in forces[number] if n))
            planes[key] = planes.get(key, 0.0) + float(p)
        left = left_of(odds, side)
        for key in planes.keys() | left.keys():
            assert left.get(key, 0.0) == pytest.approx(planes.get(key, 0.0), abs=1e-9), (call, side, key)
    through = float(twin.chance(lambda n, a, d: any(a.get(unit) for unit in call["bombers"])))
    assert odds.outcomes["attacker_wins"] == pytest.approx(through, abs=1e-9), call
    simulated = bc.simulate(battle, trials=5000, seed=2)
    for n, p in damage.items():
        error = RARE * sqrt(max(p * (1 - p), 0) / 5000) + 1e-9
        assert abs(simulated.damage().get(n, 0.0) - p) < error, (call, n)


@pytest.mark.parametrize("ruleset", RAIDERS)
def test_random_raids(ruleset: str) -> None:
    rng = Random(f"raid {ruleset}")
    fought = 0
    for _ in range(30):
        call = random_raid(rng, ruleset)
        try:
            as_raid(call)
        except BattlecalcError:
            continue
        compare(call)
        fought += 1
    assert fought > 20


def random_raid(rng: Random, ruleset: str) -> Call:
    rules = bc.load_ruleset(ruleset)
    takes = rules.sequences["raid"].takes
    techs = sorted(rules.technologies.keys() & {"heavy_bombers", "jet_fighters", "radar"})
    call: Call = {
        "ruleset": ruleset,
        "bombers": {"bomber": rng.randint(1, 3)},
        "escorts": {"fighter": rng.randint(0, 2)} if "fighter" in takes[0] else {},
        "interceptors": {"fighter": rng.randint(0, 2)} if "fighter" in takes[1] else {},
        "aa_guns": rng.randint(0, 1),
        "technologies": tuple(tuple(rng.sample(techs, rng.randint(0, len(techs)))) for _ in range(2)),
        "loss_order": (
            rng.choice((None, *([unit] for unit in sorted(takes[0]) if unit in ("fighter", "bomber")))),
            None,
        ),
    }
    if ruleset == "aa-1940-2e":
        call["cap"] = 20 if rng.random() < 0.7 else 6
    elif rng.random() < 0.7:
        call["value"] = rng.randint(1, 8)
    if ruleset == "aa-1940-2e" and "heavy_bombers" in call["technologies"][0]:
        call["interceptors"] = {}  # whether their second die counts in the air battle, no rulebook says
    if rng.random() < 0.25:
        call["dice"] = "low-luck"
    for name in ("escorts", "interceptors"):
        call[name] = {unit: n for unit, n in call[name].items() if n}
    return call


@pytest.mark.parametrize("case", list(cases.raids()), ids=by_id)
def test_public_raids(case: cases.Case) -> None:
    battle = as_raid(case.call)
    for odds, slack in ((bc.solve(battle), 0.0), (bc.simulate(battle, trials=100_000, seed=5), 0.1)):
        damage = odds.damage()
        attacker, defender = left_of(odds, "attacker"), left_of(odds, "defender")
        found = {
            "mean_damage": float((damage.index * damage).sum()),
            "bomber_lost": sum(p for left, p in attacker.items() if not dict(left).get("bomber")),
            "bomber_survives": sum(p for left, p in attacker.items() if dict(left).get("bomber")),
            "escort_lost": sum(p for left, p in attacker.items() if not dict(left).get("fighter")),
            "one_interceptor_lost": sum(p for left, p in defender.items() if dict(left).get("fighter") == 1),
        }
        found["mean_ipc_lost"] = 12 * found["bomber_lost"]
        found["mean_gain"] = found["mean_damage"] - found["mean_ipc_lost"]
        for key, value in case.expect.items():
            assert found[key] == pytest.approx(value, abs=case.tolerance + slack), key


@pytest.mark.parametrize("vector", VECTORS["raids"], ids=by_id)
def test_mean_damage(vector: dict[str, Any]) -> None:
    call = {"ruleset": vector["ruleset"], "bombers": vector["bombers"], "aa_guns": vector["guns"]}
    odds = bc.solve(as_raid(call | {"value": vector.get("value"), "cap": vector.get("cap")}))
    damage = odds.damage()
    assert damage.sum() == pytest.approx(1, abs=1e-12)
    mean = float((damage.index * damage).sum())
    assert mean == pytest.approx(float(Fraction(vector["mean_damage"])), abs=1e-9)


@pytest.mark.parametrize("vector", VECTORS["interceptions"], ids=by_id)
def test_interceptions(vector: dict[str, Any]) -> None:
    one = {"bombers": {"bomber": 1}, "interceptors": {"fighter": 1}}
    odds = bc.solve(as_raid({"ruleset": vector["ruleset"], "aa_guns": vector["guns"], **one}))
    survives = sum(p for left, p in left_of(odds, "attacker").items() if dict(left).get("bomber"))
    assert survives == pytest.approx(float(Fraction(vector["bombs"])), abs=1e-12)


def test_only_raids_do_damage() -> None:
    with pytest.raises(bc.BattlecalcError, match="damage"):
        bc.solve("aa-1942", "land", "1 inf", "1 inf").damage()
