"""``battlecalc run``: the battle in a file."""

from __future__ import annotations

from typing import Any

import click

from battlecalc.cli.answer import answer
from battlecalc.cli.options import SectionedCommand, option, output_options, run_options


@click.command(cls=SectionedCommand)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=False))
@option("--swap", is_flag=True, section="Battle", help="The sides change places.")
@run_options
@output_options
def run(file: str, swap: bool, **given: Any) -> None:
    r"""Odds of the battle in a file.

    FILE is TOML, as --save writes it: ruleset, sequence, and a table for each side. trials, seed and method
    may stand there too; the command line goes first.

    \b
      battlecalc land "6 inf, 2 art" "5 inf" --save verdun.toml
      battlecalc run verdun.toml --method exact

    \b
      ruleset = "great-war"
      sequence = "land"
      [attacker]
      force = "6 infantry, 2 artillery"
      retreat = "round >= 3"
      [defender]
      force = "5 infantry"
    """
    from battlecalc.battlefile import read_battle

    battle, kept = read_battle(file)
    answer(battle.swapped() if swap else battle, given, kept)
