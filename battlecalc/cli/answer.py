"""From a `Battle` to what the command prints and writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from battlecalc.cli.progress import Meter, is_terminal

if TYPE_CHECKING:
    from battlecalc import Battle, Odds

SIMULATION = ("trials", "seed", "precision", "threads")


def answer(battle: Battle, given: Mapping[str, Any]) -> None:
    """Find the odds, print them and write the files that were asked for."""
    if given["save"]:
        save(battle, given["save"])
    odds = find(battle, given)
    if given["as_json"]:
        click.echo(json.dumps(document(odds, given["result"]), indent=2))
    else:
        report(odds)
        if given["method"] == "monte-carlo":
            offer_exact(battle)
    if given["csv"]:
        odds.outcome_table().to_csv(given["csv"], index=False)
        said(given["csv"])
    if given["plot"]:
        odds.figure().savefig(given["plot"])
        said(given["plot"])
    if given["result"] and not given["as_json"]:
        click.echo(f"\n{odds.percentile(*given['result'])}")


def document(odds: Odds, result: tuple[str, str] | None) -> dict[str, Any]:
    """JSON document, with the place of `result` where one was given."""
    text = odds.to_dict()
    if result is not None:
        place = odds.percentile(*result)
        text["result"] = asdict(place) | {"percentile": place.percentile}
    return text


def find(battle: Battle, given: Mapping[str, Any]) -> Odds:
    """Odds by the method that was asked for."""
    import battlecalc

    method = given["method"]
    simulation = {name: given[name] for name in SIMULATION if given.get(name) is not None}
    exact = {"max_states": given["max_states"]} if given.get("max_states") is not None else {}
    if method == "exact":
        if simulation:
            flags = ", ".join(f"--{name}" for name in simulation)
            click.echo(f"note: {flags} has no meaning with --method exact", err=True)
        return battlecalc.solve(battle, **exact)
    with Meter() as meter:
        progress = meter if meter.drawing else None
        if method == "auto":
            return battlecalc.odds(battle, method="auto", progress=progress, **simulation, **exact)
        return battlecalc.simulate(battle, progress=progress, **simulation)


def report(odds: Odds) -> None:
    """Print the table: with colour on a terminal, as plain text elsewhere."""
    if is_terminal(sys.stdout) and "utf" in sys.stdout.encoding.lower():
        from battlecalc.cli import terminal

        terminal.show(odds.report())
    else:
        click.echo(odds.summary())


def offer_exact(battle: Battle) -> None:
    """Say so where the exact answer would take under a second."""
    from battlecalc.run import exact_seconds

    seconds = exact_seconds(battle)
    if seconds is not None and seconds < 1:
        click.echo("\nThe exact odds take under a second here: --method exact")


def save(battle: Battle, path: str) -> None:
    """Write the battle as a file for ``battlecalc run``."""
    from battlecalc.battlefile import save_battle

    save_battle(battle, path)
    said(path)


def said(path: str) -> None:
    """Confirm a file on standard error."""
    click.echo(f"wrote {path}", err=True)
