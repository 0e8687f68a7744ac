"""``battlecalc waves``: attacks one after another, and the counter-attack."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from battlecalc.cli.answer import asked_of
from battlecalc.cli.options import (
    SIDES,
    SectionedCommand,
    dice_option,
    find_options,
    json_option,
    option,
    rule_options,
    ruleset_option,
    side_options,
    stacked,
)
from battlecalc.cli.types import Count, plain_number

if TYPE_CHECKING:
    from battlecalc import Side

_RULES = "Rules"


@click.command(cls=SectionedCommand)
@click.argument("defender")
@option(
    "--wave",
    "forces",
    multiple=True,
    required=True,
    metavar="FORCE[; FIELD=VALUE]",
    section="Attacks",
    help='Who attacks next: "6 inf, 2 art; retreat=round >= 3". Repeatable.',
)
@option("--counter", metavar="FORCE[; FIELD=VALUE]", section="Attacks", help="Who attacks the wave that won.")
@option(
    "--sequence",
    default="land",
    show_default=True,
    metavar="NAME",
    section="Attacks",
    help="land, naval or invasion, for all waves.",
)
@option("--mended", is_flag=True, section="Attacks", help="Damage is repaired between the attacks.")
@option(
    "--most-forces", type=Count(1, 1_000_000), section="Attacks", help="Most forces that one attack may meet."
)
@ruleset_option(_RULES)
@dice_option(_RULES)
@stacked(rule_options(_RULES))
@stacked(side_options(SIDES, "All waves (also --defender-...)"))
@find_options("wave")
@json_option
def waves(defender: str, **given: Any) -> None:
    r"""Attacks one after another on the same defender, and the counter-attack.

    DEFENDER is counts and units. Each --wave attacks what the ones before it left; --counter attacks the
    survivors of the wave that took the space. After a force may stand, with semicolons, what belongs to that
    side: retreat=..., loss_order=..., keep_land=1 and the other fields of a side.

    \b
      battlecalc waves "5 inf, 1 art" --wave "4 inf, 1 art; retreat=round >= 2" --wave "5 inf"
      battlecalc waves -r aa-1942 "3 inf, 1 tank" --wave "4 inf, 2 tank; keep_land=1" --counter "3 inf"
      battlecalc waves -r aa-1942-2e --sequence naval "1 bb, 1 dd" --wave "2 sub" --wave "2 ftr, 1 cv"
    """
    import battlecalc
    from battlecalc.cli.asking import fields_of, rules_of, side_of

    common = fields_of("attacker", given)
    attackers = [read_side(text, common) for text in given["forces"]]
    counter = read_side(given["counter"], {}) if given["counter"] is not None else None
    enemy = side_of("defender", defender, given)
    first = battlecalc.Battle(given["ruleset"], given["sequence"], attackers[0], enemy, **rules_of(given))
    run = asked_of(given)
    if given["most_forces"] is not None:
        run["most_forces"] = given["most_forces"]
    result = battlecalc.campaign([first, *attackers[1:]], counter=counter, mended=given["mended"], **run)
    click.echo(json.dumps(result.to_dict(), indent=2) if given["as_json"] else result.summary())


def read_side(text: str, common: dict[str, Any]) -> Side:
    """Read a force with fields of its side after it.

    >>> read_side("6 inf; retreat=round >= 3; keep_land=1", {})
    Side('6 inf', keep_land=1, retreat='round >= 3')
    """
    from battlecalc import Side
    from battlecalc.errors import BattleError, nearest

    force, *parts = text.split(";")
    given = dict(common)
    known = [field.name for field in fields(Side) if field.name != "force"]
    for part in parts:
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals or not value:
            raise BattleError(f"{part.strip()!r} is not of the form FIELD=VALUE, such as retreat=round >= 3")
        if name not in known:
            raise BattleError(f"a side has no {name!r}; {nearest(name, known)}")
        number = plain_number(value) if name == "keep_land" else None
        given[name] = value if number is None else number
    return Side(force.strip(), **given)
