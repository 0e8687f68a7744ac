"""``battlecalc batch``: a line in, a line out, whatever the line is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from battlecalc.battlefile import RUN_KEYWORDS
from battlecalc.cli.batch_command import batch

LINE = {
    "ruleset": "great-war",
    "sequence": "land",
    "attacker": "6 inf, 2 art",
    "defender": {"force": "5 inf"},
}


def lines(*objects: Any) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


def replies(result: Any) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_one_line_each_in_order(run, asked) -> None:
    found = replies(run("batch", "--seed", "3", stdin=lines(LINE, LINE | {"method": "exact"})))
    assert [reply["method"] for reply in found] == ["simulate", "solve"]
    assert asked.calls[0][2]["seed"] == 3


def test_a_line_decides_about_itself(run, asked) -> None:
    line = LINE | {"trials": 5000, "seed": 11, "method": "auto", "id": "x"}
    (reply,) = replies(run("batch", "--seed", "3", stdin=lines(line)))
    assert reply["id"] == "x"
    name, _, keywords = asked.calls[0]
    assert name == "odds"
    assert (keywords["trials"], keywords["seed"]) == (5000, 11)


BAD = [
    (b"{", "the line is not JSON"),
    (b"\xff\xfe\x00", "not UTF-8"),
    (b"[1, 2]", "a line should be an object"),
    (b"7", "a line should be an object"),
    (b"[" * 100_000, "the line is not JSON"),
    (json.dumps(LINE | {"attacker": "6 tnak"}).encode(), "tnak"),
    (json.dumps(LINE | {"attacker": 5}).encode(), "5"),
    (json.dumps({"sequence": "land"}).encode(), "attacker"),
    (json.dumps(LINE | {"atacker": "1 inf"}).encode(), "atacker"),
    (json.dumps(LINE | {"method": "guess"}).encode(), "guess"),
    (json.dumps(LINE | {"method": ["exact"]}).encode(), "exact"),
    (b'{"id": ' + b"9" * 5000 + b"}", "the line is not JSON"),
    (b'{"id": NaN}', "the line is not JSON: NaN is no number there"),
    (b'{"territory": -Infinity}', "the line is not JSON: -Infinity is no number there"),
]


@pytest.mark.parametrize(("line", "text"), BAD)
def test_a_bad_line_is_answered_and_the_next_one_read(run, asked, line: bytes, text: str) -> None:
    found = replies(run("batch", stdin=lines(LINE) + line + b"\n\n" + lines(LINE)))
    assert len(found) == 3
    assert found[1]["line"] == 2
    assert text in found[1]["error"]
    assert "internal error" not in found[1]["error"]
    assert found[2]["method"] == "simulate"


def test_an_error_names_the_id(run, asked) -> None:
    (reply,) = replies(run("batch", stdin=lines({"id": 9})))
    assert reply["id"] == 9
    assert "error" in reply


def test_a_slip_of_ours_costs_one_line(run, asked, monkeypatch: pytest.MonkeyPatch) -> None:
    asked.trouble = ZeroDivisionError("oh")
    (reply,) = replies(run("batch", stdin=lines(LINE)))
    assert reply == {"error": "internal error: ZeroDivisionError: oh", "line": 1}


def test_a_file(run, asked, tmp_path) -> None:
    file = tmp_path / "battles.jsonl"
    file.write_bytes("\ufeff".encode() + lines(LINE) * 2)
    assert len(replies(run("batch", str(file)))) == 2


def test_no_input_no_output(run) -> None:
    assert replies(run("batch", stdin=b"\n  \n")) == []


def test_what_a_line_may_decide_are_options_of_the_command() -> None:
    assert set(RUN_KEYWORDS) <= {param.name for param in batch.params}
