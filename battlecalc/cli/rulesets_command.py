"""``battlecalc rulesets`` and ``battlecalc units``: what the rules say, and files of your own."""

from __future__ import annotations

import json
from pathlib import Path

import click

from battlecalc.cli.options import json_option
from battlecalc.columns import columns
from battlecalc.rulesets import load_ruleset, ruleset_ids
from battlecalc.rulesets.describe import HEADER, ruleset_document, ruleset_lines, unit_rows, units_document


@click.group(invoke_without_command=True, subcommand_metavar="[COMMAND] [ARGS]...")
@click.pass_context
def rulesets(context: click.Context) -> None:
    r"""Show the rulesets and what each can do.

    \b
      battlecalc rulesets
      battlecalc rulesets show aa-1942
      battlecalc rulesets check house.toml
    """
    if context.invoked_subcommand is None:
        context.invoke(list_rulesets)


@rulesets.command("list")
@json_option
def list_rulesets(as_json: bool = False) -> None:
    """Ids and names of the rulesets that come with battlecalc."""
    known = [load_ruleset(name) for name in ruleset_ids()]
    if as_json:
        click.echo(json.dumps([ruleset_document(ruleset) for ruleset in known], indent=2))
        return
    rows = [(ruleset.id, f"{ruleset.name} ({', '.join(ruleset.sequences)})") for ruleset in known]
    click.echo("\n".join(columns(rows, left=(0, 1))))
    click.echo("\nbattlecalc rulesets show ID lists options and technologies, battlecalc units ID the units.")


@rulesets.command()
@click.argument("ruleset")
@json_option
def show(ruleset: str, as_json: bool) -> None:
    """Sequences, options and technologies of RULESET (an id or a file)."""
    rules = load_ruleset(ruleset)
    click.echo(json.dumps(ruleset_document(rules), indent=2) if as_json else "\n".join(ruleset_lines(rules)))


@rulesets.command()
@click.argument("file")
def check(file: str) -> None:
    """Check the ruleset FILE, under each of its options and technologies too."""
    rules = load_ruleset(file)
    rules.check()
    sequences = ", ".join(rules.sequences) or "none"
    click.echo(f"{file}: good: {rules.id}, {rules.name}: {len(rules.units)} units, sequences {sequences}")


@rulesets.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write here, not to standard output.",
)
def import_(file: Path, output: Path | None) -> None:
    r"""Read the game XML FILE of a TripleA map and write a ruleset of it.

    Units, values, costs, hits and the properties that change a battle are read; comments at the top of the
    result say what could not be translated.

    \b
      battlecalc rulesets import World_War_II.xml -o ww2.toml
    """
    from battlecalc.rulesets.triplea import import_game

    text = import_game(file)
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {str(output)!r}: {error.strerror}") from error
    click.echo(f"{output}: written", err=True)


@click.command()
@click.argument("ruleset")
@json_option
def units(ruleset: str, as_json: bool) -> None:
    r"""Show the units of RULESET (an id or a file) with their values.

    \b
      battlecalc units aa-1942-2e
      battlecalc units great-war --json
    """
    rules = load_ruleset(ruleset)
    if as_json:
        click.echo(json.dumps(units_document(rules), indent=2))
        return
    rows = [HEADER, *unit_rows(rules)]
    click.echo("\n".join(columns(rows, left=range(len(HEADER)))))
    if any("*" in cell for row in rows[1:] for cell in row):
        click.echo("\n* assumed: no rulebook prints it")
