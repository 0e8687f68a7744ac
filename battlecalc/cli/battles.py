"""The commands that name a battle by its two forces: land, naval, invasion, raid."""

from __future__ import annotations

from typing import Any

import click

from battlecalc.cli.answer import answer
from battlecalc.cli.asking import battle_of
from battlecalc.cli.options import SectionedCommand, battle_options, output_options, run_options


def battle_command(sequence: str, text: str) -> click.Command:
    """Command for battles of one sequence."""

    @click.command(sequence, cls=SectionedCommand, help=text)
    @click.argument("attacker")
    @click.argument("defender")
    @battle_options(sequence)
    @run_options
    @output_options
    def command(attacker: str, defender: str, **given: Any) -> None:
        answer(battle_of(sequence, attacker, defender, given), given)

    return command


land = battle_command(
    "land",
    """Odds of a land battle.

    ATTACKER and DEFENDER are counts and units, in any order: "6 infantry, 2 art + 1 fighter". The names are
    those of battlecalc units RULESET.

    \b
      battlecalc land "6 inf, 2 art, 1 ftr" "5 inf, 1 art"
      battlecalc land -r aa-1942-2e "8 inf, 3 tank" "6 inf, 1 aa" --method exact
      battlecalc land "9 inf, 3 art" "8 inf" --attacker-retreat "ratio < 1"
    """,
)

naval = battle_command(
    "naval",
    """Odds of a naval battle.

    ATTACKER and DEFENDER are counts and units, in any order: "2 submarines, 1 dreadnought". The names are
    those of battlecalc units RULESET.

    \b
      battlecalc naval "2 sub, 1 dread" "2 cruiser, 1 trn"
      battlecalc naval -r aa-1942-2e "3 sub" "1 bb" --attacker-submerge always
    """,
)

invasion = battle_command(
    "invasion",
    """Odds of a landing from the sea, its naval battle included.

    ATTACKER holds what lands, planes that fight on land, ships that bombard and the transports; DEFENDER the
    units on land. Without transports everything is ashore in the first round. With --sea-defender the battle
    at sea is fought first, by the attacker's ships and all of --sea-attacker.

    \b
      battlecalc invasion -r aa-1942-2e "2 inf, 2 tank, 2 trn, 1 bb" "3 inf"
      battlecalc invasion -r aa-1942-2e "4 inf, 2 trn" "2 inf" \\
          --sea-attacker "2 dd" --sea-defender "1 sub"
    """,
)

raid = battle_command(
    "raid",
    """Damage and losses of a strategic bombing raid.

    ATTACKER holds the bombers and their escorts, DEFENDER the interceptors and what is bombed, as the ruleset
    has it. What limits the damage is an option of the ruleset: battlecalc rulesets shows it.

    \b
      battlecalc raid -r aa-1942-2e "3 bombers" "1 industrial_complex"
    """,
)
