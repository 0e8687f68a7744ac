"""``battlecalc require``: what it takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from battlecalc.cli.answer import asked_of
from battlecalc.cli.any_battle import battle_argument, read_words
from battlecalc.cli.options import (
    SIDES,
    SectionedCommand,
    battle_options,
    find_options,
    json_option,
    option,
    side_option,
)
from battlecalc.cli.types import Share, plain_number
from battlecalc.words import quote

if TYPE_CHECKING:
    import pandas as pd

    from battlecalc import Battle

SHOWN = 12


class Limits(click.ParamType[dict[str, tuple[int, int]]]):
    """``inf:0..10, art:0..5``."""

    name = "UNIT:LEAST..MOST"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> dict[str, tuple[int, int]]:
        """Read units and their limits."""
        limits: dict[str, tuple[int, int]] = {}
        for entry in str(value).split(","):
            unit, colon, text = (part.strip() for part in entry.partition(":"))
            least, dots, most = (part.strip() for part in text.partition(".."))
            low, high = map(plain_number, (least, most) if dots else ("0", least))
            if not unit or not colon or low is None or high is None:
                self.fail(
                    f"{quote(entry.strip())} is not of the form UNIT:LEAST..MOST, such as inf:0..10",
                    param,
                    ctx,
                )
            if unit in limits:
                self.fail(f"{unit!r} is named twice", param, ctx)
            limits[unit] = (low, high)
        return limits


@click.command(cls=SectionedCommand)
@battle_argument
@option("--odds", type=Share(), default="90%", show_default=True, section="Question", help="Chance to reach.")
@option("--unit", metavar="[SIDE.]UNIT", section="Question", help="Fewest of this unit.")
@option("--from", "limits", type=Limits(), section="Question", help='Cheapest force: "inf:0..10, art:0..5".')
@option("--add", is_flag=True, section="Question", help="What one unit more of each kind does.")
@option("--profit", is_flag=True, section="Question", help="Most profit per IPC, of the forces of --from.")
@side_option("Question", "Who asks.")
@option(
    "--what",
    type=click.Choice(["win", "capture", "hold"]),
    default="win",
    show_default=True,
    section="Question",
    help="hold: the defender is not captured.",
)
@battle_options("invasion")
@find_options("battle", precision=True)
@option("--error", type=Share(), section="Method", help="Chance that a simulated battle is misjudged: 0.1%.")
@option(
    "--tolerance", type=Share(), section="Method", help="Nearer to --odds than this either is right: 0.2%."
)
@json_option
def require(words: tuple[str, ...], **given: Any) -> None:
    r"""Fewest of a unit, or cheapest force, for a given chance.

    BATTLE is ATTACKER DEFENDER (on land), SEQUENCE ATTACKER DEFENDER, or a file of a battle. Of the side that
    asks, the numbers of the units in question do not matter; all its other units take part as they are. "-"
    is an empty force, for --from.

    \b
      battlecalc require "2 art, 1 tank" "6 inf" --odds 90% --unit infantry
      battlecalc require "8 inf, 2 art" "2 art" --unit defender.infantry --what hold
      battlecalc require -r aa-1942-2e - "6 inf, 2 art, 1 aa" --from "inf:0..10, art:0..5, tank:0..4"
      battlecalc require "6 inf, 2 art" "5 inf" --add
    """
    import battlecalc

    asked = [flag for flag in ("unit", "limits", "add") if given[flag]]
    if len(asked) != 1:
        raise click.UsageError("say one of --unit UNIT, --from LIMITS and --add")
    if given["profit"] and not given["limits"]:
        raise click.UsageError("--profit needs the forces to look at: --from LIMITS")
    battle = read_words(_filled(words, given), given)
    side, what, run = given["side"], given["what"], asked_of(given)
    if given["add"]:
        show(battlecalc.additions(battle, side, what, **run), battle, given["as_json"])
        return
    if given["profit"]:
        odds = given["odds"] if _was_given("odds") else None
        show(
            battlecalc.most_profit(battle, given["limits"], side, odds, what, **run), battle, given["as_json"]
        )
        return
    run |= {name: given[name] for name in ("error", "tolerance") if given[name] is not None}
    for name in ("trials", "precision"):
        if run.pop(name, None) is not None:
            click.echo(f"note: --{name}: passed over, the test goes on until it is sure", err=True)
    answer = battlecalc.require(battle, given["unit"], given["odds"], what, given["limits"], side=side, **run)
    click.echo(json.dumps(answer.to_dict(), indent=2) if given["as_json"] else answer.summary())


def _was_given(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def _filled(words: tuple[str, ...], given: dict[str, Any]) -> tuple[str, ...]:
    """Arguments with the largest force of the limits in place of an empty one of the side that asks."""
    place = len(words) - 2 + SIDES.index(given["side"])
    if not given["limits"] or len(words) < 2 or words[place].strip() not in ("", "-"):
        return words
    force = ", ".join(f"{most} {unit}" for unit, (_, most) in given["limits"].items())
    return (*words[:place], force, *words[place + 1 :])


def show(table: pd.DataFrame, battle: Battle, as_json: bool) -> None:
    """Print a table of units or forces: the best ones, or as JSON all."""
    from battlecalc.columns import columns
    from battlecalc.results.figures import value_text
    from battlecalc.results.words import sides_words, unit_words

    if as_json:
        from battlecalc.sweeping.rows import plain

        click.echo(json.dumps({"battle": repr(battle), "rows": plain(table)}, indent=2))
        return
    click.echo("  v  ".join(sides_words(battle)) + "\n")
    rows = [[unit_words(name).replace("ipc", "IPC") for name in table.columns]]
    for row in table.head(SHOWN).to_dict("records"):
        cells = []
        for name, value in row.items():
            if isinstance(value, str):
                cells.append(unit_words(value))
            elif value != value:
                cells.append("-")
            elif name in ("chance", "more", "more_per_ipc"):
                sign = "" if name == "chance" else "+"
                cells.append(f"{100 * value:{sign}.{2 if 'per' in name else 1}f} %")
            else:
                cells.append(f"{value:+.2f}" if str(name).startswith("profit") else value_text(float(value)))
        rows.append(cells)
    click.echo("\n".join(columns(rows, left=())))
    if len(table) > SHOWN:
        click.echo(f"and {len(table) - SHOWN:,} more: --json prints all")
