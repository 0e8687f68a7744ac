"""Pictures of a sweep: a line for one variable, a map with contours for two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from battlecalc.endings import OUTCOMES
from battlecalc.errors import BattleError
from battlecalc.results.palette import OUTCOME_COLOURS
from battlecalc.results.words import OUTCOME_WORDS, unit_words

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

CONTOURS = (0.5, 0.75, 0.9)
LINE_COLOURS = tuple(OUTCOME_COLOURS.values())
MARKERS = "osD^v<>P"
SPARE = 0.04
IN_IPC = ("swing", "expected_gain", "territory")


def plot_sweep(
    frame: pd.DataFrame,
    what: str = "attacker_wins",
    by: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    **kw: Any,
) -> Axes:
    """Draw a column of a sweep against the one or two variables that were varied.

    Parameters
    ----------
    frame : DataFrame
        One row a battle, as `battlecalc.sweep` gives it.
    what : str
        Column to draw: an outcome, ``"captures"``, or another number.
    by : str or sequence of str, optional
        The one or two variables; by default the columns before the first outcome that vary. Two numbers make
        a map, with contours at 50, 75 and 90 % of a probability; a variable of names makes one line a name.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.
    title : str, optional
        By default the frame's ``attrs["title"]``, else `what`.
    **kw
        Handed to the line or the map.
    """
    from battlecalc.plots.style import axes, finish

    if what not in frame.columns:
        raise BattleError(f"the sweep has no column {what!r}: {', '.join(map(str, frame.columns))}")
    names = _variables(frame, by)
    ax = axes(ax)
    numeric = [name for name in names if frame[name].dtype.kind in "iuf"]
    if len(names) == 2 and len(numeric) == 2:
        _map(frame, what, names, ax, **kw)
    else:
        across = (numeric or names)[0]
        _lines(frame, what, across, [name for name in names if name != across], ax, **kw)
    return finish(ax, title or str(frame.attrs.get("title", "")) or _label(what))


def _variables(frame: pd.DataFrame, by: str | Sequence[str] | None) -> list[str]:
    if by is None:
        outcomes = [place for place, name in enumerate(frame.columns) if name in OUTCOMES]
        candidates = frame.columns[: min(outcomes)] if outcomes else frame.columns[:0]
        names = [name for name in candidates if frame[name].nunique() > 1]
    else:
        names = [by] if isinstance(by, str) else list(by)
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise BattleError(f"the sweep has no column {missing[0]!r}: {', '.join(map(str, frame.columns))}")
    if not 1 <= len(names) <= 2:
        found = ", ".join(names) or "none"
        raise BattleError(f"a sweep is drawn by one or two variables, not by {found}: name them with by=")
    return names


def _label(name: str) -> str:
    if name in OUTCOME_WORDS:
        return OUTCOME_WORDS[name]
    side, dot, rest = name.partition(".")
    words = f"{side}'s {unit_words(rest)}" if dot else unit_words(name)
    return f"{words}, IPC" if name in IN_IPC or rest == "value_lost" else words


def _is_share(frame: pd.DataFrame, what: str) -> bool:
    return what in OUTCOMES or what == "captures" or bool(frame[what].between(0, 1).all())


def _lines(frame: pd.DataFrame, what: str, across: str, groups: Sequence[str], ax: Axes, **kw: Any) -> None:

    from battlecalc.plots.style import GREY, legend, percent_axis, style, whole_numbers

    lines = frame.groupby(groups[0], sort=False) if groups else [(None, frame)]
    for place, (name, rows) in enumerate(lines):
        rows = rows.sort_values(across, kind="stable") if rows[across].dtype.kind in "iuf" else rows
        usual = {"marker": MARKERS[place % len(MARKERS)], "color": LINE_COLOURS[place % len(LINE_COLOURS)]}
        if rows[across].dtype.kind not in "iuf":  # between two names lies nothing
            usual["ls"] = ""
        label = None if name is None else str(name)
        ax.plot(rows[across], rows[what], **style(kw, ms=5, lw=2, label=label, **usual))
    if frame[across].dtype.kind in "iu":
        whole_numbers(ax.xaxis, _label(across))
    else:
        ax.set_xlabel(_label(across))
    if _is_share(frame, what):
        for level in CONTOURS:
            ax.axhline(level, color=GREY, lw=0.8, ls=":", zorder=0)
        ax.set_ylim(-SPARE, 1 + SPARE)
        ax.set_yticks([0, 0.25, *CONTOURS, 1.0])
        percent_axis(ax.yaxis, _label(what))
    else:
        ax.set_ylabel(_label(what))
    if groups:
        legend(ax, title=_label(groups[0]))


def _map(frame: pd.DataFrame, what: str, names: Sequence[str], ax: Axes, **kw: Any) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    from battlecalc.plots.style import SHADES, SMALL, percent_axis, style, whole_numbers

    across, up = names
    grid = frame.pivot_table(index=up, columns=across, values=what)
    share = _is_share(frame, what)
    colours = LinearSegmentedColormap.from_list("chances", SHADES)
    limits = {"vmin": 0.0, "vmax": 1.0} if share else {}
    numbers = np.ma.masked_invalid(grid.to_numpy(float))
    x, y = grid.columns.to_numpy(float), grid.index.to_numpy(float)
    mesh = ax.pcolormesh(x, y, numbers, **style(kw, cmap=colours, shading="nearest", **limits))
    if share and min(numbers.shape) > 1:
        within = [level for level in CONTOURS if numbers.min() < level < numbers.max()]
        lines = ax.contour(x, y, numbers, levels=within, colors="#E69F00", linewidths=2) if within else None
        if lines is not None:
            texts = ax.clabel(lines, fmt=lambda level: f"{100 * level:.0f} %", fontsize=SMALL, colors="black")
            for text in texts:
                text.set_bbox({"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1})
    for axis, label in ((ax.xaxis, across), (ax.yaxis, up)):
        whole_numbers(axis, _label(label))
    bar = ax.figure.colorbar(mesh, ax=ax)
    bar.ax.tick_params(labelsize=SMALL)
    if share:
        percent_axis(bar.ax.yaxis, _label(what))
    else:
        bar.set_label(_label(what))
    bar.ax.yaxis.label.set_fontsize(SMALL)
