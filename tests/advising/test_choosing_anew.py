"""How much a fixed order of loss leaves to a player who chooses anew after every round, by brute force."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

import battlecalc as bc

Force = tuple[tuple[str, int], ...]
COST = {"infantry": 3, "artillery": 4, "tank": 5, "fighter": 10, "bomber": 12}
LAND = {"infantry", "artillery", "tank"}
ENEMY_ORDER = ("infantry", "tank", "fighter")


@cache
def hits(force: Force, side: str) -> dict[int, float]:
    return {int(n): float(p) for n, p in bc.hits("aa-1942", dict(force), side=side).items() if p > 0}


def choices(force: Force, lost: int) -> set[Force]:
    """Every force that may be left after so many hits."""
    lost = min(lost, sum(n for _, n in force))
    return {
        tuple((unit, n - gone) for (unit, n), gone in zip(force, taken, strict=True) if n > gone)
        for taken in product(*(range(n + 1) for _, n in force))
        if sum(taken) == lost
    }


def after_order(force: Force, lost: int) -> Force:
    left = dict(force)
    for unit in ENEMY_ORDER:
        gone = min(lost, left.get(unit, 0))
        left[unit] = left.get(unit, 0) - gone
        lost -= gone
    return tuple((unit, n) for unit, n in sorted(left.items()) if n)


def worth(force: Force) -> int:
    return sum(COST[unit] * n for unit, n in force)


def value_of_choosing(attacker: Force, defender: Force, territory: float) -> float:
    """Value of a land battle to an attacker who sees both sides' hits before he takes his losses."""

    @cache
    def value(own: Force, enemy: Force) -> float:
        if not own or not enemy:
            held = not enemy and any(unit in LAND for unit, _ in own)
            return worth(defender) - worth(enemy) - worth(attacker) + worth(own) + territory * held
        others = stay = 0.0
        for taken, p in hits(enemy, "defender").items():
            for given, q in hits(own, "attacker").items():
                if not taken and not given:
                    stay += p * q
                    continue
                left = after_order(enemy, given)
                others += p * q * max(value(force, left) for force in choices(own, taken))
        return others / (1 - stay)

    return value(attacker, defender)


@pytest.mark.parametrize(
    ("attacker", "defender", "territory", "left"),
    [
        ((("infantry", 2), ("tank", 1), ("fighter", 1)), (("infantry", 2), ("tank", 1)), 0, 0.0),
        ((("artillery", 1), ("bomber", 2)), (("fighter", 1), ("infantry", 2)), 3, 0.0),
        ((("infantry", 3), ("fighter", 2)), (("fighter", 1), ("tank", 2)), 20, 0.958731),
        ((("infantry", 1), ("bomber", 2), ("fighter", 2)), (("fighter", 2), ("infantry", 2)), 20, 1.916826),
    ],
)
def test_what_a_fixed_order_leaves(attacker: Force, defender: Force, territory: int, left: float) -> None:
    enemy = bc.Side(dict(defender), loss_order=ENEMY_ORDER)
    battle = bc.Battle("aa-1942", "land", dict(attacker), enemy, territory=territory)
    advice = bc.best_order(battle)
    assert advice.every
    assert value_of_choosing(attacker, defender, territory) - advice.value == pytest.approx(left, abs=1e-6)
