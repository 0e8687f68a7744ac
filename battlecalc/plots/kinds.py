"""The pictures of one answer; each takes axes and hands them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from battlecalc.endings import OUTCOMES
from battlecalc.plots.style import GREY, SHADES, SMALL, legend, percent_axis, style, whole_numbers
from battlecalc.results.distributions import add_up
from battlecalc.results.figures import mean_decimals, mean_text, percent, value_text
from battlecalc.results.palette import OUTCOME_COLOURS, SIDE_COLOURS
from battlecalc.results.words import OUTCOME_WORDS
from battlecalc.rulesets.schema import SIDES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from battlecalc.results import Odds

MIDDLE = 0.8
NEGLIGIBLE = 1e-9
RARE = 5e-4
MOST_BARS = 45
LABEL_ERROR = 1e-4
HEADROOM = 1.3
CUT = 2.5
LABELLED_CELLS = 110


def outcomes(odds: Odds, ax: Axes, **kw: Any) -> None:
    """Bars of the outcomes' probabilities."""
    chances = odds.outcomes
    shown = [
        name for name in OUTCOMES if chances[name] > NEGLIGIBLE or name in ("attacker_wins", "defender_wins")
    ]
    shares = [chances[name] for name in shown]
    bars = ax.barh(
        [OUTCOME_WORDS[name] for name in shown],
        shares,
        **style(kw, color=[OUTCOME_COLOURS[name] for name in shown], height=0.7),
    )
    texts = [percent(chances[name], max(odds.standard_error(name), LABEL_ERROR)) for name in shown]
    ax.bar_label(bars, texts, padding=4, fontsize=SMALL)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.28 * max(shares))
    percent_axis(ax.xaxis, "chance")


def survivors(odds: Odds, ax: Axes, **kw: Any) -> None:
    """Bars of the numbers of units left of both sides."""
    pairs = odds._whole.units_left
    sides = {"attacker": pairs.sum(axis=1), "defender": pairs.sum(axis=0)}
    # A side that is mostly wiped out would flatten all else: such a bar is cut off, its height written down.
    some = max((float(p[1:].max()) for p in sides.values() if len(p) > 1), default=0.0)
    nothing = max(float(p[0]) for p in sides.values())
    top = HEADROOM * (some if nothing > CUT * some > CUT * RARE else max(some, nothing))
    cut_off = [side for side, chances in sides.items() if chances[0] > top]
    for (side, chances), shift in zip(sides.items(), (-0.2, 0.2), strict=True):
        places = np.arange(len(chances)) + shift
        ax.bar(places, chances, **style(kw, width=0.4, color=SIDE_COLOURS[side], label=side))
        if side in cut_off:
            height = (0.97 - 0.08 * cut_off.index(side)) * top
            text = f"nothing {percent(chances[0], LABEL_ERROR)}"
            ax.text(0.5, height, text, va="top", fontsize=SMALL, color=SIDE_COLOURS[side])
    last = max(int(np.flatnonzero(p > RARE).max()) for p in sides.values())
    ax.set_xlim(-0.7, last + 0.7)
    ax.set_ylim(0, min(top, 1.03))
    whole_numbers(ax.xaxis, "units left")
    percent_axis(ax.yaxis, "chance")
    legend(ax)


def swing(odds: Odds, ax: Axes, **kw: Any) -> None:
    """Histogram of the swing, with its mean and the middle 80 %."""
    spread = odds._whole.swing
    low, high = spread.middle(MIDDLE)
    digits = min(mean_decimals([odds.standard_error("swing")]), 2)
    values, p = spread.values, spread.p
    first, last = spread.quantile(RARE), spread.quantile(1 - RARE)
    if len(values) > MOST_BARS:
        # Bars in the middle of whole multiples of their width: one of them stands at 0, for "about even".
        width = float(np.ceil(max(last - first, 1.0) / MOST_BARS))
        places, bars = np.unique(np.rint(values / width), return_inverse=True)
        values, p = places * width, add_up(bars, p, len(places))
    else:
        width = float(np.diff(values).min()) if len(values) > 1 else 1.0
    signs = np.sign(values).astype(int)
    colours = np.array([GREY, SIDE_COLOURS["attacker"], SIDE_COLOURS["defender"]])[signs]
    ends = f"{value_text(low, sign=True)} to {value_text(high, sign=True)}"
    ax.axvspan(low, high, color=GREY, alpha=0.22, lw=0, label=f"middle 80 %: {ends}")
    ax.bar(values, p, **style(kw, width=0.9 * width, color=colours))
    mean = spread.mean()
    ax.axvline(mean, color="black", ls="--", lw=1.5, label=f"mean {mean_text(mean, digits, sign=True)}")
    ax.set_xlabel("swing, IPC (+ good for the attacker)")
    ax.set_xlim(first - 1.5 * width, last + 1.5 * width)
    ax.set_ylim(0, 1.35 * p.max())
    percent_axis(ax.yaxis, "chance")
    legend(ax, loc="upper left")


def rounds(odds: Odds, ax: Axes, **kw: Any) -> None:
    """Lines of what is left of both sides after each round, over the chance that the battle still goes on."""
    left, over = odds._whole.by_round()
    last = int(np.argmax(over > 1 - 2 * RARE)) or len(over) - 1
    after = np.arange(last + 1)
    ax.fill_between(after, 1 - over[: last + 1], color=GREY, alpha=0.3, lw=0, label="battle goes on")
    for side, marker in zip(SIDES, "os", strict=True):
        share = left[side].sum(axis=1) / odds._whole.start(side).sum()
        ax.plot(
            after,
            share[: last + 1],
            **style(kw, marker=marker, ms=5, lw=2, color=SIDE_COLOURS[side], label=f"{side}'s units"),
        )
    whole_numbers(ax.xaxis, "after round")
    ax.set_xlim(0, max(last, 1))
    ax.set_ylim(0, 1.03)
    percent_axis(ax.yaxis, "left on average")
    legend(ax)


def heatmap(odds: Odds, ax: Axes, **kw: Any) -> None:
    """Chances of each pair of numbers of units left."""
    chances = odds._whole.units_left
    seen = chances > RARE / 10
    chances = chances[
        : np.flatnonzero(seen.any(axis=1)).max() + 1, : np.flatnonzero(seen.any(axis=0)).max() + 1
    ]
    shown = np.ma.masked_less_equal(chances, NEGLIGIBLE)
    colours = LinearSegmentedColormap.from_list("chances", SHADES)
    mesh = ax.pcolormesh(
        np.arange(chances.shape[0] + 1) - 0.5,
        np.arange(chances.shape[1] + 1) - 0.5,
        shown.T,
        **style(kw, cmap=colours, vmin=0, edgecolors="white", linewidth=0.5),
    )
    if chances.size <= LABELLED_CELLS:
        for (i, j), p in np.ndenumerate(chances):
            if p >= 10 * RARE:
                dark = p > 0.45 * chances.max()
                ax.text(i, j, f"{100 * p:.0f}" if p >= 0.095 else f"{100 * p:.1f}", ha="center", va="center",
                        fontsize=SMALL - 1.5, color="white" if dark else "black")  # fmt: skip
    whole_numbers(ax.xaxis, "attacker's units left")
    whole_numbers(ax.yaxis, "defender's units left")
    bar = ax.figure.colorbar(mesh, ax=ax)
    percent_axis(bar.ax.yaxis, "chance")
    bar.ax.tick_params(labelsize=SMALL)
    bar.ax.yaxis.label.set_fontsize(SMALL)


KINDS = {
    "outcomes": outcomes,
    "survivors": survivors,
    "swing": swing,
    "rounds": rounds,
    "heatmap": heatmap,
}
HEADINGS = {
    "outcomes": "How it ends",
    "survivors": "Units left",
    "swing": "Value won or lost",
    "rounds": "Round by round",
    "heatmap": "Units left together",
}
