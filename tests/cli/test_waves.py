"""``waves`` with each of the options of its run."""

from __future__ import annotations

import json

import pytest

WAVES = ("waves", "3 inf", "--wave", "3 inf", "--wave", "2 inf")


@pytest.mark.parametrize(
    "options",
    [("--trials", "2000"), ("-n", "2e3", "--most-forces", "50"), ("-n", "2000", "--method", "auto")],
)
def test_trials_are_taken_once(options: tuple[str, ...], run) -> None:
    result = run(*WAVES, "--seed", "1", "--json", *options)
    assert (result.exit_code, result.stderr) == (0, ""), result.exception
    assert len(json.loads(result.stdout)["attacks"]) == 2


def test_so_many_trials_are_simulated(run) -> None:
    result = run(*WAVES, "--method", "monte-carlo", "--seed", "1", "--trials", "2000", "--json")
    assert result.exit_code == 0, result.exception
    assert json.loads(result.stdout)["trials"] == 2000
