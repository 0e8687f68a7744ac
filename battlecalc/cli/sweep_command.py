"""``battlecalc sweep``: a grid of battles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from battlecalc.cli.answer import asked_of, said
from battlecalc.cli.any_battle import battle_argument, read_words
from battlecalc.cli.group import Interrupted
from battlecalc.cli.options import SectionedCommand, battle_options, find_options, json_option, option
from battlecalc.cli.types import Count, OutputFile, literal, plain_number
from battlecalc.progress import Meter
from battlecalc.words import quote

if TYPE_CHECKING:
    import pandas as pd

# Values of these hold commas themselves, so that only semicolons part them.
WITH_COMMAS = (
    "technologies",
    "loss_order",
    "damaged",
    "attacker",
    "defender",
    "sea_attacker",
    "sea_defender",
    "force",
)
WIDTH = 100


class Vary(click.ParamType[tuple[str, list[Any]]]):
    """``NAME=VALUES``."""

    name = "NAME=VALUES"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, list[Any]]:
        """Read ``0..20``, ``0..20..5``, ``a,b,c`` or ``a;b;c``."""
        name, equals, text = (part.strip() for part in str(value).partition("="))
        if not equals or not name or not text:
            self.fail(
                f"{value!r} is not of the form NAME=VALUES, such as attacker.infantry=0..20", param, ctx
            )
        if ".." in text:
            return name, self._range(text, param, ctx)
        comma = name.rpartition(".")[2] not in WITH_COMMAS
        values = text.split("," if comma and ";" not in text else ";")
        return name, [literal(one.strip()) for one in values if one.strip()]

    def _range(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> list[Any]:
        from battlecalc.sweeping.grid import MOST_BATTLES

        ends = [end for end in map(plain_number, text.split("..")) if end is not None]
        if len(ends) != text.count("..") + 1 or len(ends) > 3:
            self.fail(f"{quote(text)} is not a range such as 0..20 or 0..20..5", param, ctx)
        low, high, step = (*ends, 1)[:3]
        if high < low or not step:
            self.fail(f"{text!r} is an empty range", param, ctx)
        values = range(low, high + 1, step)
        if len(values) > MOST_BATTLES:
            self.fail(f"{text!r} has {len(values):,} values, more than {MOST_BATTLES:,}", param, ctx)
        return list(values)


@click.command(cls=SectionedCommand)
@battle_argument
@option(
    "--vary",
    type=Vary(),
    multiple=True,
    required=True,
    section="Sweep",
    help="What takes which values; repeatable.",
)
@option(
    "--out", type=OutputFile(), section="Sweep", help="Keep rows in a .csv or .jsonl file, and go on from it."
)
@option(
    "--dask", metavar="ADDRESS", section="Sweep", help="Work on a Dask cluster: tcp://host:8786, or local."
)
@option("--threads", type=Count(1, 1024), section="Sweep", help="Battles worked out at once.")
@battle_options("invasion")
@find_options("battle", precision=True)
@option(
    "--what",
    default="attacker_wins",
    metavar="COLUMN",
    section="Output",
    help="Number that is shown and drawn.",
)
@json_option
@option(
    "--plot",
    type=OutputFile("png", "svg", "pdf"),
    section="Output",
    help="Write a picture: a line for one variable, a map for two.",
)
def sweep(words: tuple[str, ...], vary: tuple[tuple[str, list[Any]], ...], **given: Any) -> None:
    r"""Odds of a grid of battles around one.

    BATTLE is ATTACKER DEFENDER (on land), SEQUENCE ATTACKER DEFENDER, or a file of a battle. --vary takes the
    number of a unit (attacker.infantry=0..20), a field of a side (defender.retreat), a keyword (ruleset,
    rounds, options.NAME) and its values: 0..20, 0..20..5, or a list with commas (with semicolons where values
    hold commas themselves: orders of loss, technologies, forces).

    An interrupted sweep with --out goes on where it stopped when it is started again.

    \b
      battlecalc sweep "6 inf, 2 art" "5 inf" --vary attacker.infantry=0..20
      battlecalc sweep -r aa-1942-2e naval "2 sub, 1 dd" "2 dd" \
          --vary attacker.submarine=0..6 --vary defender.destroyer=1..4
      battlecalc sweep verdun.toml --vary attacker.infantry=0..20 --out verdun.csv --plot verdun.png
      battlecalc sweep "8 inf, 2 art" "6 inf" --vary ruleset=great-war,aa-1914
    """
    import battlecalc
    from battlecalc.sweeping.rows import columns, plain

    battle = read_words(words, given)
    names = [name for name, _ in vary]
    if given["what"] not in (known := columns(names, chained=True)):
        raise click.UsageError(
            f"--what: no column {given['what']!r}; there are {', '.join(known[len(names) :])}"
        )
    if len(set(names)) < len(names):
        raise click.UsageError(f"--vary names {max(names, key=names.count)!r} twice")
    with ExitStack() as stack:
        meter = stack.enter_context(Meter("battles"))
        pool = None
        threads = given.pop("threads")  # of the sweep, not of each battle
        if threads is not None and given["dask"] is None:
            pool = stack.enter_context(ThreadPoolExecutor(threads))
        try:
            table = battlecalc.sweep(
                battle,
                dict(vary),
                out=given["out"],
                dask=given["dask"],
                executor=pool,
                progress=meter,
                **asked_of(given),
            )
        except KeyboardInterrupt as stop:
            raise Interrupted(_stopped(stop, given["out"])) from stop
    if given["as_json"]:
        document = {"battle": repr(battle), "variables": names, "rows": plain(table)}
        click.echo(json.dumps(document, indent=2))
    else:
        click.echo("\n".join(lines(table, names, given["what"])))
    for trouble in table["error"].dropna().unique()[:1]:
        click.echo(
            f"note: {table['error'].notna().sum()} of {len(table)} are no battles: {trouble}", err=True
        )
    if given["plot"]:
        drawn = battlecalc.plot_sweep(table, given["what"], by=names).get_figure(root=True)
        assert drawn is not None
        drawn.savefig(given["plot"])
        said(given["plot"])
    if given["out"]:
        said(given["out"])


def _stopped(stop: KeyboardInterrupt, out: str | None) -> str:
    done, total = getattr(stop, "done", None), getattr(stop, "total", None)
    if done is None:
        return "interrupted"
    kept = f"; the same command goes on from {out!r}" if out else ""
    return f"stopped after {done:,} of {total:,} battles{kept}"


def lines(table: pd.DataFrame, names: list[str], what: str) -> Iterator[str]:
    """Yield what is printed: a grid for two variables where it fits, else a row a battle."""
    from battlecalc.columns import columns
    from battlecalc.results.words import unit_words

    if title := table.attrs.get("title"):
        yield from [*str(title).splitlines(), ""]
    if len(names) == 2 and table[names[1]].nunique() * 8 + 14 <= WIDTH:
        across = table[names[1]].drop_duplicates().tolist()
        rows = [["", *map(str, across)]]
        for value, part in table.groupby(names[0], sort=False):
            found = dict(zip(part[names[1]], part[what], strict=True))
            rows.append([str(value), *(cell(found.get(other), what, table) for other in across)])
        yield f"{unit_words(what)}, by {names[0]} (down) and {names[1]} (across)"
        yield from columns(rows, left=())
        return
    shown = list(dict.fromkeys(["attacker_wins", "defender_wins", what, "swing"]))
    rows = [[*names, *map(unit_words, shown)]]
    for row in table.to_dict("records"):
        rows.append([*(str(row[name]) for name in names), *(cell(row[name], name, table) for name in shown)])
    yield from columns(rows, left=())


def cell(value: Any, name: str, table: pd.DataFrame) -> str:
    """Return a number of a table as text: a chance as a percentage."""
    from battlecalc.endings import OUTCOMES
    from battlecalc.results.figures import decimals

    if value is None or value != value:
        return "-"
    if name in OUTCOMES or name in ("captures", "landing"):
        return share(float(value))
    if not isinstance(value, float):
        return str(value)
    return f"{value:.{decimals(float(table['standard_error'].max()), 2)}f}"


def share(p: float) -> str:
    """Return a chance as a percentage with one decimal, and never a certainty that is none.

    >>> share(0.76073), share(0.0002), share(0.9999), share(1.0)
    ('76.1 %', '< 0.1 %', '> 99.9 %', '100 %')
    """
    if p in (0.0, 1.0):
        return f"{100 * p:.0f} %"
    if p < 0.0005:
        return "< 0.1 %"
    return "> 99.9 %" if p >= 0.9995 else f"{100 * p:.1f} %"
