"""What a start must not import: numba, pandas and matplotlib take longer than a small exact answer."""

from __future__ import annotations

import pytest

from tests.fresh import fresh

HEAVY = ("numba", "pandas", "matplotlib")


def imported(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after `code`."""
    report = "import sys; print('\\nLOADED', *{name.partition('.')[0] for name in sys.modules})"
    return set(fresh(f"{code}\n{report}").rpartition("LOADED")[2].split())


def command(*args: str) -> str:
    """Code that runs the command line and goes on."""
    return f"from battlecalc.cli import main\nmain({list(args)!r}, 'battlecalc', standalone_mode=False)"


@pytest.mark.parametrize(
    ("code", "forbidden"),
    [
        ("import battlecalc", (*HEAVY, "numpy", "click", "rich")),
        (command("--help"), (*HEAVY, "numpy", "rich", "importlib.metadata")),
        (command("--version"), (*HEAVY, "numpy", "rich")),
        (command("land", "--help"), (*HEAVY, "numpy", "rich")),
        (command("land", "6 inf, 2 art", "5 inf", "--method", "exact"), HEAVY),
        (command("land", "6 inf, 2 art", "5 inf", "--method", "auto", "--json"), HEAVY),
        (
            "import battlecalc\n"
            "battlecalc.solve('great-war', 'land', '6 inf, 2 art, 1 ftr', '5 inf, 1 art').summary()",
            HEAVY,
        ),
    ],
)
def test_a_start_stays_light(code: str, forbidden: tuple[str, ...]) -> None:
    assert not imported(code) & set(forbidden)


def test_the_public_names_are_all_there() -> None:
    import battlecalc

    assert set(battlecalc.__all__) <= set(dir(battlecalc))
    for name in battlecalc.__all__:
        assert getattr(battlecalc, name) is not None
