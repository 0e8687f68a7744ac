"""Whatever stands in a text or a file, there is an answer or one line of error: soon, in little memory."""

from __future__ import annotations

import copy
import json
import random
import time
import tomllib
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import battlecalc as bc
from battlecalc.battlefile import read_battle
from battlecalc.cli.batch_command import answer_line
from battlecalc.errors import BattlecalcError
from battlecalc.mapping import muster, read_map
from battlecalc.mapping.rules import movement
from battlecalc.rulesets import load_ruleset
from battlecalc.rulesets.triplea import import_game
from tests.hard import EXAMPLES

TESTS, PACKAGE = Path(__file__).parent.parent, Path(bc.__file__).parent
# A second on a machine that does nothing else; watching the memory takes ten times as long.
SECONDS, BYTES, LETTERS = 4.0 if EXAMPLES == 1 else 20.0, 200_000_000, 20_000


def fuzz(examples: int) -> Any:
    """Return the settings of a test with so many examples, or as many times more as are asked for."""
    return settings(
        derandomize=True,
        deadline=None,
        max_examples=examples * EXAMPLES,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )


@contextmanager
def refused_or_fine() -> Iterator[None]:
    """Let through what succeeds, and errors of one line that are not longer than they need be."""
    began = time.process_time()
    try:
        yield
    except BattlecalcError as error:
        assert str(error).isprintable(), str(error)[:500]
        assert len(str(error)) < LETTERS
    assert time.process_time() - began < SECONDS


# ---------------------------------------------------------------------- texts

WORDS = (
    "inf",
    "infantry",
    "tank",
    "ftr",
    "bb",
    "sub",
    "transport",
    "6",
    "0",
    "-1",
    "10000",
    "10001",
    "9" * 30,
)
SIGNS = (*", ;:+x*>()[]=\n\t\0½", "\u0663", "²", ", ")
LOGIC = ("round", "units", "value", "odds", "land", ">=", "<", "==", "and", "or", "not", "never", "best")
ODD = ("\ud800", "\u202e", "İ", "nan", "inf", "1e400", "0x10", "1_0", "e", ".", "%", "{", "}", "'", '"', "\\")
PARTS = st.sampled_from((*WORDS, *SIGNS, *LOGIC, *ODD)) | st.text(max_size=3)
TEXTS = st.lists(PARTS, max_size=12).map("".join)
LINE: dict[str, Any] = {
    "ruleset": "aa-1942",
    "sequence": "land",
    "attacker": "3 inf, 1 tank",
    "defender": "2 inf",
}
RULES = st.sampled_from(("great-war", "aa-1942", "aa-classic"))
LONG_TEXTS = {
    "commas": "," * 1_000_000,
    "parts": "1 inf," * 200_000,
    "parentheses": "(" * 100_000 + "round >= 1" + ")" * 100_000,
    "ands": "round >= 1" + " and round >= 1" * 100_000,
    "digits": "9" * 1_000_000 + " inf",
    "units": ", ".join(f"1 {'abcdefgh'[n % 8]}{n}" for n in range(50_000)),
    "word": "infantry" * 100_000,
    "spaces": "1" + " " * 1_000_000 + "inf",
    "arrows": "inf>" * 250_000,
}
FIELDS = ("loss_order", "retreat", "submerge", "contest", "technologies", "keep_land", "objective", "damaged")
KEYWORDS = ("sequence", "dice", "rounds", "territory", "options", "changes", "ruleset", "overland")


def asked(ruleset: str, force: str, fields: dict[str, Any], sequence: str = "land") -> None:
    """Ask for a battle, and for its answer where it is one and small."""
    with refused_or_fine():
        battle = bc.Battle(ruleset, sequence, bc.Side(force, **fields), "2 inf")
        bc.solve(battle, max_states=2000)


@fuzz(150)
@given(RULES, TEXTS)
def test_forces(ruleset: str, text: str) -> None:
    asked(ruleset, text, {})


@fuzz(200)
@given(RULES, st.sampled_from(FIELDS), TEXTS)
def test_fields_of_a_side(ruleset: str, field: str, text: str) -> None:
    """Conditions, orders of loss, technologies."""
    asked(ruleset, "2 inf, 1 tank", {field: text})


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_long_texts(name: str) -> None:
    text = LONG_TEXTS[name]
    with bounded():
        asked("aa-1942", text, {})
        for field in FIELDS:
            asked("aa-1942", "2 inf", {field: text})
        for keyword in KEYWORDS:
            with refused_or_fine():
                bc.Battle(**LINE | {keyword: text})


@contextmanager
def bounded() -> Iterator[None]:
    """Watch the memory, where that may take its time."""
    if EXAMPLES == 1:
        yield
        return
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < BYTES
    finally:
        tracemalloc.stop()


# ---------------------------------------------------------------------- files

BATTLE = """
ruleset = "aa-1942-2e"
sequence = "invasion"
rounds = 4
territory = 3
dice = {battle = "low-luck"}
sea_attacker = "2 destroyer, 1 submarine"
sea_defender = "1 submarine"
method = "exact"
trials = 1000

[attacker]
force = "3 infantry, 1 tank, 1 fighter, 1 battleship, 2 transport"
retreat = "round >= 3 and units < 4"
loss_order = ["infantry", "tank", "fighter"]
keep_land = 1

[defender]
force = {infantry = 4, aa_gun = 1}

[changes]
"tank.cost" = 5
"""


def read_and_solve(path: str) -> None:
    """Read a battle file, and answer it where it is small."""
    bc.solve(read_battle(path)[0], max_states=3000)


def read_and_use(path: str) -> None:
    """Read a ruleset, and fight with the first units that can."""
    rules = load_ruleset(path)
    for name, sequence in rules.sequences.items():
        sides = [sorted(takes, key=lambda unit: (unit != "infantry", unit))[:3] for takes in sequence.takes]
        bc.solve(rules, name, *(dict.fromkeys(units, 1) for units in sides), max_states=3000)


def read_and_muster(path: str) -> None:
    """Read a map, and ask who can be in a battle for each of its spaces."""
    board = read_map(path)
    for space in board.spaces:
        for power in board.powers:
            try:
                muster(board, space, power)
            except BattlecalcError:
                continue


SOURCES: dict[str, tuple[Path | str, Callable[[str], object]]] = {
    "early.xml": (TESTS / "data" / "triplea" / "early.xml", import_game),
    "late.xml": (TESTS / "data" / "triplea" / "late.xml", import_game),
    "map.toml": (PACKAGE / "mapping" / "data" / "map-western-europe.toml", read_and_muster),
    "channel.toml": (PACKAGE / "mapping" / "data" / "map-channel-and-straits.toml", read_and_muster),
    "movement.toml": (PACKAGE / "mapping" / "data" / "movement-great-war.toml", movement),
    "land.toml": (PACKAGE / "rulesets" / "data" / "aa-1942.toml", read_and_use),
    "great.toml": (PACKAGE / "rulesets" / "data" / "great-war.toml", read_and_use),
    "battle.toml": (BATTLE, read_and_solve),
}
SPLINTERS = (b"9" * 40, b"-1", b"nan", b"inf", b'"', b"<", b"&a;", b"[[", b"\xed\xa0\x80", b"1e400", b"0.5")
VALUES: tuple[Any, ...] = (
    *(
        None,
        0,
        1,
        -1,
        2**70,
        10**4400,
        0.5,
        -0.0,
        float("nan"),
        float("inf"),
        True,
        "",
        "all",
        "tank",
        "\x00",
    ),
    *("9" * 500, "1-2", [], {}, [1], ["tank"], [[]], {"a": 1}, [{}], {"side": "both"}, "attacker", "land"),
    *({"infantry": 2}, "../x.toml", "round >= 2", "\u2028", "great-war", ["all", "all"], 10_001, 1e300),
)


def spoilt(text: bytes, dice: random.Random) -> bytes:
    """Spoil a file: bytes changed, parts lost, doubled or exchanged."""
    data = bytearray(text)
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        start = dice.randrange(len(data) or 1)
        end = min(len(data), start + dice.choice((1, 1, 4, 40, 400)))
        how = dice.randrange(5)
        if how == 0:
            data[start:end] = bytes(dice.randrange(256) for _ in range(end - start))
        elif how == 1:
            del data[start:end]
        elif how == 2:
            data[start:start] = data[start:end]
        elif how == 3:
            data[start:end] = dice.choice(SPLINTERS)
        else:
            other = dice.randrange(len(data) or 1)
            data[start:end] = data[other : other + end - start]
    return bytes(data)


def places(table: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a nested table."""
    items = table.items() if isinstance(table, dict) else enumerate(table) if isinstance(table, list) else ()
    return [place for key, value in items for place in ((*path, key), *places(value, (*path, key)))]


def changed(text: bytes, dice: random.Random) -> bytes:
    """Change the values of a TOML file, which stays one."""
    table = tomllib.loads(text.decode())
    for _ in range(dice.choice((1, 1, 2, 3))):
        found = places(table)
        path, source = dice.choice(found), dice.choice(found)
        inner: Any = table
        for key in path[:-1]:
            inner = inner[key]
        value = dice.choice(VALUES)
        if dice.random() < 0.3:  # something that stands elsewhere in the file
            value = table
            for key in source:
                value = value[key]
        value = copy.deepcopy(value)
        if value is None or (isinstance(inner, list) and dice.random() < 0.2):
            del inner[path[-1]]
        elif isinstance(inner, dict) and dice.random() < 0.2:
            inner[dice.choice((path[-1] + "x", str(source[-1]), "like", "extends", "default"))] = value
        else:
            inner[path[-1]] = value
    return "".join(f"{key_text(key)} = {value_text(value)}\n" for key, value in table.items()).encode()


def key_text(key: str) -> str:
    return json.dumps(key).replace("\x7f", "\\u007f")


def value_text(value: Any) -> str:
    """Value as TOML text."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key_text(k)} = {value_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:#x}" if value >= 10**4000 else str(value)
    return repr(value) if isinstance(value, float) else json.dumps(value)


@pytest.mark.parametrize("name", SOURCES)
def test_spoilt_files(name: str, tmp_path: Path) -> None:
    """Every file is a real one with a few bytes changed, lost, doubled or exchanged."""
    read_spoilt(name, tmp_path, spoilt, 12)


@pytest.mark.parametrize("name", [name for name in SOURCES if name.endswith(".toml")])
def test_changed_files(name: str, tmp_path: Path) -> None:
    """Every file is a real one with some values changed, gone, or put elsewhere."""
    read_spoilt(name, tmp_path, changed, 12)


def read_spoilt(
    name: str, folder: Path, spoil: Callable[[bytes, random.Random], bytes], examples: int
) -> None:
    source, read = SOURCES[name]
    whole = source.encode() if isinstance(source, str) else source.read_bytes()
    for number in range(examples * EXAMPLES):
        content = spoil(whole, random.Random(f"{name} {number}"))
        path = folder / f"{number}-{name}"  # movement rules are read once
        path.write_bytes(content)
        try:
            with refused_or_fine():
                read(str(path))
        except Exception as error:
            error.add_note(f"file {number} of {name}")
            raise


BOMBS: dict[str, tuple[str, bytes]] = {
    "deep XML": ("xml", b"<a>" * 1_000_000),
    "attachments": (
        "xml",
        b"<game>" + b'<attachment name="unitAttachment" attachTo="a"/>' * 200_000 + b"</game>",
    ),
    "units": ("xml", b"<game>" + b"".join(b'<unit name="u%d"/>' % n for n in range(100_000)) + b"</game>"),
    "options": (
        "xml",
        b'<game><attachment name="unitAttachment" attachTo="a">'
        + b'<option name="attack" value="1"/>' * 300_000
        + b"</attachment></game>",
    ),
    "supports": (
        "xml",
        b'<game><unit name="a"/>'
        + b'<attachment name="supportAttachment" attachTo="a"/>' * 100_000
        + b"</game>",
    ),
    "attribute": ("xml", b'<game><unit name="' + b"u" * 5_000_000 + b'"/></game>'),
    "entities": (
        "xml",
        b'<!DOCTYPE g [<!ENTITY a "' + b"a" * 100_000 + b'">]><g>' + b"&a;" * 100_000 + b"</g>",
    ),
    "entities in entities": (
        "xml",
        b'<!DOCTYPE g [<!ENTITY a0 "aaaaaaaaaa">'
        + b"".join(b'<!ENTITY a%d "%s">' % (n + 1, b"&a%d;" % n * 10) for n in range(12))
        + b"]><g>&a12;</g>",
    ),
    "deep lists": ("toml", b"a = " + b"[" * 100_000),
    "deep tables": ("toml", b"a." * 40_000 + b"a = 1"),
    "deep inline tables": ("toml", b"a = {" + b"a = {" * 50_000),
    "keys": ("toml", b"".join(b"k%d = 1\n" % n for n in range(60_000))),
    "units in tables": (
        "toml",
        b"".join(b"[units.u%d]\nattack=1\ndefence=1\n" % n for n in range(20_000)),
    ),
    "few keys": ("toml", b"".join(b"k%d = 1\n" % n for n in range(7_000))),
    "long name": ("toml", b'"' + b"k" * 90_000 + b'" = 1'),
    "long number": ("toml", b"schema = " + b"9" * 90_000),
    "long hexadecimal number": ("toml", b"schema = 0x" + b"9" * 90_000),
    "nan": ("toml", b"sides = nan"),
    "no text": ("toml", b"\xff\xfe\x00" * 1000),
    "too large": ("toml", b"#" * 5_000_000),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name: str, tmp_path: Path) -> None:
    """Files that are made to cost much more than their size."""
    kind, content = BOMBS[name]
    path = tmp_path / f"bomb.{kind}"
    path.write_bytes(content)
    with bounded():
        for read in (import_game,) if kind == "xml" else (load_ruleset, read_map, movement, read_battle):
            with refused_or_fine():
                read(str(path))
                if name not in ("attachments", "units in tables"):  # sense, if not much
                    pytest.fail("it reads")


# ---------------------------------------------------------------------- lines and rows

NAMES = st.sampled_from((*LINE, *KEYWORDS, "seed", "trials", "precision", "method", "id", "threads", "force"))
SIDES: tuple[Any, ...] = ({"force": "2 inf"}, {"inf": 2}, {"force": "2 inf", "retreat": "best"}, "3 inf", ",")
LIKELY = ("never", "best", "naval", "aa-1914", "1e400", "\ud800")
ALMOST = st.sampled_from((*(value for value in VALUES if value != 10**4400), *SIDES, *LIKELY))


def is_answered(line: bytes) -> None:
    began = time.process_time()
    reply = answer_line(line, 1, {"method": "exact", "trials": 100})
    assert time.process_time() - began < SECONDS
    assert "internal error" not in reply.get("error", ""), reply
    assert len(reply.get("error", "")) < LETTERS
    json.dumps(reply)


@fuzz(150)
@given(st.dictionaries(NAMES, ALMOST, max_size=3))
def test_batch_lines(changes: dict[str, Any]) -> None:
    is_answered(json.dumps(LINE | changes).encode("utf-8", "surrogatepass"))


@fuzz(60)
@given(
    st.binary(max_size=60) | st.text(alphabet='{}[]":,0123456789.eE-+ntf \\u', max_size=60).map(str.encode)
)
def test_batch_lines_that_are_none(line: bytes) -> None:
    is_answered(line)


LINES = {
    "list": b"[" * 1_000_000,
    "object": b'{"a":' * 200_000,
    "number": b'{"attacker": ' + b"9" * 1_000_000 + b"}",
    "text": b'"' + b"x" * 10_000_000 + b'"',
    "nan": b'{"attacker": NaN, "id": NaN}',
    "keys": json.dumps(LINE | {f"k{n}": n for n in range(100_000)}).encode(),
    "units": json.dumps(LINE | {"attacker": {f"u{n}": 1 for n in range(100_000)}}).encode(),
}


@pytest.mark.parametrize("name", LINES)
def test_batch_bombs(name: str) -> None:
    is_answered(LINES[name])


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_sweep_files(ending: str, tmp_path: Path) -> None:
    """A file of a sweep that somebody edited or cut: taken up, or refused and left as it was."""
    grid = {"attacker.infantry": [1, 2, 3]}
    battle = bc.Battle("aa-1942", "land", "1 inf, 1 tank", "2 inf")
    path = tmp_path / f"rows.{ending}"
    right = bc.sweep(battle, grid, method="exact", out=path)
    whole = path.read_bytes()
    for number in range(30 * EXAMPLES):
        content = spoilt(whole, random.Random(f"{ending} {number}"))
        path.write_bytes(content)
        try:
            with refused_or_fine():
                again = bc.sweep(battle, grid, method="exact", out=path)
                assert again.columns.equals(right.columns) and len(again) == len(right)
                assert path.read_bytes().endswith(b"\n")
                continue
            assert path.read_bytes() == content
        except Exception as error:
            error.add_note(f"file {number}: {content!r}")
            raise
