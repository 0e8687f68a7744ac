"""The JSON document of an answer."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from battlecalc.endings import OUTCOMES
from battlecalc.results.words import whole_force
from battlecalc.rulesets.schema import SIDES, SideName

if TYPE_CHECKING:
    from battlecalc.results.answer import Odds


@lru_cache(maxsize=1)
def package_version() -> str:
    """Version of the installed package."""
    from importlib.metadata import PackageNotFoundError, version  # slow to load, and seldom needed

    try:
        return version("battlecalc")
    except PackageNotFoundError:  # a source tree on the path, not installed
        return "unknown"


def document(odds: Odds) -> dict[str, Any]:
    """Everything that ``--json`` prints; numbers are plain and not rounded."""
    battle, whole = odds.battle, odds._whole
    text: dict[str, Any] = {
        "battlecalc": package_version(),
        "ruleset": battle.ruleset.id,
        "sequence": battle.sequence.id,
        "method": odds.method,
        "trials": odds.trials,
        "seed": odds.seed,
        "options": dict(battle.options),
    }
    for side in SIDES:
        text[side] = {
            "force": whole_force(battle, side),
            "loss_order": loss_order(odds, side),
            "expected_survivors": odds.expected_survivors(side),
            "expected_losses": odds.expected_losses(side),
            "expected_value_lost": whole.value_lost(side).mean(),
        }
    text |= {
        "outcomes": odds.outcomes,
        "standard_errors": {what: odds.standard_error(what) for what in (*OUTCOMES, "captures", "swing")},
        "captures": odds.captures,
        "landing": odds.landing,
        "stages": {name: document(stage) for name, stage in (odds.stages or {}).items()},
        "swing": {"mean": whole.swing.mean(), "sd": whole.swing.sd()},
        "expected_rounds": whole.mean_rounds(),
        "assumed": list(odds.assumed),
        "notes": list(odds.notes),
    }
    damage = whole.damage()
    if damage is not None:
        text["damage"] = {"mean": damage.mean(), "sd": damage.sd()}
    return text


def loss_order(odds: Odds, side: SideName) -> list[str]:
    """Order of loss as text, first lost first: as used where the engine tells, else what the battle names."""
    if odds.loss_orders is not None and side in odds.loss_orders:
        return list(odds.loss_orders[side])
    order = (odds.battle.attacker if side == "attacker" else odds.battle.defender).loss_order
    if order is None or isinstance(order, str):
        return [order] if order else []
    return list(map(str, order))
