"""The file of a sweep: rows appended as they come, so that an interrupted sweep goes on where it stopped."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from battlecalc.errors import BattleError
from battlecalc.sweeping.rows import COUNTS, NUMBERS, Row
from battlecalc.sweeping.variables import Label
from battlecalc.words import quote

MARK = "sweep"
SYNC_SECONDS = 0.5
ENDINGS = (".csv", ".jsonl")


class Store:
    """Rows in a ``.csv`` or ``.jsonl`` file, locked while it is open; a context manager.

    The first column of every row, ``sweep``, says which sweep it belongs to: `mark`, and after it the seed
    where rows may be simulated. A last line that was cut off is dropped when the file is opened again.

    Parameters
    ----------
    path : path
    columns : sequence of str
        Columns of a row without the mark.
    variables : int
        So many of them are the parameters, by which rows are known.
    mark : str
        Fingerprint of the question.
    seed : int or None
        Seed that was asked for; None takes over that of the file.

    Attributes
    ----------
    rows : dict of labels to row
        What the file held when it was opened.
    seed : int or None
        Seed of the rows in the file; None where there are none.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        columns: Sequence[str],
        variables: int,
        mark: str,
        seed: int | None,
    ) -> None:
        self.path = os.fspath(path)
        if not self.path.lower().endswith(ENDINGS):
            raise BattleError(
                f"a sweep is kept in a file that ends in .csv or .jsonl, not {quote(self.path)}"
            )
        self.columns, self.variables, self.mark = list(columns), variables, mark
        self.is_csv = self.path.lower().endswith(".csv")
        self.seed = seed
        self.rows: dict[tuple[Label, ...], Row] = {}
        self._synced = time.monotonic()
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            _lock(self._file, self.path)
            self._end = self._read()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Store:
        """Go on."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Write through to the disk and let the file go."""
        try:
            os.fsync(self._file)
        finally:
            os.close(self._file)

    def add(self, rows: Iterable[Row]) -> None:
        """Append rows; they are in the file when this returns, and on the disk half a second later.

        Raises
        ------
        OSError
            Where the disk is full, say; the file then holds what it held before.
        """
        texts = [self._line(row) for row in rows]
        data = "".join(texts if self._end else [self._header(), *texts]).encode()
        try:
            os.lseek(self._file, self._end, os.SEEK_SET)
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
            if time.monotonic() - self._synced > SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = time.monotonic()
        except OSError as error:
            os.ftruncate(self._file, self._end)
            reason = (
                f"{error.strerror}; what was written before is kept, and the same sweep goes on from there"
            )
            raise OSError(error.errno, reason, self.path) from None
        self._end += len(data)

    # ---------------------------------------------------------------- text

    @property
    def _whose(self) -> str:
        return self.mark if self.seed is None else f"{self.mark} {self.seed}"

    def _header(self) -> str:
        return _csv_line([MARK, *self.columns]) if self.is_csv else ""

    def _line(self, row: Row) -> str:
        if self.is_csv:
            return _csv_line([self._whose, *(_cell(row.get(name)) for name in self.columns)])
        known = {name: row[name] for name in self.columns if row.get(name) is not None}
        return json.dumps({MARK: self._whose, **known}, ensure_ascii=False) + "\n"

    def _read(self) -> int:
        """Read the rows and cut off what is behind the last whole line; returns the size that is left."""
        data = _contents(self._file)
        whole = data.rfind(b"\n") + 1
        torn = data[whole:]
        header = self._header().encode()
        if data and not whole:
            start = header or b'{"' + MARK.encode()
            if not (torn.strip(b"\0") and start.startswith(torn[: len(start)])):
                raise self._foreign("it is no file of a sweep")
        lines = data[:whole].split(b"\n")[:-1]
        if self.is_csv and lines and lines[0] + b"\n" != header:
            raise self._foreign("its columns are others")
        for number, line in enumerate(lines[1:] if self.is_csv else lines, start=2 if self.is_csv else 1):
            self._keep(line, number)
        if torn:
            os.ftruncate(self._file, whole)
        return whole

    def _keep(self, line: bytes, number: int) -> None:
        try:
            text = line.decode()
            row = self._csv_row(text) if self.is_csv else dict(json.loads(text))
            mark, _, seed = str(row.pop(MARK)).partition(" ")
            drawn = int(seed) if seed else None
            labels = tuple(row[name] for name in self.columns[: self.variables])
        except (ValueError, KeyError, TypeError, csv.Error, RecursionError):
            raise self._foreign(f"line {number} is no row of a sweep") from None
        if mark != self.mark:
            raise self._foreign(
                f"line {number} comes from another battle, method, number of trials or version"
            )
        if drawn is not None and self.seed is not None and drawn != self.seed:
            raise self._foreign(f"line {number} comes from seed {seed}, not {self.seed}")
        if drawn is not None:
            self.seed = drawn
        self.rows[labels] = row

    def _csv_row(self, text: str) -> Row:
        cells = next(csv.reader([text], strict=True))
        if len(cells) != 1 + len(self.columns):
            raise ValueError("cells are missing")
        row: Row = {MARK: cells[0]}
        for place, (name, cell) in enumerate(zip(self.columns, cells[1:], strict=True)):
            if place < self.variables:
                row[name] = cell
            elif cell:
                row[name] = float(cell) if name in NUMBERS else int(cell) if name in COUNTS else cell
        return row

    def key(self, labels: Sequence[Label]) -> tuple[Label, ...]:
        """Key in `rows` of the row with these labels."""
        return tuple(map(_cell, labels)) if self.is_csv else tuple(labels)

    def _foreign(self, why: str) -> BattleError:
        return BattleError(f"{self.path!r} holds something other than this sweep: {why}; choose another file")


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _contents(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    parts = []
    while part := os.read(file, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _lock_unix(file: int) -> None:
    import fcntl

    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_windows(file: int) -> None:
    import msvcrt

    # one byte far behind the rows: Windows' locks keep readers out of what they cover
    os.lseek(file, 1 << 40, os.SEEK_SET)
    msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]


_take: Callable[[int], None] = _lock_windows if sys.platform == "win32" else _lock_unix


def _lock(file: int, path: str) -> None:
    """Keep a second sweep out; the lock goes with the file, so that a killed process leaves none behind."""
    try:
        _take(file)
    except OSError as error:
        if isinstance(error, BlockingIOError | PermissionError):
            raise BattleError(
                f"{path!r} is being written by another sweep: wait for it, or choose another file"
            ) from None
        raise
