"""Battles and numbers as words of the command line: what makes no sense ends in one line, whatever it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from battlecalc.cli.types import literal

MANY_DIGITS = "9" * 5000


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--sea-defender", "1 submarine"),
        ("--sea-attacker", "1 destroyer"),
        ("--sea-attacker-losses", "destroyer"),
        ("--sea-defender-retreat", "round >= 2"),
        ("--defender-keep-land", "1"),
        ("--overland", "1 infantry"),
    ],
)
def test_a_battle_file_says_what_its_battle_is(flag: str, value: str, run, tmp_path: Path) -> None:
    file = tmp_path / "battle.toml"
    file.write_text('sequence = "land"\nattacker = "3 inf"\ndefender = "2 inf"\n', encoding="utf-8")
    for command in (("advise",), ("sweep", "--vary", "attacker.infantry=1..2")):
        result = run(*command, str(file), flag, value)
        assert (result.exit_code, result.stdout) == (2, ""), result.stdout
        assert f"{flag}: what a battle is stands in its file" in result.stderr


def test_what_a_battle_file_says_of_the_run_is_passed_over_with_a_note(run, tmp_path: Path) -> None:
    file = tmp_path / "battle.toml"
    battle = 'sequence = "land"\nattacker = "3 inf"\ndefender = "2 inf"\n'
    file.write_text(battle, encoding="utf-8")
    assert run("advise", str(file)).stderr == ""
    file.write_text("seed = 7\ntrials = 100\n" + battle, encoding="utf-8")
    result = run("advise", str(file))
    assert result.exit_code == 0
    assert result.stderr == f"note: trials, seed in {str(file)!r}: passed over, for the command line to say\n"


@pytest.mark.parametrize("text", ["inf", "-inf", "Infinity", "nan", "1e999", MANY_DIGITS])
def test_a_word_that_reads_like_no_finite_number_stays_a_word(text: str) -> None:
    assert literal(text) == text


def test_infantry_by_its_short_name_is_varied(run) -> None:
    result = run("sweep", "2 inf, 1 art", "2 inf", "--vary", "attacker.loss_order=inf;art", "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["rows"]
    assert [row["attacker.loss_order"] for row in rows] == ["inf", "art"]
    assert rows[0]["swing"] > rows[1]["swing"]


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("sweep", "2 inf", "2 inf", "--vary", "attacker.infantry=0..²"), "'0..²' is not a range such as"),
        (("sweep", "2 inf", "2 inf", "--vary", f"attacker.infantry=0..{MANY_DIGITS}"), "is not a range"),
        (("sweep", "2 inf", "2 inf", "--vary", "attacker.infantry=0..9..1..1"), "is not a range"),
        (("sweep", "2 inf", "2 inf", "--vary", "attacker.infantry=..9"), "is not a range"),
        (("sweep", "2 inf", "2 inf", "--vary", "attacker.infantry=0..9..0"), "is an empty range"),
        (
            ("sweep", "2 inf", "2 inf", "--vary", "territory=0..999999999999"),
            "has 1,000,000,000,000 values, more than 1,000,000",
        ),
        (("require", "2 art", "2 inf", "--from", "inf:0..²"), "'inf:0..²' is not of the form"),
        (("require", "2 art", "2 inf", "--from", f"inf:0..{MANY_DIGITS}"), "is not of the form"),
        (("land", "2 inf", "2 inf", "--seed", MANY_DIGITS), "is not a whole number"),
        (("land", "2 inf", "2 inf", "--seed", f"{MANY_DIGITS}e1"), "is not a whole number"),
        (("land", "2 inf", "2 inf", "--seed", "9" * 90), "is not from 0 to"),
        (("land", "2 inf", "2 inf", "--precision", MANY_DIGITS), "is not a share"),
        (("land", "2 inf", "2 inf", "--option", MANY_DIGITS), "is not of the form"),
        (("waves", "2 inf", "--wave", "2 inf; keep_land=²"), "keep_land must be a whole number, not '²'"),
        (("waves", "2 inf", "--wave", f"2 inf; keep_land={MANY_DIGITS}"), "keep_land must be a whole number"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_numbers_that_are_none(args: tuple[str, ...], text: str, run) -> None:
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, ""), result.exception
    assert text in result.stderr
    assert len(result.stderr) < 300
    assert result.stderr.count("\n") == 1
