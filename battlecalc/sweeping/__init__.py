"""Many battles at once: sweeps over variables, required forces, simulations spread over machines."""

from battlecalc.sweeping.runner import sweep

__all__ = ["sweep"]
