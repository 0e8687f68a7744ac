"""``battlecalc warmup``: compile both engines before the first battle needs them."""

from __future__ import annotations

import time

import click

from battlecalc.cli.options import SectionedCommand

SIMULATED = (
    ("land", "2 infantry", "2 infantry"),
    ("naval", "1 submarine, 1 destroyer, 1 fighter", "1 submarine, 1 destroyer, 1 fighter, 1 carrier"),
    ("naval", "1 submarine, 1 fighter", "1 submarine, 1 destroyer, 1 fighter, 1 carrier"),
)
"""Battles side by side, those whose steps have parts, and those that are too varied for it."""
LARGE = "80 infantry, 20 artillery"
"""A force of which an exact answer needs compiled code."""


@click.command(cls=SectionedCommand)
def warmup() -> None:
    r"""Compile the engines now, once per machine.

    The first simulation and the first large exact answer on a machine compile their engine, which takes some
    seconds; later ones load the compiled code. Useful when an image or a server is set up.

    \b
      battlecalc warmup
    """
    import battlecalc

    start = time.perf_counter()
    for battle in SIMULATED:
        battlecalc.simulate("aa-1942-2e", *battle, trials=10_000, seed=0)
    battlecalc.solve("great-war", "land", LARGE, LARGE)
    click.echo(f"ready in {time.perf_counter() - start:.1f} s")
