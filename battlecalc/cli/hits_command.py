"""``battlecalc hits``: the hits of one round of fire."""

from __future__ import annotations

import json
from typing import Any

import click

from battlecalc.cli.asking import rules_of
from battlecalc.cli.options import (
    SectionedCommand,
    dice_option,
    json_option,
    option,
    rule_options,
    ruleset_option,
    side_option,
    stacked,
)

BAR = 30


@click.command(cls=SectionedCommand)
@click.argument("force")
@ruleset_option("Fire")
@side_option("Fire", "Who fires.")
@option(
    "--tech",
    metavar="NAME",
    multiple=True,
    section="Fire",
    help="Technology; repeat, or separate with commas.",
)
@dice_option("Fire")
@stacked(rule_options("Fire"))
@json_option
def hits(force: str, **given: Any) -> None:
    r"""Hits of one round of fire.

    All units of FORCE fire once, with the values they have in an ordinary round.

    \b
      battlecalc hits "3 inf, 1 art" -r aa-1942
      battlecalc hits "2 fort, 4 inf" --side defender
    """
    from battlecalc.fire import hit_chances
    from battlecalc.forces import format_force, parse_force
    from battlecalc.results.document import package_version
    from battlecalc.rulesets import load_ruleset

    ruleset = load_ruleset(given["ruleset"])
    chances = hit_chances(ruleset, force, given["side"], technologies=given["tech"], **rules_of(given))
    counts = parse_force(force, ruleset)
    if given["as_json"]:
        found = {"ruleset": ruleset.id, "side": given["side"], "force": counts}
        click.echo(json.dumps({"battlecalc": package_version(), **found, **document(chances)}, indent=2))
    else:
        click.echo(f"{given['side']}  {format_force(counts)}\n{ruleset.name}, one round of fire\n")
        click.echo("\n".join(table(chances)))


def document(chances: list[float]) -> dict[str, Any]:
    """JSON form; the place in the list of hits is the number of hits."""
    return {"hits": chances, "mean": mean(chances)}


def table(chances: list[float]) -> list[str]:
    r"""Lines of the printed table, with a bar for each number of hits.

    >>> print("\n".join(table([0.25, 0.5, 0.25])))
    hits    chance  at least
       0   25.00 %  100.00 %  ###############
       1   50.00 %   75.00 %  ##############################
       2   25.00 %   25.00 %  ###############
    <BLANKLINE>
    mean 1.000 hits
    """
    lines = ["hits    chance  at least"]
    for number, chance in enumerate(chances):
        bar = "#" * round(BAR * chance / max(chances))
        lines.append(f"{number:4}  {percent(chance)}  {percent(sum(chances[number:]))}  {bar}".rstrip())
    return [*lines, "", f"mean {mean(chances):.3f} hits"]


def percent(chance: float) -> str:
    """Two decimals, in a column of eight."""
    return f"{100 * chance:6.2f} %"


def mean(chances: list[float]) -> float:
    """Mean number of hits."""
    return sum(number * chance for number, chance in enumerate(chances))
