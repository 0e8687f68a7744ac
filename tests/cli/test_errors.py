"""Wrong input: exit status 2, one helpful line on standard error, nothing on standard output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from battlecalc.errors import BattlecalcError, StateSpaceError

LAND = ("land", "6 inf, 2 art", "5 inf")
WRONG = [
    (("lnad", "6 inf", "5 inf"), "did you mean land?"),
    (("6 inf", "5 inf"), 'battlecalc land "6 inf" "5 inf"'),
    (("land", "6 inf"), "missing argument 'DEFENDER'"),
    (("land", "6 inf", "5 inf", "4 inf"), "4 inf"),
    ((*LAND, "--sed", "3"), "--seed"),
    ((*LAND, "--seed", "abc"), "'abc' is not a whole number"),
    ((*LAND, "--seed", "-1"), "from 0 to"),
    ((*LAND, "-n", "-5"), "from 1 to 1e12"),
    ((*LAND, "-n", "1e13"), "from 1 to 1e12"),
    ((*LAND, "-n", "1.5"), "not a whole number"),
    ((*LAND, "--method", "guess"), "exact"),
    ((*LAND, "--precision", "200%"), "not a share such as 0.1%"),
    ((*LAND, "--option", "mines"), "NAME=VALUE"),
    ((*LAND, "--set", "tank=5="), "tank"),
    ((*LAND, "--plot", "odds.gif"), ".png, .svg, .pdf"),
    ((*LAND, "--csv", "no/such/odds.csv"), "there is no directory 'no/such'"),
    ((*LAND, "--save", "."), "is a directory"),
    ((*LAND, "--territory", "rich"), "rich"),
    ((*LAND, "--ruleset", "great-wra"), "great-war"),
    ((*LAND, "--ruleset", "no/such.toml"), "no/such.toml"),
    (("land", "6 tnak", "5 inf"), "did you mean 'tank'"),
    (("land", "-3 inf", "5 inf"), "no count is negative"),
    (("land", "6 inf", "-"), "nothing to attack"),
    (("land", "1_000_000 inf", "5 inf"), "at most 10,000"),
    ((*LAND, "--attacker-retreat", "when it rains"), "rains"),
    ((*LAND, "--attacker-losses", "inf, zeppelins of doom"), "doom"),
    ((*LAND, "--dice", "loaded"), "loaded"),
    ((*LAND, "--attacker-tech", "time travel"), "time travel"),
    ((*LAND, "--attacker-damaged", "1 infantry"), "infantry"),
    ((*LAND, "--option", "weather=fine"), "weather"),
    ((*LAND, "--set", "tank.price=5"), "price"),
    (("invasion", *LAND[1:], "--sea-attacker-retreat", "never"), "--sea-attacker"),
    (("run", "no-such-file.toml"), "no-such-file.toml"),
    (("batch", "no-such-file.jsonl"), "no-such-file.jsonl"),
    (("hits", "6 tnak"), "did you mean 'tank'"),
    (("hits",), "missing argument 'FORCE'"),
]


@pytest.mark.parametrize(
    ("args", "text"), WRONG, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_one_line(args: tuple[str, ...], text: str, run) -> None:
    result = run(*args)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert text in result.stderr


@pytest.mark.parametrize(
    "content", [b"\x00\xff\xfe\x80garbage", b"ruleset = ", b"", b"[attacker]\nforce = 5\n"]
)
def test_a_file_that_is_no_battle(
    content: bytes, run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.toml").write_bytes(content)
    result = run("run", "bad.toml")
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "bad.toml" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (StateSpaceError("too large"), "error: too large\n"),
        (BattlecalcError("two\nlines"), "error: two lines\n"),
        (PermissionError(13, "Permission denied", "x.toml"), "error: 'x.toml': permission denied\n"),
        (OSError(28, "No space left on device"), "error: no space left on device\n"),
    ],
)
def test_errors_of_the_library(error: Exception, line: str, run, asked) -> None:
    asked.trouble = error
    result = run(*LAND, "--json")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", line)


def test_a_slip_of_ours_is_not_hidden(run, asked) -> None:
    asked.trouble = ZeroDivisionError("oh")
    assert isinstance(run(*LAND).exception, ZeroDivisionError)


class Stopped(KeyboardInterrupt):
    """An interruption that knows how far it got."""

    done, total = 250_000, 1_000_000


@pytest.mark.parametrize(
    ("error", "line"),
    [(Stopped(), "stopped after 250,000 of 1,000,000 trials\n"), (KeyboardInterrupt(), "interrupted\n")],
)
def test_an_interruption(error: KeyboardInterrupt, line: str, run, asked) -> None:
    asked.trouble = error
    result = run(*LAND)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", line)


def command(*args: str, **kwargs: object) -> subprocess.Popen[bytes]:
    """Start the command as a process of its own."""
    pipe = subprocess.PIPE
    line = [sys.executable, "-m", "battlecalc", *args]
    return subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, **kwargs)  # type: ignore[call-overload,no-any-return]


def test_a_reader_that_leaves_early() -> None:
    with command("batch") as process:
        assert process.stdout and process.stdin and process.stderr
        process.stdout.close()
        process.stdin.write(b"7\n" * 3)
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.usefixtures("terminal")
def test_ctrl_c_while_waiting() -> None:
    with command("batch") as process:
        assert process.stdout and process.stdin and process.stderr
        process.stdin.write(b"7\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b"interrupted\n"
    assert process.returncode == 130


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
@pytest.mark.parametrize("args", [("--help",), ("batch",)])
def test_a_full_disk(args: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        line = [sys.executable, "-m", "battlecalc", *args]
        done = subprocess.run(line, input=b"7\n", stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"error: no space left on device\n")


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
def test_a_closed_output() -> None:
    done = subprocess.run(
        f"'{sys.executable}' -m battlecalc batch >&-",
        shell=True,
        input=b"7\n",
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_ascii_terminal() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with command("land", "--help", env=environment) as process:
        out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert b"--precision" in out
