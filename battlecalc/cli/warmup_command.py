"""``battlecalc warmup``: compile both engines before the first battle needs them."""

from __future__ import annotations

import time

import click

from battlecalc.cli.options import SectionedCommand

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
    for retreat in ("never", "ratio <= 0.5"):  # battles side by side, and those that are too varied for it
        attacker = battlecalc.Side("2 infantry", retreat=retreat)
        battlecalc.simulate("great-war", "land", attacker, "2 infantry", trials=10_000, seed=0)
    battlecalc.solve("great-war", "land", LARGE, LARGE)
    click.echo(f"ready in {time.perf_counter() - start:.1f} s")
