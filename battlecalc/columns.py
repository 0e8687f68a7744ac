"""Rows of text in columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def columns(rows: Sequence[Sequence[str]], left: Collection[int] = (0,), indent: int = 0) -> list[str]:
    """Align rows: the columns in `left` to the left, the others to the right; a row may end early.

    >>> columns([["unit", "cost"], ["infantry", "3"], ["note"]])
    ['unit      cost', 'infantry     3', 'note']
    """
    widths = [0] * max(map(len, rows), default=0)
    for row in rows:
        widths[: len(row)] = map(max, widths, map(len, row))
    lines = []
    for row in rows:
        cells = (
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=False))
        )
        lines.append((" " * indent + "  ".join(cells)).rstrip())
    return lines
