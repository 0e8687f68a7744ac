"""An answer as a card for notebooks: HTML without scripts or style sheets, for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from battlecalc.results.palette import OUTCOME_COLOURS
from battlecalc.results.report import Report, Row, Section, report

if TYPE_CHECKING:
    from battlecalc.results.answer import Odds

LINE = "rgba(128,128,128,.4)"
CARD = (
    f"max-width:46em;border:1px solid {LINE};border-radius:8px;padding:.7em 1em;line-height:1.35;"
    "font-family:system-ui,sans-serif;font-size:14px;color:inherit"
)
BAR = "display:flex;height:1.3em;border-radius:4px;overflow:hidden;margin:.6em 0"
COLUMNS = "display:flex;flex-wrap:wrap;gap:.2em 2.2em;align-items:flex-start"
TABLE = "border-collapse:collapse;margin:.4em 0;background:none"
CELL = "padding:.1em 0 .1em 1.1em;border:0;background:none;color:inherit;vertical-align:top"
SWATCH = "display:inline-block;width:.75em;height:.75em;border-radius:2px;margin-right:.45em"
FAINT = "opacity:.75;font-size:.9em"


def card(odds: Odds) -> str:
    """Return the HTML of an answer."""
    return "".join(_card(report(odds)))


def _card(content: Report) -> Iterator[str]:
    yield f'<div style="{CARD}">'
    yield f"<div><b>{escape(content.attacker)}</b> &nbsp;v&nbsp; <b>{escape(content.defender)}</b></div>"
    yield f'<div style="{FAINT}">{escape(content.battle)}; {escape(content.method)}</div>'
    yield from _bar(row for section in content.sections for row in section.rows)
    yield f'<div style="{COLUMNS}">'
    for section in content.sections:
        yield from _table(section)
    yield "</div>"
    for note in content.notes:
        yield f'<div style="{FAINT}">{escape(note)}</div>'
    yield "</div>"


def _bar(rows: Iterator[Row]) -> Iterator[str]:
    yield f'<div style="{BAR}">'
    for row in rows:
        if row.outcome and row.share:
            style = f"width:{100 * row.share:.2f}%;background:{OUTCOME_COLOURS[row.outcome]}"
            yield f'<div style="{style}" title="{escape(row.label)} {escape(row.cells[0])}"></div>'
    yield "</div>"


def _table(section: Section) -> Iterator[str]:
    yield f'<table style="{TABLE}"><tr style="background:none;border-bottom:1px solid {LINE}">'
    span = 1 + len(section.prose)
    yield f'<th colspan="{span}" style="{CELL};padding-left:0;text-align:left">{escape(section.title)}</th>'
    for name in section.columns[len(section.prose) :]:
        yield f'<th style="{CELL};text-align:right;font-weight:normal">{escape(name)}</th>'
    yield "</tr>"
    for row in section.rows:
        yield '<tr style="background:none">'
        colour = (
            f'<span style="{SWATCH};background:{OUTCOME_COLOURS[row.outcome]}"></span>' if row.outcome else ""
        )
        align = "right" if section.prose else "left"
        shape = f"padding-left:0;text-align:{align};white-space:nowrap"
        yield f'<td style="{CELL};{shape}">{colour}{escape(row.label)}</td>'
        for place, cell in enumerate(row.cells):
            shape = "text-align:left" if place in section.prose else "text-align:right;white-space:nowrap"
            yield f'<td style="{CELL};{shape};font-variant-numeric:tabular-nums">{escape(cell)}</td>'
        yield "</tr>"
    yield "</table>"
