"""What tests of several rooms ask for."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def terminal() -> Iterator[None]:
    """Ctrl-C as in a process of a terminal: workers and jobs in the background ignore it, so do theirs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
