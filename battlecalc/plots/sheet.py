"""The panel of useful pictures."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from battlecalc.plots.kinds import HEADINGS, KINDS
from battlecalc.plots.style import FONT, finish
from battlecalc.results.words import battle_title

if TYPE_CHECKING:
    from battlecalc.results import Odds

PANEL = ("outcomes", "survivors", "swing", "rounds")
SIZE = (10.4, 7.6)
TITLE_WIDTH = 100


class Sheet(Figure):
    """A figure that pyplot does not keep, and that a notebook shows all the same."""

    def _repr_png_(self) -> bytes:
        png = BytesIO()
        self.savefig(png, format="png")
        return png.getvalue()


def draw_panel(odds: Odds) -> Figure:
    """Draw the useful pictures of an answer on a new figure."""
    sheet = Sheet(figsize=SIZE, layout="constrained")
    for kind, ax in zip(PANEL, sheet.subplots(2, 2).flat, strict=True):
        KINDS[kind](odds, ax)
        finish(ax, HEADINGS[kind])
    sheet.suptitle(battle_title(odds.battle, TITLE_WIDTH), fontsize=FONT + 2)
    return sheet
