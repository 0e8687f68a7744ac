"""A battle as the arguments of one command: SEQUENCE and two forces, two forces, or a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from battlecalc.cli.options import AT_SEA, BATTLE, EACH_SIDE, F, Option, option
from battlecalc.cli.types import Count, Share

if TYPE_CHECKING:
    from battlecalc import Battle

METHODS = ("auto", "exact", "monte-carlo")
_OF_RUN = ("method", "trials", "seed", "precision", "prune", "max_states")


def battle_argument(function: F) -> F:
    """Add the argument of a battle."""
    return click.argument("words", nargs=-1, required=True, metavar="BATTLE...")(function)


def find_options(function: F) -> F:
    """Add how the odds of each battle are found."""
    title = "Method"
    for decorator in (
        option("--max-states", type=Count(1, 10**12), section=title, help="Most states of an exact answer."),
        option("--seed", type=Count(0, 2**64 - 1), section=title, help="Same seed, same answers."),
        option(
            "--method",
            type=click.Choice(METHODS),
            default="auto",
            show_default=True,
            section=title,
            help="auto: exact if it fits.",
        ),
    ):
        function = decorator(function)
    return function


def simulation_options(function: F) -> F:
    """Add how long each battle is simulated."""
    title = "Method"
    function = option("--precision", type=Share(), section=title, help="Or until ± this: 0.1%.")(function)
    return option(
        "--trials",
        "-n",
        type=Count(1, 10**12),
        section=title,
        help="Of each simulated battle.  [default: 1e6]",
    )(function)


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
    battle, _ = read_battle(path)
    return battle.swapped() if given["swap"] else battle


def how(given: dict[str, Any]) -> dict[str, Any]:
    """Keywords of the run that were given."""
    return {name: given[name] for name in _OF_RUN if given.get(name) is not None}
