"""The table of ratios: ``python -m benchmarks.report [--write | --compare]``.

``--write`` keeps this run's figures in baseline.json, ``--compare`` sets them beside those kept there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import battlecalc as bc
from benchmarks.measures import Figure, figures

BASELINE = Path(__file__).parent / "baseline.json"


def table(found: Mapping[str, Figure], before: Mapping[str, float] | None) -> Iterator[str]:
    """Lines of a Markdown table."""
    yield "| figure | ratio | here |" + (" before | now to before |" if before else "")
    yield "|---|---:|---:|" + ("---:|---:|" if before else "")
    for name, (ratio, here) in found.items():
        line = f"| {name} | {number(ratio)} | {here} |"
        if before:
            old = before.get(name)
            line += f" {number(old)} | {ratio / old:.2f} |" if old else " - | - |"
        yield line


def number(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="benchmarks.report", description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the figures in baseline.json")
    parser.add_argument("--compare", action="store_true", help="set them beside those of baseline.json")
    parser.add_argument("--seconds", type=float, default=0.5, help="time for each figure (default 0.5)")
    asked = parser.parse_args()
    before = json.loads(BASELINE.read_text(encoding="utf-8"))["ratios"] if asked.compare else None
    found = dict(figures(asked.seconds))
    print("\n".join(table(found, before)))
    if asked.write:
        kept = {name: float(f"{figure.ratio:.4g}") for name, figure in found.items()}
        whole = {"battlecalc": bc.__version__, "ratios": kept}
        BASELINE.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
