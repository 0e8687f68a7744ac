"""A battle as the arguments of one command: SEQUENCE and two forces, two forces, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from battlecalc.cli.options import AT_SEA, BATTLE, EACH_SIDE, F, Option

if TYPE_CHECKING:
    from battlecalc import Battle


def battle_argument(function: F) -> F:
    """Add the argument of a battle."""
    return click.argument("words", nargs=-1, required=True, metavar="BATTLE...")(function)


def read_words(words: tuple[str, ...], given: dict[str, Any]) -> Battle:
    """Battle of the arguments."""
    from battlecalc.cli.asking import battle_of

    if len(words) == 1:
        return _of_file(words[0], given)
    if len(words) > 3:
        raise click.UsageError(f"{len(words)} arguments: a battle is [SEQUENCE] ATTACKER DEFENDER, or a file")
    sequence, attacker, defender = words if len(words) == 3 else ("land", *words)
    return battle_of(sequence, attacker, defender, given)


def _of_file(path: str, given: dict[str, Any]) -> Battle:
    from battlecalc.battlefile import read_battle

    context = click.get_current_context()
    described = [
        param.opts[0]
        for param in context.command.params
        if isinstance(param, Option)
        and param.section in (BATTLE, AT_SEA, EACH_SIDE, None)  # None: the twins for the other side
        and param.name != "swap"
        and context.get_parameter_source(str(param.name)) is click.core.ParameterSource.COMMANDLINE
    ]
    if described:
        raise click.UsageError(f"{', '.join(described)}: what a battle is stands in its file {path!r}")
    battle, run = read_battle(path)
    if run:
        click.echo(f"note: {', '.join(run)} in {path!r}: passed over, for the command line to say", err=True)
    return battle.swapped() if given["swap"] else battle
