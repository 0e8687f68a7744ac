"""Answers that are worked out once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Answer = TypeVar("Answer")


class Memo:
    """Answers by key; a key names its question and all that the answer depends on.

    >>> memo = Memo()
    >>> memo.of("six", lambda: 2 * 3), memo.of("six", lambda: 0)
    (6, 6)
    """

    def __init__(self) -> None:
        self._found: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        """Count the answers."""
        return len(self._found)

    def of(self, key: Hashable, make: Callable[[], Answer]) -> Answer:
        """Return the answer kept under `key`; the first time, make it."""
        found: Answer | None = self._found.get(key)
        if found is None:
            found = self._found[key] = make()
        return found
