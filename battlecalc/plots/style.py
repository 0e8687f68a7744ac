"""How every picture looks: letters that a phone shows, quiet axes, percentages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from matplotlib.ticker import FuncFormatter, MaxNLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

SIZE = (5.4, 3.9)
TITLE_WIDTH = 52
FONT = 11.5
SMALL = 10.5
GREY = "#8C8C8C"
SHADES = ["#EAF2F8", "#56B4E9", "#0072B2", "#00304D"]


def axes(ax: Axes | None) -> Axes:
    """Return the axes given, else those of a new figure."""
    if ax is not None:
        return ax
    from matplotlib import pyplot as plt

    _, new = plt.subplots(figsize=SIZE, layout="constrained")
    return new


def finish(ax: Axes, title: str) -> Axes:
    """Put the title on and quieten the frame."""
    ax.set_title(title, fontsize=FONT, loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=SMALL)
    ax.xaxis.label.set_fontsize(FONT)
    ax.yaxis.label.set_fontsize(FONT)
    return ax


def percent_axis(axis: Axis, label: str) -> None:
    """Show probabilities on an axis as percentages, without ticks where room was left beyond 100."""
    low, high = axis.get_view_interval()
    if high > 1:
        axis.set_ticks([tick for tick in axis.get_majorticklocs() if low <= tick < 1.001])
    axis.set_major_formatter(FuncFormatter(lambda p, _: f"{100 * p:g}"))
    axis.set_label_text(f"{label}, %")


def whole_numbers(axis: Axis, label: str) -> None:
    """Show numbers of units or rounds on an axis."""
    axis.set_major_locator(MaxNLocator(9, integer=True, min_n_ticks=1))
    axis.set_label_text(label)


def legend(ax: Axes, loc: Literal["best", "upper left"] = "best", title: str | None = None) -> None:
    """Show a legend, by default where the picture is emptiest."""
    ax.legend(fontsize=SMALL, loc=loc, framealpha=0.8, edgecolor="none", title=title)


def style(chosen: Mapping[str, Any], **usual: Any) -> dict[str, Any]:
    """Return what artists are drawn with: as usual, where the caller did not choose otherwise."""
    return usual | dict(chosen)
