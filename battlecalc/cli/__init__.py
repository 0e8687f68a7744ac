"""The ``battlecalc`` command: a thin skin over the library.

This module is all that ``battlecalc --help`` loads: commands are named here with their one-line help and
imported when they are called.
"""

from __future__ import annotations

import click

from battlecalc.cli.group import CommandGroup, Entry

COMMANDS = {
    "Battles": {
        "land": Entry("battlecalc.cli.battles:land", "Odds of a land battle."),
        "naval": Entry("battlecalc.cli.battles:naval", "Odds of a naval battle."),
        "invasion": Entry(
            "battlecalc.cli.battles:invasion", "Odds of a landing from the sea, its naval battle included."
        ),
        "raid": Entry("battlecalc.cli.battles:raid", "Damage and losses of a strategic bombing raid."),
        "hits": Entry("battlecalc.cli.hits_command:hits", "Hits of one round of fire."),
        "run": Entry("battlecalc.cli.run_command:run", "Odds of the battle in a file."),
        "batch": Entry(
            "battlecalc.cli.batch_command:batch", "Odds of many battles: JSON lines in, JSON lines out."
        ),
    },
    "Many battles": {
        "sweep": Entry("battlecalc.cli.sweep_command:sweep", "Odds of a grid of battles around one."),
        "require": Entry(
            "battlecalc.cli.require_command:require",
            "Fewest of a unit, or cheapest force, for a given chance.",
        ),
    },
    "Decisions": {
        "advise": Entry(
            "battlecalc.cli.advise_command:advise",
            "Rank what one side can do in a battle, and say its best decisions.",
        ),
        "waves": Entry(
            "battlecalc.cli.waves_command:waves",
            "Attacks one after another on the same defender, and the counter-attack.",
        ),
    },
    "Rules": {
        "rulesets": Entry(
            "battlecalc.cli.rulesets_command:rulesets", "Show the rulesets and what each can do."
        ),
        "units": Entry(
            "battlecalc.cli.rulesets_command:units",
            "Show the units of RULESET (an id or a file) with their values.",
        ),
        "muster": Entry(
            "battlecalc.cli.muster_command:muster",
            "Who on a map can be in a battle, by which way, and which rule keeps the others out.",
        ),
    },
    "Set-up": {
        "warmup": Entry("battlecalc.cli.warmup_command:warmup", "Compile the engines now, once per machine."),
    },
}


@click.group(
    cls=CommandGroup,
    commands_by_section=COMMANDS,
    aliases={"amphibious": "invasion"},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="battlecalc", message="%(prog)s %(version)s")
def main() -> None:
    r"""Odds of Axis & Allies style battles, simulated or exact.

    \b
      battlecalc land "6 inf, 2 art, 1 ftr" "5 inf, 1 art"
      battlecalc naval -r aa-1942-2e "2 sub, 1 dd" "1 cruiser" --method exact
      battlecalc units aa-1942-2e

    Every command explains itself: battlecalc land --help.
    """
