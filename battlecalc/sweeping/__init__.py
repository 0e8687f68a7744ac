"""Many battles at once: sweeps over variables, required forces, simulations spread over machines."""

from battlecalc.sweeping.answers import Candidate, Requirement
from battlecalc.sweeping.many import odds_many
from battlecalc.sweeping.requirement import require
from battlecalc.sweeping.runner import sweep
from battlecalc.sweeping.spread import simulate_on
from battlecalc.sweeping.worth import additions, most_profit

__all__ = [
    "Candidate",
    "Requirement",
    "additions",
    "most_profit",
    "odds_many",
    "require",
    "simulate_on",
    "sweep",
]
