"""The panel of useful pictures."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from battlecalc.plots.kinds import HEADINGS, KINDS, damage, rounds
from battlecalc.plots.style import FONT, finish
from battlecalc.results.words import battle_title

if TYPE_CHECKING:
    from battlecalc.results import Odds

PANEL = ("outcomes", "survivors", "swing")
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
    raid = odds._whole.damage() is not None
    kinds = {kind: KINDS[kind] for kind in PANEL} | ({"damage": damage} if raid else {"rounds": rounds})
    for (kind, draw), ax in zip(kinds.items(), sheet.subplots(2, 2).flat, strict=True):
        draw(odds, ax)
        finish(ax, HEADINGS[kind])
    sheet.suptitle(battle_title(odds.battle, TITLE_WIDTH), fontsize=FONT + 2)
    return sheet
