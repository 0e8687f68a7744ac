"""``battlecalc muster``: from a map file to the forces of a battle, and to its odds."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from battlecalc.cli.options import SectionedCommand, json_option, option, run_options
from battlecalc.columns import columns
from battlecalc.progress import is_terminal

if TYPE_CHECKING:
    from battlecalc import Odds
    from battlecalc.mapping import Muster
    from battlecalc.mapping.report import Section


@click.command(cls=SectionedCommand)
@click.argument("map")
@option("--power", required=True, metavar="NAME", section="Question", help="Whose turn it is.")
@option("--attack", metavar="SPACE", section="Question", help="Who can be in an attack on this space.")
@option("--after", is_flag=True, section="Question", help="The non-combat move, after the battles.")
@option("--zone", metavar="SPACE", section="Attack", help="Sea zone to land from.")
@option(
    "--by", type=click.Choice(["land", "sea"]), section="Attack", help="Over land, or landing from the sea."
)
@option("--fight", is_flag=True, section="Attack", help="Fight ships that a landing may ignore.")
@option(
    "--at-sea", default="", metavar="FORCE", section="Attack", help="Planes for the sea battle: 2 fighters."
)
@option("--without", default="", metavar="FORCE", section="Attack", help="Pieces to leave out.")
@option("--one-way", is_flag=True, section="Attack", help="Planes go though they cannot land.")
@option("--odds", "wants_odds", is_flag=True, section="Output", help="Go on to the odds of the battle.")
@json_option
@run_options
def muster(map: str, **given: Any) -> None:
    r"""Who on a map can be in a battle, by which way, and which rule keeps the others out.

    MAP is a file, or the name of a map that comes along: western-europe, channel-and-straits.

    \b
      battlecalc muster western-europe --power united-kingdom --attack western-europe
      battlecalc muster western-europe --power united-kingdom --attack sz-6 --odds
      battlecalc muster channel-and-straits --power russia --after
    """
    from battlecalc import mapping

    if given["after"] == bool(given["attack"]):
        raise click.UsageError("say one of --attack SPACE and --after")
    board = mapping.read_map(map)
    if given["after"]:
        attack_only = {"--odds": "wants_odds", "--zone": "zone", "--by": "by", "--fight": "fight"}
        attack_only |= {"--at-sea": "at_sea", "--without": "without", "--one-way": "one_way"}
        for flag, name in attack_only.items():
            if given[name]:
                raise click.UsageError(f"{flag} belongs to --attack, not to --after")
        quiet = mapping.after(board, given["power"])
        if given["as_json"]:
            click.echo(json.dumps({"after": quiet.to_dict()}, indent=2))
        else:
            from battlecalc.mapping.report import after_report

            show(after_report(board, quiet))
        return
    asked = {name: given[name] for name in ("zone", "by", "fight", "at_sea", "without", "one_way")}
    found = mapping.muster(board, given["power"], given["attack"], **asked)
    odds = odds_of(found, given) if given["wants_odds"] else None
    if given["as_json"]:
        click.echo(json.dumps(document(found, odds), indent=2))
        return
    from battlecalc.mapping.report import muster_report

    show(muster_report(board, found))
    if odds is not None:
        from battlecalc.cli.answer import offer_exact, report

        click.echo()
        report(odds)
        for unit, mean in found.lost_landing(odds).items():
            click.echo(f"\n{mean:.2f} {unit} outlive the battle and are lost: they cannot land")
        if given["method"] in (None, "monte-carlo"):
            offer_exact(found.battle())


def odds_of(found: Muster, given: dict[str, Any]) -> Odds:
    """Odds of the battle that the map gives."""
    from battlecalc.cli.answer import find
    from battlecalc.mapping import MapError

    if not found.fought:
        side = "the attacker" if found.defender or found.sea_defender else "the defender"
        raise MapError(f"no battle to find odds of: {side} has nobody there")
    return find(found.battle(), given)


def document(found: Muster, odds: Odds | None) -> dict[str, Any]:
    """JSON form; `odds` is that of the battle commands, with the planes that outlive it and cannot land."""
    text: dict[str, Any] = {"muster": found.to_dict()}
    if odds is not None:
        text["odds"] = odds.to_dict()
        text["lost_landing"] = found.lost_landing(odds)
    return text


def show(sections: list[Section]) -> None:
    """Print tables: with rich on a terminal, as plain text elsewhere."""
    if is_terminal(sys.stdout) and "utf" in sys.stdout.encoding.lower():
        show_rich(sections)
    else:
        click.echo("\n\n".join("\n".join(plain(section)) for section in sections))


def plain(section: Section) -> list[str]:
    """Lines of one section, columns aligned."""
    rows = [row for row in (section.columns, *section.rows) if any(row)]
    left = set(range(max(map(len, rows), default=0))).difference(section.right)
    return [section.title, *columns(rows, left, indent=2)]


def show_rich(sections: list[Section]) -> None:
    """Print sections as tables that fit the window."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    for number, section in enumerate(sections):
        if number:
            console.print()
        barred = section.title.startswith("Cannot")
        console.print(Text(section.title, "bold dark_orange" if barred else "bold"))
        width = max((len(row) for row in section.rows), default=0)
        if not width:
            continue
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(section.columns))
        for column in range(width):
            name = section.columns[column] if column < len(section.columns) else ""
            table.add_column(Text(name, "dim"), justify="right" if column in section.right else "left")
        for row in section.rows:
            table.add_row(*(Text(cell) for cell in row))
        console.print(Padding(table, (0, 0, 0, 2)))
