"""`Odds` against plain loops over the end states, by the definitions of each member."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from battlecalc.endings import OUTCOME_INDEX, OUTCOMES, Component, Endings
from battlecalc.errors import BattleError, StateSpaceError
from battlecalc.results import Odds
from battlecalc.rulesets.schema import SIDES
from tests.fresh import fresh
from tests.results.stand_ins import ASHORE, COST, SEA, battle, exact, fight, landing, simulated

LAND = ({"infantry": 4, "artillery": 1, "fighter": 1}, {"infantry": 3, "aa_gun": 1, "fort": 1})
NAVAL = ({"fighter": 3, "carrier": 1, "battleship": 1}, {"fighter": 1, "transport": 1, "battleship": 1})


class End:
    """One end state, read off the arrays cell by cell."""

    def __init__(self, endings: Endings, cell: int) -> None:
        self.outcome = OUTCOMES[endings.outcome[cell]]
        self.left: dict[str, dict[str, int]] = {}
        self.columns: dict[str, dict[str, int]] = {}
        self.captured: dict[str, int] = defaultdict(int)
        self.value: dict[str, float] = {}
        self.spare = {}
        holds = bool(endings.attacker.holds[endings.attacker_state[cell]])
        self.captures = self.outcome == "attacker_wins" and holds
        for side in SIDES:
            meaning = getattr(endings, side)
            state = int(getattr(endings, f"{side}_state")[cell])
            left: dict[str, int] = defaultdict(int)
            lost = dict(zip(meaning.units, meaning.start.tolist(), strict=True))
            self.columns[side] = {}
            for place, column in enumerate(meaning.columns):
                unit = int(meaning.unit_of[place])
                count = int(meaning.counts[state, place])
                lost[meaning.units[unit]] -= count
                taken = meaning.captured[endings.outcome[cell], unit] and (
                    holds or not meaning.needs_capture[unit]
                )
                if taken:
                    self.captured[meaning.units[unit]] += count
                self.columns[side][column] = 0 if taken else count
                left[meaning.units[unit]] += 0 if taken else count
            self.left[side] = left
            self.value[side] = sum(COST[unit] * count for unit, count in lost.items())
            self.spare[side] = int(meaning.planes[state] - meaning.decks[state])


def ends(odds: Odds) -> list[tuple[float, list[End]]]:
    """Every way that the whole can end, with its probability."""
    found = []
    for component in odds.components:
        cells = [range(len(part.weight)) for part in component.parts]
        for choice in product(*cells):
            p = component.weight
            for part, cell in zip(component.parts, choice, strict=True):
                p *= float(part.weight[cell]) / float(part.weight.sum())
            found.append((p, [End(e, c) for e, c in zip(component.parts, choice, strict=True)]))
    return found


CASES = {
    "land": lambda: exact(*LAND, territory=4.0),
    "land-retreat": lambda: exact(*LAND, retreat_below=3),
    "land-simulated": lambda: simulated(*LAND, trials=20_000, seed=3),
    "naval": lambda: exact(*NAVAL, kind="naval"),
    "landing": landing,
}


@cache
def answer(name: str) -> Odds:
    """Fight a battle when a test first needs it, not while tests are collected."""
    return CASES[name]()


@cache
def truth(name: str) -> list[tuple[float, list[End]]]:
    return ends(answer(name))


@pytest.fixture(params=list(CASES))
def case(request: pytest.FixtureRequest) -> tuple[Odds, list[tuple[float, list[End]]]]:
    return answer(request.param), truth(request.param)


def close(found: object, true: object) -> None:
    assert found == pytest.approx(true, rel=1e-9, abs=1e-12)


def test_outcomes_and_captures(case) -> None:
    odds, truth = case
    outcomes = dict.fromkeys(OUTCOMES, 0.0)
    for p, parts in truth:
        outcomes[parts[-1].outcome] += p
    close(odds.outcomes, outcomes)
    assert list(odds.outcomes) == list(OUTCOMES)
    assert sum(odds.outcomes.values()) == pytest.approx(1, abs=1e-12)
    close(odds.captures, sum(p for p, parts in truth if parts[-1].captures))


@pytest.mark.parametrize("side", SIDES)
def test_means_by_unit(case, side: str) -> None:
    odds, truth = case
    mean: dict[str, float] = dict.fromkeys(odds.expected_survivors(side), 0.0)
    square = dict.fromkeys(mean, 0.0)
    for p, parts in truth:
        for unit in mean:
            left = sum(part.left[side][unit] for part in parts)
            mean[unit] += p * left
            square[unit] += p * left**2
    close(odds.expected_survivors(side), mean)
    force = odds.to_dict()[side]["force"]
    taken = odds.captured() if side == "defender" else {}
    close(
        odds.expected_losses(side), {unit: force[unit] - mean[unit] - taken.get(unit, 0.0) for unit in mean}
    )
    for unit in mean:
        variance = square[unit] - mean[unit] ** 2
        error = (variance / odds.trials) ** 0.5 if odds.trials else 0.0
        assert odds.standard_error(f"{side}.{unit}") == pytest.approx(error, abs=1e-9)


def test_units_come_in_the_order_of_the_ruleset(case) -> None:
    odds, _ = case
    for side in SIDES:
        names = list(odds.expected_survivors(side))
        assert names == [unit for unit in COST if unit in names]


def test_captured(case) -> None:
    odds, truth = case
    taken: dict[str, float] = defaultdict(float)
    for p, parts in truth:
        for part in parts:
            for unit, count in part.captured.items():
                taken[unit] += p * count
    close(odds.captured(), {unit: taken[unit] for unit in odds.captured()})
    assert set(taken) == set(odds.captured())


@pytest.mark.parametrize("side", SIDES)
def test_distributions(case, side: str) -> None:
    odds, truth = case
    other = "defender" if side == "attacker" else "attacker"
    lost: dict[float, float] = defaultdict(float)
    swing: dict[float, float] = defaultdict(float)
    spare: dict[int, float] = defaultdict(float)
    for p, parts in truth:
        lost[sum(part.value[side] for part in parts)] += p
        swing[sum(part.value[other] - part.value[side] for part in parts)] += p
        spare[max(sum(part.spare[side] for part in parts), 0)] += p
    close(odds.value_lost(side).to_dict(), {v: p for v, p in lost.items() if p})
    close(odds.without_deck(side).to_dict(), {n: p for n, p in spare.items() if p})
    if side == "attacker":
        close(odds.swing().to_dict(), {v: p for v, p in swing.items() if p})
        assert odds.swing().index.is_monotonic_increasing
    assert odds.value_lost(side).index.name == "value"
    assert odds.value_lost(side).name == "probability"


@pytest.mark.parametrize("side", SIDES)
def test_survivors(case, side: str) -> None:
    odds, truth = case
    frame = odds.survivors(side)
    columns = list(frame.columns[:-1])
    true: dict[tuple[int, ...], float] = defaultdict(float)
    for p, parts in truth:
        true[tuple(sum(part.columns[side].get(c, 0) for part in parts) for c in columns)] += p
    found = {tuple(row[:-1]): row[-1] for row in frame.itertuples(index=False, name=None)}
    close(found, {force: p for force, p in true.items() if p})
    assert len(found) == len(frame)
    assert frame["probability"].is_monotonic_decreasing


def test_outcome_table(case) -> None:
    odds, truth = case
    frame = odds.outcome_table()
    columns = [column.split(".", 1) for column in frame.columns[1:-1]]
    true: dict[tuple[object, ...], float] = defaultdict(float)
    for p, parts in truth:
        left = (sum(part.columns[side].get(c, 0) for part in parts) for side, c in columns)
        true[parts[-1].outcome, *left] += p
    found = {tuple(row[:-1]): row[-1] for row in frame.itertuples(index=False, name=None)}
    close(found, {end: p for end, p in true.items() if p})
    assert frame.columns[0] == "outcome"
    assert frame["probability"].is_monotonic_decreasing


def test_units_left_of_both_sides(case) -> None:
    odds, truth = case
    true: dict[tuple[int, int], float] = defaultdict(float)
    for p, parts in truth:
        true[tuple(sum(sum(part.left[side].values()) for part in parts) for side in SIDES)] += p
    chances = odds._whole.units_left
    close({(i, j): p for (i, j), p in np.ndenumerate(chances) if p}, {k: p for k, p in true.items() if p})


def test_columns_tell_damaged_units_apart() -> None:
    assert list(answer("naval").survivors("attacker").columns) == [
        "fighter",
        "carrier",
        "battleship",
        "battleship*",
        "probability",
    ]
    assert list(answer("landing").outcome_table().columns) == [
        "outcome",
        *(f"attacker.{unit}" for unit in ("infantry", "fighter", "transport", "battleship", "battleship*")),
        *(f"defender.{unit}" for unit in ("infantry", "aa_gun", "transport", "battleship", "battleship*")),
        "probability",
    ]


def test_errors_of_probabilities_and_distributions() -> None:
    odds = answer("land-simulated")
    p = odds.outcomes["attacker_wins"]
    assert odds.standard_error("attacker_wins") == pytest.approx((p * (1 - p) / 20_000) ** 0.5)
    for what, series in (
        ("swing", odds.swing()),
        ("rounds", odds.rounds()),
        ("attacker.value_lost", odds.value_lost("attacker")),
    ):
        values = series.index.to_numpy(float)
        variance = float((values**2 * series).sum() - (values * series).sum() ** 2)
        assert odds.standard_error(what) == pytest.approx((variance / 20_000) ** 0.5)
    low, high = odds.interval("captures")
    assert low < odds.captures < high
    assert odds.interval("attacker_wins", 0.5).low > odds.interval("attacker_wins").low


def test_exact_answers_have_no_error() -> None:
    odds = answer("landing")
    whats = [*OUTCOMES, "captures", "landing", "swing", "rounds", "attacker.infantry", "defender.value_lost"]
    assert {odds.standard_error(what) for what in whats} == {0.0}
    p = odds.outcomes["attacker_wins"]
    assert odds.interval("attacker_wins") == (p, p)
    assert odds.interval("landing").high == odds.landing


def test_gain_with_the_territory() -> None:
    odds = answer("land")
    swing = odds._whole.swing.mean()
    assert odds.expected_gain("attacker") == pytest.approx(swing + 4 * odds.captures)
    assert odds.expected_gain("defender") == pytest.approx(4 * (1 - odds.captures) - swing)
    assert answer("naval").expected_gain("defender") == -answer("naval")._whole.swing.mean()


def test_a_territory_that_the_defender_leaves_is_held() -> None:
    endings = fight(*LAND)
    outcome = endings.outcome.copy()
    outcome[outcome == OUTCOME_INDEX["attacker_wins"]] = OUTCOME_INDEX["defender_retreats"]
    left = Odds(
        (Component(1.0, (replace(endings, outcome=outcome),)),), battle(*LAND, territory=4.0), "exact"
    )
    assert left.captures == 0
    assert left.expected_gain("attacker") == pytest.approx(answer("land").expected_gain("attacker"))


def test_rounds() -> None:
    endings = fight(*LAND)
    rounds = answer("land").rounds()
    assert rounds.sum() == pytest.approx(1)
    close(rounds.to_dict(), {r: p for r, p in enumerate(endings.rounds.tolist()) if p})
    late = replace(endings, rounds=np.zeros(0), round_weights=lambda: endings.rounds, mean_rounds=2.5)
    odds = Odds((Component(1.0, (late,)),), battle(*LAND), "exact")
    close(odds.rounds().to_dict(), rounds.to_dict())
    assert odds.to_dict()["expected_rounds"] == 2.5


def test_what_takes_another_pass_is_not_asked_for_unbidden() -> None:
    def passed() -> np.ndarray:
        raise AssertionError("a pass by rounds")

    late = replace(
        fight(*LAND), rounds=np.zeros(0), round_weights=passed, round_table=passed, mean_rounds=2.5
    )
    odds = Odds((Component(1.0, (late,)),), battle(*LAND), "exact")
    assert re.search(r"^rounds +2\.500$", odds.summary(), re.M)
    odds.to_json(), odds._repr_html_(), repr(odds)


def test_rounds_of_a_landing_are_those_on_land() -> None:
    odds = answer("landing")
    assert odds.rounds().loc[0] == pytest.approx(1 - odds.landing)
    ashore = odds.stages["invasion"].rounds()
    close((odds.rounds().drop(0) / odds.landing).to_dict(), ashore.to_dict())


@pytest.mark.parametrize("name", ["land", "land-retreat", "naval", "landing"])
def test_by_round(name: str) -> None:
    odds = answer(name)
    frame = odds.by_round()
    assert frame.index.name == "round"
    assert frame["over"].is_monotonic_increasing
    assert frame["over"].iloc[0] == pytest.approx(0 if odds.landing is None else 1 - odds.landing)
    assert frame["over"].iloc[-1] == pytest.approx(1)
    for side in SIDES:
        taken = odds.captured() if side == "defender" else {}
        for unit, mean in odds.expected_survivors(side).items():
            # The record of rounds knows nothing of capture, which happens after the battle.
            assert frame[f"{side}.{unit}"].iloc[-1] == pytest.approx(mean + taken.get(unit, 0))


def test_a_missing_record_of_rounds_is_an_error() -> None:
    odds = Odds((Component(1.0, (replace(fight(*LAND), round_table=None),)),), battle(*LAND), "exact")
    with pytest.raises(BattleError, match=r"^this answer was worked out without a record of its rounds$"):
        odds.by_round()


def test_damage_is_for_raids() -> None:
    raid = replace(fight(*LAND), damage=lambda: np.array([0.25, 0.0, 0.75]))
    odds = Odds((Component(1.0, (raid,)),), battle(*LAND, kind="raid"), "exact")
    assert odds.damage().to_dict() == {0: 0.25, 2: 0.75}
    assert odds.to_dict()["damage"] == {"mean": 1.5, "sd": pytest.approx(0.75**0.5)}
    with pytest.raises(BattleError, match=r"^only raids do damage, not the sequence 'land'$"):
        answer("land").damage()


def test_policy_is_a_frame_of_decisions() -> None:
    rows = [{"own": "1 infantry", "decision": "retreat"}]
    odds = replace(answer("land"), policies={"attacker": rows})
    assert odds.policy("attacker").to_dict("records") == rows
    assert odds.policy("defender").empty


def test_same_counts_in_any_order_give_the_same_bits() -> None:
    odds = simulated(*LAND, trials=3_333_333, seed=11)
    (part,) = odds.components[0].parts
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(len(part.weight)), 2))
    halves = part.weight // 2
    seen = np.zeros(len(part.weight), bool)
    weight = []
    for cell in order.tolist():
        weight.append(int(part.weight[cell] - halves[cell] if seen[cell] else halves[cell]))
        seen[cell] = True
    mixed = replace(
        part,
        outcome=part.outcome[order],
        attacker_state=part.attacker_state[order],
        defender_state=part.defender_state[order],
        weight=np.array(weight),
    )
    again = replace(odds, components=(Component(1.0, (mixed,)),))
    assert again.to_json() == odds.to_json()
    assert again.outcome_table().equals(odds.outcome_table())
    assert again.survivors("defender").equals(odds.survivors("defender"))


def test_capped_tables_leave_the_rest() -> None:
    odds = replace(answer("landing"), joint_cells=10)
    with pytest.raises(
        StateSpaceError, match=r"^this table would have [\d,]+ cells, more than the cap of 10"
    ):
        odds.outcome_table()
    with pytest.raises(StateSpaceError, match="means, value_lost"):
        odds.survivors("attacker")
    close(odds.swing().to_dict(), answer("landing").swing().to_dict())
    assert "Likeliest" not in odds.summary()
    assert odds.to_dict() == answer("landing").to_dict()


def test_immutable() -> None:
    odds = answer("land")
    with pytest.raises(dataclasses.FrozenInstanceError):
        odds.trials = 3
    odds.outcomes["attacker_wins"] = 2.0
    assert odds.outcomes["attacker_wins"] < 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda o: o.survivors("atacker"), r"^side is 'attacker' or 'defender', not 'atacker'$"),
        (
            lambda o: o.interval("attacker_win"),
            r"^unknown outcome 'attacker_win': did you mean 'attacker_wins",
        ),
        (
            lambda o: o.standard_error("infantry"),
            r"^nothing is called 'infantry' here: did you mean '(att|def)",
        ),
        (lambda o: o.standard_error("attacker.zeppelin"), r"^nothing is called 'attacker.zeppelin' here"),
        (lambda o: o.standard_error("landing"), r"^nothing is called 'landing' here"),
    ],
)
def test_unknown_names(call, text: str) -> None:
    with pytest.raises(BattleError, match=text):
        call(answer("land"))


def test_document() -> None:
    document = answer("landing").to_dict()
    assert list(document) == [
        *("battlecalc", "ruleset", "sequence", "method", "trials", "seed", "options", "attacker", "defender"),
        *("outcomes", "standard_errors", "captures", "landing", "stages", "swing", "expected_rounds"),
        *("assumed", "notes"),
    ]
    assert list(document["attacker"]) == [
        *("force", "loss_order", "expected_survivors", "expected_losses", "expected_value_lost"),
    ]
    assert document["attacker"]["force"] == {**ASHORE[0], **SEA[0]}
    assert document["defender"]["force"] == {**ASHORE[1], **SEA[1]}
    assert set(document["stages"]) == {"naval", "invasion"}
    assert document["stages"]["naval"]["landing"] is None
    assert json.loads(answer("landing").to_json()) == document
    odds = replace(answer("land"), loss_orders={"attacker": ["infantry", "tank"]})
    assert odds.to_dict()["attacker"]["loss_order"] == ["infantry", "tank"]
    assert odds.to_dict()["defender"]["loss_order"] == []


def test_numbers_need_neither_pandas_nor_matplotlib() -> None:
    code = (
        "import sys; from tests.results.stand_ins import exact\n"
        "odds = exact({'infantry': 2}, {'infantry': 1})\n"
        "odds.to_json(), odds.summary(), repr(odds), odds._repr_html_(), odds.standard_error('swing')\n"
        "import battlecalc.plots\n"
        "print([m for m in ('pandas', 'matplotlib', 'numba', 'rich') if m in sys.modules])"
    )
    assert fresh(code).strip() == "[]"
