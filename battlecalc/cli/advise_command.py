"""``battlecalc advise``: what a side should do in a battle."""

from __future__ import annotations

import json
from typing import Any

import click

from battlecalc.cli.answer import asked_of
from battlecalc.cli.any_battle import battle_argument, read_words
from battlecalc.cli.options import (
    SectionedCommand,
    battle_options,
    find_options,
    json_option,
    option,
    side_option,
)


@click.command(cls=SectionedCommand)
@battle_argument
@side_option("Question", "Who asks.")
@option("--orders", is_flag=True, section="Question", help="Show the orders of loss that were tried, too.")
@battle_options("invasion")
@find_options("plan")
@json_option
def advise(words: tuple[str, ...], **given: Any) -> None:
    r"""Rank what one side can do in a battle, and say its best decisions.

    BATTLE is ATTACKER DEFENDER (on land), SEQUENCE ATTACKER DEFENDER, or a file of a battle. Compared are
    fighting to the end, leaving after rounds 1 to 3, contesting, submerging, the best decisions, the best
    order of loss and a land unit kept for last, by the side's objective: --attacker-objective. "worst tenth"
    is the mean swing of the worst 10 % of all battles.

    \b
      battlecalc advise "6 inf, 2 art, 1 ftr" "5 inf, 1 art" --territory 4
      battlecalc advise -r aa-1942 naval "1 ftr, 1 bmb" "1 bb, 1 trn"
      battlecalc advise "6 inf, 2 art" "5 inf, 1 art" --side defender --defender-objective win
    """
    import battlecalc

    battle = read_words(words, given)
    advice = battlecalc.advise(battle, given["side"], **asked_of(given))
    orders = battlecalc.best_order(battle, given["side"]) if given["orders"] else None
    if given["as_json"]:
        document = advice.to_dict()
        if orders is not None:
            document["orders"] = [{"loss_order": order, "value": value} for order, value in orders.orders]
        click.echo(json.dumps(document, indent=2))
        return
    click.echo(advice.summary())
    if orders is not None:
        click.echo(f"\nOrders of loss ({orders.sure})")
        for order, value in orders.orders[:12]:
            click.echo(f"  {value:+.3f}  {order}")
