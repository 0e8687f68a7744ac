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

PANEL = ("outcomes", "survivors", "swing", "rounds")
PANEL_SIZE = (10.4, 7.6)
PANEL_TITLE_WIDTH = 100


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
    from matplotlib.figure import Figure

    from battlecalc.plots.kinds import HEADINGS, KINDS
    from battlecalc.plots.style import FONT, finish

    figure = Figure(figsize=PANEL_SIZE, layout="constrained")
    for kind, ax in zip(PANEL, figure.subplots(2, 2).flat, strict=True):
        KINDS[kind](odds, ax)
        finish(ax, HEADINGS[kind])
    figure.suptitle(battle_title(odds.battle, PANEL_TITLE_WIDTH), fontsize=FONT + 2)
    return figure
