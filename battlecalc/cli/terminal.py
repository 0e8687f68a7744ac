"""A report on a terminal: the same rows as the plain text, with bars and a little colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from battlecalc.results.report import Report, Row, Section

COLOURS = {
    "attacker_wins": "blue",
    "defender_wins": "dark_orange",
    "mutual_destruction": "grey50",
    "attacker_retreats": "cyan",
    "defender_retreats": "yellow",
}
BAR = 24
EIGHTHS = " ▏▎▍▌▋▊▉"


def show(report: Report) -> None:
    """Print a report."""
    Console(highlight=False).print(rendered(report))


def rendered(report: Report) -> Group:
    """All parts of a report, one below the other."""
    label = max(
        len(text)
        for section in report.sections
        if not section.prose
        for text in (section.title, *(row.label for row in section.rows))
    )
    head = Table.grid(padding=(0, 2))
    head.add_row(Text("attacker", COLOURS["attacker_wins"]), report.attacker)
    head.add_row(Text("defender", COLOURS["defender_wins"]), report.defender)
    parts: list[RenderableType] = [head, Text(f"{report.battle}; {report.method}", "dim")]
    for section in report.sections:
        parts += ["", prose(section) if section.prose else numbers(section, label)]
    if report.notes:
        parts += ["", *(Text(note, "dim") for note in report.notes)]
    return Group(*parts)


def numbers(section: Section, label: int) -> Table:
    """Rows of numbers, with a bar where the section holds chances."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    table.add_column(section.title, min_width=label)
    for name in section.columns:
        table.add_column(Text(name, "not bold dim"), justify="right", no_wrap=True)
    bars = any(row.share is not None for row in section.rows)
    if bars:
        table.add_column(no_wrap=True)
    for row in section.rows:
        table.add_row(row.label, *row.cells, *([bar(row)] if bars else []))
    return table


def prose(section: Section) -> Group:
    """Rows of a chance and a force."""
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    for row in section.rows:
        table.add_row(row.label, *row.cells)
    return Group(Text(section.title, "bold"), Padding(table, (0, 0, 0, 2)))


def bar(row: Row) -> Text:
    """Bar as long as the row's share."""
    eighths = round((row.share or 0.0) * BAR * 8)
    blocks = "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
    return Text(blocks, COLOURS.get(row.outcome or "", "grey50"))
