"""Campaigns: against chains of the twin's battles, and what the rules say of who stays."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

import battlecalc as bc
from battlecalc.advising import attacks
from battlecalc.advising.standing import stays
from tests import naive

Key = tuple[str, tuple[tuple[str, int], ...]]
LAND = {"infantry", "artillery", "tank"}


def chain_of_the_twin(
    defender: dict[str, int], attackers: list[dict[str, int]], counter: dict[str, int] | None
) -> tuple[Counter[Key], list[Any]]:
    """Chances of (holder, force) at the end, and the mean swing of each attack."""
    now: Counter[Key] = Counter({("defender", tuple(sorted(defender.items()))): Fraction(1)})
    swings = []
    steps: list[tuple[str, dict[str, int]]] = [(f"wave {n}", a) for n, a in enumerate(attackers, start=1)]
    if counter is not None:
        steps.append(("counter-attack", counter))
    for name, force in steps:
        after: Counter[Key] = Counter()
        swing = Fraction(0)
        for (holder, standing), p in now.items():
            attacked = holder == "defender" if name != "counter-attack" else holder != "defender"
            if not attacked:
                after[holder, standing] += p
                continue
            if not standing:
                assert name != "counter-attack"
                lands = tuple(sorted((u, n) for u, n in force.items() if u in LAND))
                after[(name, lands) if lands else (holder, standing)] += p
                continue
            swing += p * naive.retreat_value("aa-1942", "land", force, dict(standing))
            for (outcome, own, left), q in naive.battle("aa-1942", "land", force, dict(standing)).items():
                lands = tuple((u, n) for u, n in own if u in LAND)
                if outcome == "attacker_wins" and lands:
                    after[name, lands] += p * q
                else:
                    after[holder, left] += p * q
        now = after
        swings.append(swing)
    return now, swings


@pytest.mark.parametrize("counter", [None, {"infantry": 1, "tank": 1}])
def test_the_twin_fights_the_same_campaign(counter: dict[str, int] | None) -> None:
    defender = {"infantry": 2, "tank": 1}
    attackers: list[dict[str, int]] = [{"infantry": 1, "fighter": 1}, {"tank": 1, "bomber": 1}]
    expected, swings = chain_of_the_twin(defender, attackers, counter)
    first = bc.Battle("aa-1942", "land", attackers[0], defender)
    result = bc.campaign([first, attackers[1]], counter=counter)
    found = Counter[Key]()
    for holder, force, p in result.standings:
        counts = bc.parse_force(force, first.ruleset) if force != "nothing" else {}
        found[holder, tuple(sorted(counts.items()))] += p  # type: ignore[assignment]
    for key in expected.keys() | found.keys():
        assert found[key] == pytest.approx(float(expected[key]), abs=1e-12), key
    whole = swings[0] + swings[1] - (swings[2] if counter else 0)
    assert result.distribution.mean() == pytest.approx(float(whole), abs=1e-9)
    value = result.value_lost
    own = value["wave 1"] + value["wave 2"]
    assert value["defender"] + value.get("counter-attack", 0.0) - own == pytest.approx(float(whole), abs=1e-9)
    assert sum(result.holders.values()) == pytest.approx(1)


def test_one_wave_is_the_battle() -> None:
    battle = bc.Battle("great-war", "land", "4 inf, 1 art", bc.Side("3 inf", retreat="units <= 1"))
    odds, result = bc.solve(battle), bc.campaign([battle])
    assert result.attacks[0].outcomes == pytest.approx(odds.outcomes)
    assert result.distribution.mean() == pytest.approx(odds.expected_gain("attacker"))
    assert result.expected_losses["defender"] == pytest.approx(odds.expected_losses("defender"))
    assert result.method == "exact"


def test_simulated_campaigns_agree() -> None:
    first = bc.Battle("aa-1942-2e", "naval", "2 sub, 1 dd", "1 bb, 1 cruiser, 1 sub")
    waves_ = [first, "1 bb, 2 ftr, 1 cv"]
    exact = bc.campaign(waves_, counter="3 sub")
    counted = bc.campaign(waves_, counter="3 sub", method="monte-carlo", trials=40_000, seed=5)
    assert (counted.method, counted.trials, counted.seed) == ("monte-carlo", 40_000, 5)
    for name, chance in exact.holders.items():
        assert abs(counted.holders[name] - chance) < 5 * (chance * (1 - chance) / 40_000) ** 0.5 + 1e-9
    assert abs(counted.distribution.mean() - exact.distribution.mean()) < 5 * exact.distribution.sd() / 200
    again = bc.campaign(waves_, counter="3 sub", method="monte-carlo", trials=40_000, seed=5)
    assert again.standings == counted.standings


def test_damage_stays_unless_it_is_mended() -> None:
    """A battleship that was hit once sinks with the next hit, where nobody repairs it."""
    first = bc.Battle("aa-1942-2e", "naval", "1 submarine", "1 battleship", rounds=1)
    hurt = bc.campaign([first, "1 submarine"])
    mended = bc.campaign([first, "1 submarine"], mended=True)
    hit = bc.hits("aa-1942-2e", "1 submarine", side="attacker").to_dict()[1]
    assert mended.holders["defender"] == pytest.approx(1)
    assert hurt.holders["wave 2"] == pytest.approx(hit * hit)
    assert any(force == "1 battleship*" for _, force, _ in hurt.standings)


def test_who_stays_in_what_was_taken() -> None:
    land = bc.Battle("aa-1942", "land", "2 inf, 1 ftr, 1 bmb", "1 inf")
    assert stays(land, {"infantry": 2, "fighter": 1, "bomber": 1}) == {"infantry": 2}
    landing = bc.Battle("aa-1942", "invasion", "2 inf, 1 trn, 1 bb", "1 inf")
    assert stays(landing, {"infantry": 1, "transport": 1, "battleship": 1}) == {"infantry": 1}
    sea = bc.Battle("aa-1942", "naval", "1 cv, 3 ftr, 1 bmb", "1 sub")
    assert stays(sea, {"carrier": 1, "fighter": 3, "bomber": 1}) == {"carrier": 1, "fighter": 2}


def test_captured_guns_join_and_destroyed_ones_do_not() -> None:
    old = bc.campaign([bc.Battle("aa-1942", "land", "4 tank", "1 inf, 1 aa")])
    assert old.standings[0][1] == "4 tank, 1 aa_gun"
    new = bc.campaign([bc.Battle("aa-1942-2e", "land", "4 tank", "1 inf, 1 aa")])
    assert new.standings[0][1] == "4 tank"


def test_planes_alone_empty_a_territory_for_the_next_wave() -> None:
    first = bc.Battle("aa-1942", "land", "5 bomber", "1 infantry")
    result = bc.campaign([first, "1 infantry"])
    assert result.attacks[1].empty == pytest.approx(
        bc.solve(first).outcomes["attacker_wins"] + bc.solve(first).outcomes["mutual_destruction"]
    )
    assert result.attacks[1].takes >= result.attacks[1].empty
    alone = bc.campaign([first, "1 fighter"])
    assert alone.holders["wave 2"] == 0


def test_policies_belong_to_each_wave_and_to_each_defender() -> None:
    first = bc.Battle("great-war", "land", bc.Side("3 inf", retreat="round >= 1"), "3 inf")
    stubborn = bc.Battle("great-war", "land", "4 inf", "9 inf")
    yielding = bc.Battle("great-war", "land", "4 inf", bc.Side("9 inf", retreat="round >= 1"))
    one, other = bc.campaign([first, stubborn]), bc.campaign([first, yielding])
    assert one.attacks[0].outcomes["attacker_retreats"] > 0.5
    assert one.attacks[1].outcomes["defender_retreats"] == 0
    assert other.attacks[1].outcomes["defender_retreats"] > 0.5
    assert other.holders["wave 2"] > one.holders["wave 2"]


def test_the_rarest_forces_may_be_left_out() -> None:
    first = bc.Battle("aa-1942", "land", "3 inf, 1 tank", "4 inf, 2 tank")
    exact = bc.campaign([first, "2 tank"])
    rough = bc.campaign([first, "2 tank"], most_forces=3)
    assert rough.attacks[1].forces == 3
    assert any("are left out" in note for note in rough.notes)
    assert sum(rough.holders.values()) == pytest.approx(1)
    assert abs(rough.holders["wave 2"] - exact.holders["wave 2"]) < 0.1


def test_too_large_battles_are_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attacks, "AUTO_SECONDS", 0.0)
    result = bc.campaign([bc.Battle("aa-1942", "land", "2 inf", "2 inf")], trials=1000, seed=1)
    assert (result.method, result.trials) == ("monte-carlo", 1000)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda first: [], "waves are a list"),
        (lambda first: first, "waves are a list"),
        (lambda first: ["3 inf", first], "the first wave is a Battle"),
        (lambda first: [first, "3 infants"], "wave 2: attacker: unknown unit"),
        (lambda first: [first, bc.Battle("great-war", "land", "3 inf", "3 inf")], "great-war cannot follow"),
        (lambda first: [first, bc.Battle("aa-1942", "naval", "1 sub", "1 sub")], "naval is not fought"),
        (lambda first: [first, bc.Battle("aa-1942", "raid", "1 bmb", "1 ic")], "a raid"),
    ],
)
def test_what_is_no_campaign(wrong: Any, said: str) -> None:
    with pytest.raises(bc.BattlecalcError, match=said):
        bc.campaign(wrong(bc.Battle("aa-1942", "land", "3 inf", "3 inf")))


def test_a_wrong_counter_attack_says_so() -> None:
    first = bc.Battle("aa-1942", "land", "3 inf", "1 inf")
    with pytest.raises(bc.ForceError, match="counter-attack: attacker: unknown unit"):
        bc.campaign([first], counter="2 infants")


def test_report_and_document() -> None:
    first = bc.Battle("aa-1942", "land", "3 inf, 1 art", "3 inf, 1 tank")
    result = bc.campaign([first, "2 inf, 1 tank"], counter="3 inf")
    text = str(result)
    assert all(name in text for name in ("wave 1", "wave 2", "counter-attack", "Swing of all battles"))
    assert max(map(len, text.splitlines())) <= 100
    document = result.to_dict()
    assert document["holders"] == result.holders
    assert sum(end["probability"] for end in document["final"]) == pytest.approx(1)
    assert result.swing().sum() == pytest.approx(1)
    assert list(result.frame()["attack"]) == ["wave 1", "wave 2", "counter-attack"]
    assert result.losses().loc["wave 1", "infantry"] == pytest.approx(
        result.expected_losses["wave 1"]["infantry"]
    )
    assert result.counter is result.attacks[-1]
    assert repr(result).startswith("<Campaign aa-1942: defender 30.8 %")


def test_a_coastal_fort_holds_no_sea_zone() -> None:
    """Forts by the sea fire on ships but keep no fleet: with the last ship gone the next wave sails in."""
    first = bc.Battle("great-war", "naval", "2 dreadnought", "1 submarine, 1 fort", rounds=1)
    result = bc.campaign([first, "1 cruiser"])
    assert result.attacks[1].fought == pytest.approx(1 - result.attacks[0].takes)
    assert result.attacks[0].takes + result.attacks[1].takes + result.holders["defender"] == pytest.approx(1)


def test_what_is_wrong_with_the_counter_attack_shows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*args: Any) -> None:
        raise AssertionError("something was fought")

    monkeypatch.setattr(attacks.Answers, "odds", never)
    with pytest.raises(bc.ForceError, match="counter-attack: attacker: fort"):
        bc.campaign([bc.Battle("great-war", "land", "3 inf", "1 inf")], counter="1 fort")
