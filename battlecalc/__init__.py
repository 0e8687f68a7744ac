"""Odds of Axis & Allies style battles: simulated, exact, and with the best decisions in.

Public names are loaded when they are first used, so that ``import battlecalc`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from battlecalc.advising.advice import Advice, advise
    from battlecalc.advising.orders import LossAdvice, best_order
    from battlecalc.advising.outcome import Campaign
    from battlecalc.advising.waves import campaign
    from battlecalc.battle import Battle
    from battlecalc.battlefile import read_battle, write_battle
    from battlecalc.endings import OUTCOMES
    from battlecalc.errors import (
        BattlecalcError,
        BattleError,
        ForceError,
        PolicyError,
        RulesetError,
        StateSpaceError,
    )
    from battlecalc.fire import hits
    from battlecalc.forces import format_force, parse_force
    from battlecalc.mapping import muster, read_map
    from battlecalc.plots import plot_sweep
    from battlecalc.results import Odds
    from battlecalc.rulesets import Ruleset, load_ruleset, ruleset_ids
    from battlecalc.run import odds, simulate, solve
    from battlecalc.sides import Side
    from battlecalc.sweeping import (
        Requirement,
        additions,
        most_profit,
        odds_many,
        require,
        simulate_on,
        sweep,
    )

_WHERE = {
    "Advice": "advising.advice",
    "advise": "advising.advice",
    "LossAdvice": "advising.orders",
    "best_order": "advising.orders",
    "Campaign": "advising.outcome",
    "campaign": "advising.waves",
    "Battle": "battle",
    "read_battle": "battlefile",
    "write_battle": "battlefile",
    "OUTCOMES": "endings",
    "BattlecalcError": "errors",
    "BattleError": "errors",
    "ForceError": "errors",
    "PolicyError": "errors",
    "RulesetError": "errors",
    "StateSpaceError": "errors",
    "hits": "fire",
    "format_force": "forces",
    "parse_force": "forces",
    "plot_sweep": "plots",
    "muster": "mapping",
    "read_map": "mapping",
    "Odds": "results",
    "Ruleset": "rulesets",
    "load_ruleset": "rulesets",
    "ruleset_ids": "rulesets",
    "odds": "run",
    "simulate": "run",
    "solve": "run",
    "Side": "sides",
    "Requirement": "sweeping",
    "additions": "sweeping",
    "most_profit": "sweeping",
    "odds_many": "sweeping",
    "require": "sweeping",
    "simulate_on": "sweeping",
    "sweep": "sweeping",
}

__all__ = [
    "OUTCOMES",
    "Advice",
    "Battle",
    "BattleError",
    "BattlecalcError",
    "Campaign",
    "ForceError",
    "LossAdvice",
    "Odds",
    "PolicyError",
    "Requirement",
    "Ruleset",
    "RulesetError",
    "Side",
    "StateSpaceError",
    "additions",
    "advise",
    "best_order",
    "campaign",
    "format_force",
    "hits",
    "load_ruleset",
    "most_profit",
    "muster",
    "odds",
    "odds_many",
    "parse_force",
    "plot_sweep",
    "read_battle",
    "read_map",
    "require",
    "ruleset_ids",
    "simulate",
    "simulate_on",
    "solve",
    "sweep",
    "write_battle",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("battlecalc")
    if name in _WHERE:
        value = globals()[name] = getattr(import_module(f"battlecalc.{_WHERE[name]}"), name)
        return value
    raise AttributeError(f"module 'battlecalc' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*globals(), *_WHERE, "__version__"])
