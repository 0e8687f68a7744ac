"""Cost as forces grow: ``python -m benchmarks.growth [FILE.png]`` prints it and draws it on log scales."""

from __future__ import annotations

import sys

import battlecalc as bc
from battlecalc.errors import StateSpaceError
from benchmarks.battles import grown
from benchmarks.measures import grown_seconds

UNITS = (10, 30, 100, 300, 1000)
# states of a fleet grow with the product of its classes: a larger exact answer would take minutes
MOST = {("naval", "exact"): 100}
# the place says the colour, the method the line: told apart by everybody, and without colours too
COLOURS = {"land": "#0072b2", "naval": "#e69f00"}
LINES = {"exact": ("-", "o"), "a million trials": ("--", "s")}
Series = dict[tuple[str, str], dict[int, float]]


def measure() -> Series:
    """Return seconds by (sequence, method) and units a side."""
    for battle in (grown("land", 10), grown("naval", 10)):  # what is compiled, is compiled now
        bc.simulate(*battle, trials=1, seed=1)
        bc.solve(*battle)
    found: Series = {}
    for sequence in ("land", "naval"):
        for method in ("exact", "a million trials"):
            times = found[sequence, method] = {}
            for units in UNITS:
                if units > MOST.get((sequence, method), UNITS[-1]):
                    break
                try:
                    times[units] = grown_seconds(sequence, units, method)
                except StateSpaceError as error:
                    print(f"{sequence}, {method}, {units} units: {error}")
                    break
                print(f"{sequence}, {method}, {units} units: {times[units]:.3g} s", flush=True)
    return found


def draw(found: Series, path: str) -> None:
    """Draw all series."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), layout="constrained")
    ax = figure.add_subplot(xscale="log", yscale="log")
    for (sequence, method), times in found.items():
        line, marker = LINES[method]
        style = {"ls": line, "marker": marker, "color": COLOURS[sequence], "lw": 2}
        ax.plot(list(times), list(times.values()), label=f"{sequence}, {method}", **style)
    ax.set_xlabel("units a side", fontsize=12)
    ax.set_ylabel("seconds, one thread", fontsize=12)
    ax.set_xticks(UNITS, [f"{n:,}" for n in UNITS])
    ax.set_xticks([], minor=True)
    ax.yaxis.set_major_formatter("{x:g}")
    ax.tick_params(labelsize=11)
    ax.grid(alpha=0.4)
    ax.legend(fontsize=11)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    series = measure()
    if len(sys.argv) > 1:
        draw(series, sys.argv[1])
