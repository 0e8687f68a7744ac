"""``battlecalc hits``: the hits of one round of fire."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from battlecalc.cli.asking import dice_of
from battlecalc.cli.options import SIDES, SectionedCommand, dice_option, option, ruleset_option

if TYPE_CHECKING:
    from pandas import Series

BAR = 30


@click.command(cls=SectionedCommand)
@click.argument("force")
@ruleset_option("Fire")
@option(
    "--side",
    type=click.Choice(SIDES),
    default="attacker",
    show_default=True,
    section="Fire",
    help="Who fires.",
)
@dice_option("Fire")
@option(
    "--tech", "technologies", metavar="NAME", multiple=True, section="Fire", help="Technology; repeatable."
)
@option("--json", "as_json", is_flag=True, section="Output", help="A JSON document, and nothing else.")
def hits(force: str, as_json: bool, technologies: tuple[str, ...], **given: Any) -> None:
    r"""Hits of one round of fire.

    All units of FORCE fire once, with the values they have in an ordinary round.

    \b
      battlecalc hits "3 inf, 1 art" -r aa-1942
      battlecalc hits "2 fort, 4 inf" --side defender
    """
    import battlecalc

    side = battlecalc.Side(force, technologies=",".join(technologies))
    dice = {"dice": dice_of(given["dice"])} if given["dice"] else {}
    chances = battlecalc.hits(given["ruleset"], side, side=given["side"], **dice)
    if as_json:
        click.echo(json.dumps(document(chances, force, given), indent=2))
    else:
        click.echo("\n".join(table(chances)))


def document(chances: Series, force: str, given: dict[str, Any]) -> dict[str, Any]:
    """JSON form; the place in the list of hits is the number of hits."""
    from importlib.metadata import version

    return {
        "battlecalc": version("battlecalc"),
        "ruleset": given["ruleset"],
        "side": given["side"],
        "force": force,
        "hits": [float(chance) for chance in chances],
        "mean": mean(chances),
    }


def table(chances: Series) -> list[str]:
    """Lines of the printed table, with a bar for each number of hits."""
    lines = ["hits   chance   at least"]
    at_least = 1.0
    for number, chance in enumerate(chances):
        bar = "#" * round(BAR * chance / chances.max())
        lines.append(f"{number:4}  {chance:7.2%}  {max(at_least, 0.0):8.2%}  {bar}".rstrip())
        at_least -= chance
    return [*lines, "", f"mean {mean(chances):.3f} hits"]


def mean(chances: Series) -> float:
    """Mean number of hits."""
    return float(sum(number * chance for number, chance in enumerate(chances)))
