"""A report as plain text, for terminals of 80 columns and for logs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from battlecalc.results.report import Report, Section

GAP = "   "


def render(report: Report, width: int = 80) -> str:
    """Text of a report; no line is longer than `width` (of at least 40).

    Parameters
    ----------
    report : Report
    width : int
    """
    width = max(width, 40)
    lines = [
        *_wrap("attacker  ", report.attacker, width),
        *_wrap("defender  ", report.defender, width),
        *_wrap("", f"{report.battle}; {report.method}", width),
    ]
    label = max((len(row.label) for s in report.sections if not s.prose for row in s.rows), default=0)
    label = max(label, *(len(s.title) for s in report.sections if not s.prose))
    for section in report.sections:
        lines += ["", *_section(section, label, width)]
    if report.notes:
        lines.append("")
    for note in report.notes:
        lines += _wrap("", note, width, indent="  ")
    return "\n".join(line.rstrip() for line in lines)


def _section(section: Section, label: int, width: int) -> Iterator[str]:
    if section.prose:
        yield section.title
        share = max(len(row.label) for row in section.rows)
        for row in section.rows:
            yield from _wrap(f"  {row.label:>{share}}  ", row.cells[0], width)
        return
    cells = [
        max(len(name), *(len(row.cells[place]) for row in section.rows))
        for place, name in enumerate(section.columns)
    ]
    yield section.title.ljust(label) + "".join(
        GAP + name.rjust(size) for name, size in zip(section.columns, cells, strict=True)
    )
    for row in section.rows:
        yield row.label.ljust(label) + "".join(
            GAP + cell.rjust(size) for cell, size in zip(row.cells, cells, strict=True)
        )


def _wrap(start: str, text: str, width: int, indent: str | None = None) -> list[str]:
    hanging = " " * len(start) if indent is None else indent
    return textwrap.wrap(text, width, initial_indent=start, subsequent_indent=hanging) or [start]
