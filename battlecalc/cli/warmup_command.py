"""``battlecalc warmup``: compile the simulator before the first battle needs it."""

from __future__ import annotations

import time

import click

from battlecalc.cli.options import SectionedCommand


@click.command(cls=SectionedCommand)
def warmup() -> None:
    r"""Compile the simulator now, once per machine.

    The first simulation on a machine compiles the simulator, which takes some seconds; later ones load the
    compiled code. Useful when an image or a server is set up.

    \b
      battlecalc warmup
    """
    import battlecalc

    start = time.perf_counter()
    battlecalc.simulate("great-war", "land", "2 infantry", "2 infantry", trials=10_000, seed=0)
    click.echo(f"ready in {time.perf_counter() - start:.1f} s")
