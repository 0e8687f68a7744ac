"""From a `Battle` to what the command prints and writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from battlecalc.errors import BattleError, StateSpaceError, nearest
from battlecalc.keywords import METHODS, OF_EXACT, OF_SIMULATION, RUN_KEYWORDS
from battlecalc.progress import Meter, announce_compilation, is_terminal

if TYPE_CHECKING:
    from battlecalc import Battle, Odds


def answer(battle: Battle, given: Mapping[str, Any], kept: Mapping[str, Any] | None = None) -> None:
    """Find the odds, print them and write the files that were asked for.

    `kept` are keywords of the run that came with the battle; what was `given` on the command line goes first.
    """
    run = {**(kept or {}), **asked_of(given)}
    if given["save"]:
        from battlecalc.battlefile import write_battle

        write_battle(battle, given["save"], run)
        said(given["save"])
    odds = find(battle, run)
    if given["as_json"]:
        click.echo(json.dumps(document(odds, given["result"]), indent=2))
    else:
        report(odds)
        say_decisions(odds)
        if "method" not in run:
            offer_exact(battle)
    if given["csv"]:
        odds.outcome_table().to_csv(given["csv"], index=False)
        said(given["csv"])
    if given["plot"]:
        odds.figure().savefig(given["plot"])
        said(given["plot"])
    if given["result"] and not given["as_json"]:
        place = f"this result: {odds.percentile(*given['result'])}"
        click.echo("\n" + fill(place, 80, subsequent_indent="  "))


def asked_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of the run that are given among the options."""
    return {name: given[name] for name in RUN_KEYWORDS if given.get(name) is not None}


def find(battle: Battle, run: Mapping[str, Any]) -> Odds:
    """Odds by the method that was asked for, Monte Carlo where none was."""
    import battlecalc

    run = asked_of(run)
    method = run.get("method", METHODS[0])
    if method not in METHODS:
        raise BattleError(f"unknown method {method!r:.60}; {nearest(str(method)[:60], METHODS)}")
    simulation = {name: run[name] for name in OF_SIMULATION if name in run}
    exact = {name: run[name] for name in OF_EXACT if name in run}
    if method == "exact":
        passed_over(simulation, method)
        return battlecalc.solve(battle, **exact)
    with Meter() as meter:
        progress = meter if meter.drawing else None
        if method == "auto":
            return battlecalc.odds(battle, method="auto", progress=progress, **simulation, **exact)
        passed_over(exact, method)
        announce_compilation()
        return battlecalc.simulate(battle, progress=progress, **simulation)


def passed_over(keywords: Mapping[str, Any], method: str) -> None:
    """Say which options the method does not know."""
    if keywords:
        flags = ", ".join(f"--{name.replace('_', '-')}" for name in keywords)
        click.echo(f"note: {flags}: passed over with --method {method}", err=True)


def document(odds: Odds, result: tuple[str, str] | None) -> dict[str, Any]:
    """JSON document, with the place of `result` where one was given."""
    text = odds.to_dict()
    if result is not None:
        place = odds.percentile(*result)
        text["result"] = asdict(place) | {"percentile": place.percentile}
    return text


def report(odds: Odds) -> None:
    """Print the table: with colour on a terminal, as plain text elsewhere."""
    if is_terminal(sys.stdout) and "utf" in sys.stdout.encoding.lower():
        from battlecalc.cli import terminal

        terminal.show(odds.report())
    else:
        click.echo(odds.summary())


def say_decisions(odds: Odds) -> None:
    """Say the best decisions in words, where a policy was ``best``."""
    if not odds.policies:
        return
    from battlecalc.advising.wording import first_decisions

    for side in odds.policies:
        click.echo(f"\nBest decisions of the {side}")
        for sentence in first_decisions(odds, side):
            click.echo(fill(sentence, 80, initial_indent="  ", subsequent_indent="    "))


def offer_exact(battle: Battle) -> None:
    """Say so where the exact answer would take under a second."""
    from battlecalc.run import exact_seconds

    with suppress(StateSpaceError):
        if exact_seconds(battle) < 1:
            click.echo("\nThe exact odds take under a second here: --method exact")


def said(path: str) -> None:
    """Confirm a file on standard error."""
    click.echo(f"wrote {path}", err=True)
