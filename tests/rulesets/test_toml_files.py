"""The reader of TOML files, behind each of its users, and the writer of values."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from battlecalc.battlefile import read_battle
from battlecalc.errors import BattleError, RulesetError
from battlecalc.mapping import MapError, movement, read_map
from battlecalc.rulesets import load_ruleset
from battlecalc.toml_files import toml_value

MOVEMENT = files("battlecalc.mapping") / "data" / "movement-aa-1942.toml"
GOOD = {
    load_ruleset: 'extends = "aa-1942"',
    read_battle: 'sequence = "land"\nattacker = "3 inf"\ndefender = "2 inf"',
    read_map: 'ruleset = "aa-1942"\n[powers.uk]\n[spaces.kent]\nkind = "land"\nowner = "uk"',
    movement: MOVEMENT.read_text(encoding="utf-8"),
}
ERRORS = {load_ruleset: RulesetError, read_battle: BattleError, read_map: MapError, movement: MapError}

Read = Callable[[str], Any]
every_reader = pytest.mark.parametrize("read", GOOD, ids=lambda read: read.__name__)


@every_reader
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_good_files_with_and_without_a_byte_order_mark(read: Read, mark: str, tmp_path: Path) -> None:
    path = tmp_path / "good.toml"
    path.write_text(mark + GOOD[read], encoding="utf-8")
    assert read(str(path)) is not None


@every_reader
@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("é".encode("latin-1"), "is not UTF-8 text"),
        ("a = 1".encode("utf-16"), "is not UTF-8 text"),
        (b"a = ", "is not TOML"),
        (b"a = 1979-99-99", "is not TOML"),
        (b"a = " + b"9" * 5000, "is not TOML"),
        (b"a = " + b"[" * 60_000, "lists too deep|is not TOML"),
        (b"#" * 10_000_001, r"too large: a [a-z ]+ has at most 10*,000(,000)? bytes"),
    ],
    ids=["latin-1", "utf-16", "half", "date", "digits", "nested", "large"],
)
def test_bad_files(read: Read, content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_bytes(content)
    with pytest.raises(ERRORS[read], match=rf"odd\.toml: .*({says})") as caught:
        read(str(path))
    assert "\n" not in str(caught.value)


@every_reader
@pytest.mark.parametrize("path", ["nowhere.toml", "a\0b.toml", "folder.toml"])
def test_paths_that_lead_to_no_file(
    read: Read, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder.toml").mkdir()
    with pytest.raises(ERRORS[read]) as caught:
        read(path)
    assert str(caught.value).isprintable()


def test_values_are_read_back() -> None:
    values = {
        "text": 'a "quoted"\n\t\x7f\x01 line é',
        "numbers": [1, -2.5, float("inf"), 10**30],
        "flags": [True, False],
        "table": {"a b": {"": []}},
    }
    assert tomllib.loads(f"found = {toml_value(values)}")["found"] == values
    assert toml_value((np.float64(1.5), np.float64(2))) == "[1.5, 2.0]"
    with pytest.raises(TypeError, match="no form of NoneType"):
        toml_value([None])
