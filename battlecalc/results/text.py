"""A report as plain text, for terminals of 80 columns and for logs."""

from __future__ import annotations

from collections.abc import Iterator

from battlecalc.results.report import Report, Section
from battlecalc.results.words import note_lines, wrap

GAP = "   "
HANGING = " " * 10


def render(report: Report, width: int = 80) -> str:
    """Text of a report; no line is longer than `width` (of at least 40).

    Parameters
    ----------
    report : Report
    width : int
    """
    width = max(width, 40)
    lines = [
        *wrap(report.attacker, width, "attacker  ", HANGING),
        *wrap(report.defender, width, "defender  ", HANGING),
        *wrap(f"{report.battle}; {report.method}", width),
    ]
    label = max((len(row.label) for s in report.sections if not s.prose for row in s.rows), default=0)
    label = max(label, *(len(s.title) for s in report.sections if not s.prose))
    for section in report.sections:
        lines += ["", *_section(section, label, width)]
    lines += note_lines(report.notes, width)
    return "\n".join(line.rstrip() for line in lines)


def _section(section: Section, label: int, width: int) -> Iterator[str]:
    if section.prose:
        yield section.title
        share = max(len(row.label) for row in section.rows)
        for row in section.rows:
            start = f"  {row.label:>{share}}  "
            yield from wrap(row.cells[0], width, start, " " * len(start))
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
