"""Small battles fought here, so that results are tested without an engine: all units fire once a round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType, SimpleNamespace

import numpy as np

from battlecalc.endings import OUTCOME_INDEX, OUTCOMES, Component, Endings, Meaning, RoundTable
from battlecalc.results import Odds

COST = {
    "infantry": 3.0,
    "artillery": 4.0,
    "tank": 6.0,
    "aa_gun": 5.0,
    "fort": 0.0,
    "cavalry": 1.5,
    "fighter": 10.0,
    "transport": 7.0,
    "carrier": 14.0,
    "battleship": 20.0,
}
VALUE = {
    "infantry": (1, 2),
    "artillery": (2, 2),
    "tank": (3, 3),
    "aa_gun": (0, 0),
    "fort": (0, 3),
    "cavalry": (2, 1),
    "fighter": (3, 4),
    "transport": (0, 0),
    "carrier": (1, 2),
    "battleship": (4, 4),
}
HOLDS = frozenset({"infantry", "artillery", "tank", "cavalry"})
UNCOUNTED = frozenset({"aa_gun", "fort"})


class Ruleset:
    """As much of a ruleset as results and the reader of forces look at."""

    id = "toy"
    name = "Toy Rules"
    units = MappingProxyType(dict.fromkeys(COST))

    def unit_id(self, name: str) -> str:
        short = {"inf": "infantry", "art": "artillery", "bb": "battleship", "ftr": "fighter"}
        return short.get(name, name)


TOY = Ruleset()


@dataclass(frozen=True)
class Side:
    counts: tuple[tuple[str, int], ...]
    loss_order: object = None
    objective: str = "value"
    overland: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Battle:
    """As much of a battle as results look at."""

    attacker: Side
    defender: Side
    kind: str = "land"
    territory: float = 0.0
    options: tuple[tuple[str, object], ...] = (("called_shots", 0),)
    ruleset: Ruleset = TOY
    sea_attacker: Side | None = None
    sea_defender: Side | None = None
    landing_ships: tuple[tuple[str, int], ...] = ()

    @property
    def sequence(self) -> SimpleNamespace:
        return SimpleNamespace(id=self.kind, capture=self.kind in ("land", "invasion"))


def battle(attacker: Mapping[str, int], defender: Mapping[str, int], **more: object) -> Battle:
    return Battle(Side(tuple(attacker.items())), Side(tuple(defender.items())), **more)


def meaning(force: Mapping[str, int], attacker: bool) -> tuple[Meaning, list[float]]:
    """Ladder of a force, first hits of battleships first, then the cheapest; and its mean hits by state."""
    units = tuple(unit for unit in COST if unit in force)
    columns = [name for unit in units for name in ([unit, f"{unit}*"] if unit == "battleship" else [unit])]
    unit_of = [units.index(name.rstrip("*")) for name in columns]
    state = [0 if name.endswith("*") else force[name] for name in columns]
    states = [tuple(state)]

    def lose(name: str, becomes: str | None = None) -> None:
        state[columns.index(name)] -= 1
        if becomes:
            state[columns.index(becomes)] += 1
        states.append(tuple(state))

    for _ in range(force.get("battleship", 0)):
        lose("battleship", "battleship*")
    fighting = [unit for unit in units if unit not in UNCOUNTED]
    for unit in sorted(fighting, key=lambda unit: COST[unit]):
        for _ in range(force[unit]):
            lose(f"{unit}*" if unit == "battleship" else unit)
    counts = np.array(states, np.int32)
    captured = np.zeros((len(OUTCOMES), len(units)), np.bool_)
    if not attacker:
        for unit in UNCOUNTED & set(units):
            captured[OUTCOME_INDEX["attacker_wins"], units.index(unit)] = True
    total = np.zeros((len(counts), len(units)), np.int64)
    np.add.at(total.T, np.array(unit_of), counts.T)
    can_hold = [units.index(unit) for unit in units if unit in HOLDS]
    power = total @ np.array([VALUE[unit][0 if attacker else 1] / 6 for unit in units])
    planes = (
        total[:, units.index("fighter")] if "fighter" in units and "carrier" in units else 0 * total[:, 0]
    )
    decks = 2 * total[:, units.index("carrier")] if "carrier" in units else 0 * total[:, 0]
    answer = Meaning(
        units=units,
        columns=tuple(columns),
        unit_of=np.array(unit_of),
        counts=counts,
        start=np.array([force[unit] for unit in units]),
        cost=np.array([COST[unit] for unit in units]),
        captured=captured,
        needs_capture=np.array([unit == "aa_gun" for unit in units]),
        holds=total[:, can_hold].sum(axis=1) > 0 if attacker else np.zeros(len(counts), np.bool_),
        decks=decks,
        planes=planes,
    )
    return answer, [float(p) for p in power]


@cache
def hits(power: float, dice: int) -> np.ndarray:
    """Binomial chances of 0, 1 ... hits of so many dice of one strength."""
    chance = power / max(dice, 1)
    pmf = np.ones(1)
    for _ in range(dice):
        pmf = np.convolve(pmf, [1 - chance, chance])
    return pmf


def fight(
    attacker: Mapping[str, int], defender: Mapping[str, int], retreat_below: int = 0, rounds: int = 60
) -> Endings:
    """Exact end states, with the rounds; the attacker retreats with fewer units than `retreat_below`."""
    own, own_power = meaning(attacker, True)
    enemy, enemy_power = meaning(defender, False)
    last = len(own.counts) - 1, len(enemy.counts) - 1
    going = {(0, 0): 1.0}
    ends: dict[tuple[int, int, int], float] = defaultdict(float)
    by_round = [0.0]
    rows: list[dict[tuple[int, int], float]] = [dict(going)]
    gone: dict[tuple[int, int], float] = defaultdict(float)
    for number in range(1, rounds + 1):
        after: dict[tuple[int, int], float] = defaultdict(float)
        for (i, j), p in going.items():
            mine = hits(own_power[i], int(own.counts[i].sum()))
            theirs = hits(enemy_power[j], int(enemy.counts[j].sum()))
            for h, a in enumerate(mine):
                for k, d in enumerate(theirs):
                    after[min(i + k, last[0]), min(j + h, last[1])] += p * a * d
        going, ended = {}, 0.0
        for (i, j), p in after.items():
            outcome = None
            if i == last[0]:
                outcome = "mutual_destruction" if j == last[1] else "defender_wins"
            elif j == last[1]:
                outcome = "attacker_wins"
            elif own.counts[i].sum() < retreat_below:
                outcome = "attacker_retreats"
            elif number == rounds:
                outcome = "unresolved"
            if outcome is None:
                going[i, j] = p
            elif p > 0:
                ends[OUTCOME_INDEX[outcome], i, j] += p
                gone[i, j] += p
                ended += p
        by_round.append(ended)
        rows.append({key: going.get(key, 0.0) + gone.get(key, 0.0) for key in {*going, *gone}})
        if not going:
            break
    cells = sorted(ends)

    def table() -> RoundTable:
        totals = []
        for side, place in ((own, 0), (enemy, 1)):
            left = np.zeros((len(side.counts), len(side.units)))
            np.add.at(left.T, side.unit_of, side.counts.T)
            totals.append(np.array([sum(p * left[key[place]] for key, p in row.items()) for row in rows]))
        return RoundTable(totals[0], totals[1], np.cumsum(by_round))

    return Endings(
        attacker=own,
        defender=enemy,
        outcome=np.array([cell[0] for cell in cells], np.int8),
        attacker_state=np.array([cell[1] for cell in cells], np.int32),
        defender_state=np.array([cell[2] for cell in cells], np.int32),
        weight=np.array([ends[cell] for cell in cells]),
        rounds=np.array(by_round),
        round_table=table,
    )


def sample(endings: Endings, trials: int, seed: int) -> Endings:
    """Return the same battle as counts of trials."""
    random = np.random.default_rng(seed)
    weight = random.multinomial(trials, endings.weight / endings.weight.sum())
    rounds = random.multinomial(trials, np.asarray(endings.rounds) / endings.rounds.sum())
    return replace(endings, weight=weight, rounds=rounds)


def exact(attacker: Mapping[str, int], defender: Mapping[str, int], **more: object) -> Odds:
    retreat = more.pop("retreat_below", 0)
    kind = more.pop("kind", "land")
    territory = more.pop("territory", 0.0)
    asked = battle(attacker, defender, kind=kind, territory=territory)
    return Odds((Component(1.0, (fight(attacker, defender, retreat),)),), asked, "exact", **more)


def simulated(
    attacker: Mapping[str, int],
    defender: Mapping[str, int],
    trials: int = 1_000_000,
    seed: int = 7,
    **more: object,
) -> Odds:
    retreat = more.pop("retreat_below", 0)
    endings = sample(fight(attacker, defender, retreat), trials, seed)
    asked = battle(attacker, defender, kind=more.pop("kind", "land"))
    return Odds((Component(1.0, (endings,)),), asked, "monte-carlo", trials, seed, **more)


SEA = ({"transport": 2, "battleship": 1}, {"transport": 1, "battleship": 1})
ASHORE = ({"infantry": 4, "fighter": 1}, {"infantry": 3, "aa_gun": 1})


def beside(meaning: Meaning, bystanders: Mapping[str, tuple[int, int]]) -> Meaning:
    """Return the same side with units that cannot fight: how many there were, how many are left."""
    add = len(bystanders)
    start = np.array([start for start, _ in bystanders.values()], np.int64)
    left = np.array([left for _, left in bystanders.values()], np.int32)
    return replace(
        meaning,
        units=(*bystanders, *meaning.units),
        columns=(*bystanders, *meaning.columns),
        unit_of=np.array([*range(add), *(meaning.unit_of + add)]),
        counts=np.column_stack([np.tile(left, (len(meaning.counts), 1)), meaning.counts]),
        start=np.array([*start, *meaning.start]),
        cost=np.array([*(COST[unit] for unit in bystanders), *meaning.cost]),
        captured=np.pad(meaning.captured, ((0, 0), (add, 0))),
        needs_capture=np.pad(meaning.needs_capture, (add, 0)),
    )


def given(endings: Endings, cells: np.ndarray) -> Endings:
    """Return the chosen cells alone, as probabilities."""
    return replace(
        endings,
        outcome=endings.outcome[cells],
        attacker_state=endings.attacker_state[cells],
        defender_state=endings.defender_state[cells],
        weight=endings.weight[cells] / endings.weight[cells].sum(),
    )


@cache
def landing() -> Odds:
    """Return a sea battle after which two infantry land from each transport that is left."""
    sea = fight(*SEA)
    transports = sea.attacker.counts[:, sea.attacker.columns.index("transport")][sea.attacker_state]
    won = sea.outcome == OUTCOME_INDEX["attacker_wins"]
    load = np.where(won, transports, -1)
    components, ashore = [], []
    for landed in sorted(set(load.tolist())):
        chance = float(sea.weight[load == landed].sum())
        at_sea = given(sea, load == landed)
        if landed < 0:
            stay = {unit: (count, count) for unit, count in ASHORE[1].items()}
            at_sea = replace(
                at_sea,
                attacker=beside(at_sea.attacker, {"infantry": (4, 0), "fighter": (1, 1)}),
                defender=beside(at_sea.defender, stay),
            )
            components.append(Component(chance, (at_sea,)))
            continue
        at_sea = replace(at_sea, attacker=beside(at_sea.attacker, {"infantry": (4 - 2 * landed, 0)}))
        land = fight({"infantry": 2 * landed, "fighter": 1}, ASHORE[1])
        components.append(Component(chance, (at_sea, land)))
        ashore.append((chance, land))
    goes_on = sum(chance for chance, _ in ashore)
    ships, enemy = tuple(SEA[0].items()), tuple(SEA[1].items())
    asked = replace(
        battle({**ASHORE[0], **SEA[0]}, ASHORE[1], kind="invasion"),
        sea_attacker=Side(ships),
        sea_defender=Side(enemy),
        landing_ships=ships,
    )
    stages = {
        "naval": Odds((Component(1.0, (sea,)),), battle(*SEA, kind="naval"), "exact"),
        "invasion": Odds(tuple(Component(c / goes_on, (land,)) for c, land in ashore), asked, "exact"),
    }
    return Odds(tuple(components), asked, "exact", landing=goes_on, stages=stages)
