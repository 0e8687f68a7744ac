"""Values on the command line, read and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from battlecalc.cli.types import Count, OutputFile, Setting, Share


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("1e6", 1_000_000),
        ("1_000_000", 1_000_000),
        ("2.5e3", 2500),
        ("1.50E+2", 150),
        (" 12 ", 12),
        ("12345678901234567", 12345678901234567),
    ],
)
def test_count_reads(text: str, number: int) -> None:
    assert Count(1, 10**18).convert(text, None, None) == number


@pytest.mark.parametrize(
    "text", ["abc", "", "1.5", "1.55e1", "1e999999999", "1e-3", "0x10", "nan", "inf", "1e"]
)
def test_count_refuses(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a whole number such as"):
        Count(0, 10**18).convert(text, None, None)


@pytest.mark.parametrize(("text", "limit"), [("0", "1 to 1e12"), ("-5", "1 to 1e12"), ("2e12", "1 to 1e12")])
def test_count_names_its_limits(text: str, limit: str) -> None:
    with pytest.raises(click.BadParameter, match=f"{text} is not from {limit}"):
        Count(1, 10**12).convert(text, None, None)


def test_share() -> None:
    assert Share().convert("0.1%", None, None) == pytest.approx(0.001)
    assert Share().convert("0.25", None, None) == 0.25


@pytest.mark.parametrize("text", ["0", "1", "100%", "-1%", "x", "nan", "%"])
def test_share_refuses(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"is not a share such as 0\.1% or 0\.001"):
        Share().convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("tank.cost=5", ("tank.cost", 5)),
        ("tank.cost=4.5", ("tank.cost", 4.5)),
        ("mines=yes", ("mines", True)),
        ("mines = off", ("mines", False)),
        ("name=a=b", ("name", "a=b")),
    ],
)
def test_setting(text: str, pair: tuple[str, Any]) -> None:
    value = Setting().convert(text, None, None)
    assert value == pair
    assert type(value[1]) is type(pair[1])


@pytest.mark.parametrize("text", ["tank.cost", "=5", "tank.cost=", ""])
def test_setting_refuses(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is not of the form NAME=VALUE"):
        Setting().convert(text, None, None)


def test_output_file(tmp_path: Path) -> None:
    good = str(tmp_path / "plot.PNG")
    assert OutputFile("png", "svg").convert(good, None, None) == good
    with pytest.raises(click.BadParameter, match=r"should end in \.png, \.svg"):
        OutputFile("png", "svg").convert(str(tmp_path / "plot.gif"), None, None)
    with pytest.raises(click.BadParameter, match="there is no directory"):
        OutputFile().convert(str(tmp_path / "no" / "odds.csv"), None, None)
    with pytest.raises(click.BadParameter, match="is a directory"):
        OutputFile().convert(str(tmp_path), None, None)
