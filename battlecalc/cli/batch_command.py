"""``battlecalc batch``: many battles for tools in other languages, one JSON object a line in and out."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, NoReturn

import click

from battlecalc.cli.answer import asked_of, find
from battlecalc.cli.options import SectionedCommand, run_options
from battlecalc.errors import BattlecalcError, BattleError
from battlecalc.keywords import RUN_KEYWORDS


@click.command(cls=SectionedCommand)
@click.argument("file", type=click.File("rb"), default="-")
@run_options
def batch(file: BinaryIO, **given: Any) -> None:
    r"""Odds of many battles: JSON lines in, JSON lines out.

    Each line of FILE (or of standard input) is an object with ruleset, sequence, attacker and defender, and
    whatever else a battle file may hold. method, trials, seed and precision may stand in the line too; an id
    comes back with the answer. Each answer is written as soon as it is known. A line that makes no sense gets
    {"error": ..., "line": number}, and the next one is read.

    \b
      battlecalc batch --method auto < battles.jsonl > odds.jsonl

    \b
    One line of battles.jsonl, broken here:
      {"ruleset": "great-war", "sequence": "land", "attacker": "6 inf",
       "defender": {"force": "5 inf", "retreat": "round >= 3"}, "id": 1}
    """
    for number, line in enumerate(file, start=1):
        if line.strip():
            click.echo(json.dumps(answer_line(line, number, given)))


def answer_line(line: bytes, number: int, given: dict[str, Any]) -> dict[str, Any]:
    """Answer to one line, or its error."""
    reply: dict[str, Any] = {}
    try:
        question = read(line)
        if "id" in question:
            reply["id"] = question.pop("id")
        return reply | odds_of(question, given)
    except BattlecalcError as error:
        trouble = str(error)
    except Exception as error:  # a slip of ours in one line must not cost the thousands after it
        trouble = f"internal error: {type(error).__name__}: {error}"
    return reply | {"error": trouble, "line": number}


def read(line: bytes) -> dict[str, Any]:
    """Object in a line."""
    try:
        question = json.loads(line.decode("utf-8-sig"), parse_constant=no_number)
    except UnicodeDecodeError as error:
        raise BattleError("the line is not UTF-8 text") from error
    except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
        raise BattleError(f"the line is not JSON: {error}") from error
    if not isinstance(question, dict):
        raise BattleError(f"a line should be an object with an attacker and a defender, not {question!r:.60}")
    return question


def no_number(word: str) -> NoReturn:
    """Refuse what Python reads as a number and JSON does not have: NaN and Infinity."""
    raise ValueError(f"{word} is no number there")


def odds_of(question: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Odds of one question; what it does not say about the run comes from the command line."""
    from battlecalc.battlefile import battle_from_mapping

    run = asked_of(given) | {name: question.pop(name) for name in RUN_KEYWORDS if name in question}
    return find(battle_from_mapping(question), run).to_dict()
