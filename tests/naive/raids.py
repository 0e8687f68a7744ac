"""Strategic bombing: interceptors, AA fire at the bombers, damage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from tests.naive.dice import SIDES, Hits, add, chance, pool
from tests.naive.forces import Frozen, freeze
from tests.naive.orders import loss_line, take_hits
from tests.naive.questions import Force, Order, modes


class Raid:
    """Joint chances of (damage, bombers and escorts left, interceptors left)."""

    def __init__(self) -> None:
        self.chances: dict[tuple[int, Frozen, Frozen], Fraction] = {}

    def add(self, damage: int, attacker: Frozen, defender: Frozen, p: Fraction) -> None:
        key = (damage, attacker, defender)
        self.chances[key] = self.chances.get(key, Fraction(0)) + p

    def damage(self) -> Hits:
        """Distribution of the damage."""
        total: Hits = {}
        for (damage, _, _), p in self.chances.items():
            total[damage] = total.get(damage, Fraction(0)) + p
        return total

    def mean_damage(self) -> Fraction:
        return sum((damage * p for damage, p in self.damage().items()), Fraction(0))

    def chance(self, wanted: Any) -> Fraction:
        """Chance that wanted(damage, attacker's survivors, defender's survivors) holds."""
        return sum((p for (n, a, d), p in self.chances.items() if wanted(n, dict(a), dict(d))), Fraction(0))


def air_fire(ruleset: str, force: Force, defends: bool, technologies: frozenset[str]) -> dict[Fraction, int]:
    """Dice of one side in the air battle over a raid."""
    fire: dict[Fraction, int] = {}
    for unit, n in force.items():
        jets = "jet_fighters" in technologies and unit == "fighter"
        if ruleset == "aa-1940-2e":
            printed = 2 if jets else 1
        elif ruleset == "aa-1942-2e":
            printed = 2 if defends else 1
        elif defends:
            printed = 2
        else:
            printed = 0 if unit == "bomber" else 2 if jets else 1
        one = chance(printed)
        if one:
            fire[one] = fire.get(one, 0) + n
    return fire


def after_fire(
    ruleset: str, side: int, force: Frozen, order: Order, dice: Mapping[Fraction, int], mode: str
) -> Any:
    """(force left, probability) after fire at planes."""
    line = loss_line(ruleset, "raid", side, dict(force), order)
    for n, p in pool(dice, mode).items():
        yield take_hits(ruleset, side, line, force, (("any", n),) if n else ()), p


def bomb_die(ruleset: str, unit: str, technologies: frozenset[str], options: Mapping[str, Any]) -> Hits:
    """Damage of one bomber that gets through."""
    one = {n: Fraction(1, SIDES) for n in range(1, SIDES + 1)}
    best = {n: Fraction(n * n - (n - 1) * (n - 1), SIDES * SIDES) for n in one}
    plus = 2 if ruleset == "aa-1940-2e" and unit == "bomber" else 0
    if "heavy_bombers" not in technologies or unit != "bomber":
        rolled = one
    elif ruleset == "aa-classic":
        rolled = add(add(one, one), one)
    elif ruleset == "aa-revised" or (
        ruleset == "aa-anniversary" and options.get("heavy_bombers", "sum") == "sum"
    ):
        rolled = add(one, one)
    else:
        rolled, plus = best, plus + (1 if ruleset == "aa-revised-lhtr" else 0)
    return {n + plus: p for n, p in rolled.items()}


def low_luck_damage(dice: list[Hits]) -> Hits:
    """Every bomber does the mean of its dice, the fraction left to one chance."""
    mean = sum((n * p for die in dice for n, p in die.items()), Fraction(0))
    whole = mean.numerator // mean.denominator
    return {n: p for n, p in {whole: 1 - (mean - whole), whole + 1: mean - whole}.items() if p}


def damage_cap(ruleset: str, value: int | None, cap: int | None) -> int | None:
    """Most damage in all: twice the territory's value, its value in LHTR, none in Classic and Revised."""
    if cap is not None:
        return cap
    if value is None or ruleset in ("aa-classic", "aa-revised"):
        return None
    if ruleset == "aa-revised-lhtr":
        return value
    return 20 if ruleset == "aa-1940-2e" else 2 * value


def raid(
    ruleset: str,
    bombers: Force,
    *,
    escorts: Force | None = None,
    interceptors: Force | None = None,
    aa_guns: int = 0,
    value: int | None = None,
    cap: int | None = None,
    loss_order: tuple[Order, Order] = (None, None),
    technologies: tuple[Iterable[str], Iterable[str]] = ((), ()),
    options: Mapping[str, Any] | None = None,
    dice: str | Mapping[str, str] = "standard",
) -> Raid:
    """Odds of a bombing raid on one factory; `value` is its territory's, `cap` the most damage in all."""
    techs = (frozenset(technologies[0]), frozenset(technologies[1]))
    mode = modes(dice)
    escort = dict(escorts or {})
    flying = freeze({unit: bombers.get(unit, 0) + escort.get(unit, 0) for unit in {*bombers, *escort}})

    def flak_at(force: Frozen, units: Force) -> Iterable[tuple[Frozen, Fraction]]:
        under_fire = {unit: n for unit, n in force if unit in units}
        spared = tuple((unit, n) for unit, n in force if unit not in units)
        for left, p in flak(ruleset, under_fire, aa_guns, techs, mode["aa"]):
            yield tuple(sorted(left + spared)), p

    def in_the_air(force: Frozen) -> Iterable[tuple[tuple[Frozen, Frozen], Fraction]]:
        return air_battle(ruleset, force, freeze(interceptors or {}), loss_order, techs, mode)

    ways: dict[tuple[Frozen, Frozen], Fraction] = {}
    if ruleset in ("aa-1942-2e", "aa-1940-2e"):  # the factory's own guns fire at the bombers that get there
        for (force, defenders), p in in_the_air(flying):
            for left, q in flak_at(force, bombers):
                ways[left, defenders] = ways.get((left, defenders), Fraction(0)) + p * q
    else:  # the gun fires first, at all planes
        for force, p in flak_at(flying, dict(flying)):
            for (left, defenders), q in in_the_air(force):
                ways[left, defenders] = ways.get((left, defenders), Fraction(0)) + p * q
    result = Raid()
    for (left, defenders), p in ways.items():
        over = {unit: n for unit, n in left if unit in bombers}
        damage = total_damage(ruleset, over, techs[0], options or {}, mode["raid"], value, cap)
        for n, chance_of_n in damage.items():
            result.add(n, left, defenders, p * chance_of_n)
    return result


def air_battle(
    ruleset: str, flying: Frozen, interceptors: Frozen, orders: tuple[Order, Order], techs: Any, mode: Any
) -> Any:
    """((attackers, interceptors), probability) after one round in the air, if anybody intercepts."""
    if not interceptors:
        yield (flying, interceptors), Fraction(1)
        return
    attack = air_fire(ruleset, dict(flying), False, techs[0])
    for shot_at, p in after_fire(ruleset, 1, interceptors, orders[1], attack, mode["battle"]):
        firing = shot_at if ruleset == "aa-1942-2e" else interceptors  # 1942.2: the attackers fire first
        defence = air_fire(ruleset, dict(firing), True, techs[1])
        for left, q in after_fire(ruleset, 0, flying, orders[0], defence, mode["battle"]):
            yield (left, shot_at), p * q


def flak(ruleset: str, over: dict[str, int], guns: int, techs: Any, mode: str) -> Any:
    """(bombers left, probability): one die for each bomber, from a gun or from the factory itself."""
    fires = guns > 0 or ruleset in ("aa-1942-2e", "aa-1940-2e")
    one = chance(2 if "radar" in techs[1] else 1) if fires else Fraction(0)
    ways: dict[Frozen, Fraction] = {freeze(over): Fraction(1)}
    for unit, n in over.items():
        after: dict[Frozen, Fraction] = {}
        for force, p in ways.items():
            for k, q in pool({one: n}, mode).items():
                left = freeze({**dict(force), unit: n - k})
                after[left] = after.get(left, Fraction(0)) + p * q
        ways = after
    return list(ways.items())


def total_damage(
    ruleset: str,
    left: Force,
    techs: frozenset[str],
    options: Mapping[str, Any],
    mode: str,
    value: int | None,
    cap: int | None,
) -> Hits:
    """Damage of all bombers that got through, up to the edition's cap; Revised caps each bomber."""
    each_cap = value if ruleset == "aa-revised" else None
    dice = [
        at_most(bomb_die(ruleset, unit, techs, options), each_cap)
        for unit, n in left.items()
        for _ in range(n)
    ]
    total: Hits = {0: Fraction(1)}
    for die in dice:
        total = add(total, die)
    if mode == "low-luck":
        total = low_luck_damage(dice)
    return at_most(total, damage_cap(ruleset, value, cap))


def at_most(damage: Hits, cap: int | None) -> Hits:
    capped: Hits = {}
    for n, p in damage.items():
        n = n if cap is None else min(n, cap)
        capped[n] = capped.get(n, Fraction(0)) + p
    return capped
