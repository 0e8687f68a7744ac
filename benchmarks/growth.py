"""Cost as forces grow: ``python -m benchmarks.growth [FILE.png]`` prints it and draws it on log scales."""

from __future__ import annotations

import sys

import battlecalc as bc
from battlecalc.errors import StateSpaceError
from benchmarks.battles import grown
from benchmarks.measures import grown_seconds

UNITS = (10, 30, 100, 300, 1000)
# states of a fleet grow with the product of its classes: larger ones are no battles that anybody asks for
MOST = {("naval", "exact"): 100, ("naval", "a million trials"): 300}
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
    ax = figure.add_subplot(xscale="log", yscale="log", xlabel="units a side", ylabel="seconds, one thread")
    for (sequence, method), times in found.items():
        ax.plot(list(times), list(times.values()), marker="o", label=f"{sequence}, {method}")
    ax.set_xticks(UNITS, [str(n) for n in UNITS])
    ax.grid(alpha=0.3, which="both")
    ax.legend()
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    series = measure()
    if len(sys.argv) > 1:
        draw(series, sys.argv[1])
