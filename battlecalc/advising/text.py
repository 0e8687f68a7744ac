"""Tables as text."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def percent(chance: float) -> str:
    """Write a chance.

    >>> percent(0.0412)
    '4.1 %'
    """
    return f"{100 * chance:.1f} %"


def columns(rows: Sequence[Sequence[str]], left: Collection[int] = ()) -> list[str]:
    """Align rows: the first column and those in `left` to the left, the others to the right.

    >>> columns([["unit", "cost"], ["infantry", "3"]])
    ['unit      cost', 'infantry     3']
    """
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if place == 0 or place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
