"""Pictures of odds and sweeps. Importing this does not load matplotlib; drawing does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from battlecalc.errors import BattleError, nearest
from battlecalc.plots.sweeps import plot_sweep
from battlecalc.results.words import battle_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from battlecalc.results import Odds

__all__ = ["draw", "panel", "plot_sweep"]


def draw(odds: Odds, kind: str, ax: Axes | None = None, **kw: Any) -> Axes:
    """Draw one kind of picture on `ax` or on a new figure; see `Odds.plot`."""
    from battlecalc.plots.kinds import KINDS
    from battlecalc.plots.style import TITLE_WIDTH, axes, finish

    if kind not in KINDS:
        raise BattleError(f"unknown kind of plot {kind!r}: {nearest(kind, KINDS)}")
    ax = axes(ax)
    KINDS[kind](odds, ax, **kw)
    return finish(ax, battle_title(odds.battle, TITLE_WIDTH))


def panel(odds: Odds) -> Figure:
    """Return a figure of the useful pictures, titled with the battle; see `Odds.figure`."""
    from battlecalc.plots.sheet import draw_panel

    return draw_panel(odds)
