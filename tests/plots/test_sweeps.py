"""Pictures of sweeps."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure

mpl.use("Agg")

from battlecalc.errors import BattleError
from battlecalc.plots import plot_sweep


@pytest.fixture
def ax() -> Axes:
    return Figure(layout="constrained").subplots()


@pytest.fixture
def frame() -> pd.DataFrame:
    rows = [
        {
            "ruleset": "toy",
            "attacker.infantry": own,
            "defender.artillery": enemy,
            "attacker_wins": own / (own + enemy),
            "captures": 0.5,
            "swing": own - enemy,
        }
        for own in range(1, 21)
        for enemy in range(1, 7)
    ]
    frame = pd.DataFrame(rows)
    frame.attrs["title"] = "infantry against artillery"
    return frame


def test_line_for_one_variable(frame: pd.DataFrame, ax: Axes) -> None:
    rows = frame[frame["defender.artillery"] == 2].sample(frac=1, random_state=1)
    assert plot_sweep(rows, ax=ax) is ax
    line = ax.lines[0]
    assert list(line.get_xdata()) == list(range(1, 21))
    assert line.get_ydata()[1] == 0.5
    assert ax.get_xlabel() == "attacker's infantry"
    assert ax.get_ylabel() == "attacker wins, %"
    assert ax.get_title(loc="left") == "infantry against artillery"


def test_map_with_contours_for_two(frame: pd.DataFrame, ax: Axes) -> None:
    plot_sweep(frame, ax=ax)
    contours = next(c for c in ax.collections if isinstance(c, ContourSet))
    assert list(contours.levels) == [0.5, 0.75, 0.9]
    line = contours.get_paths()[0].vertices
    assert abs(line[:, 0] - line[:, 1]).max() < 0.05, "half are won where the sides are equal"
    assert sorted(text.get_text() for text in contours.labelTexts) == ["50 %", "75 %", "90 %"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("attacker's infantry", "defender's artillery")


def test_other_numbers_have_no_contours(frame: pd.DataFrame, ax: Axes) -> None:
    plot_sweep(frame, "swing", ax=ax, title="swing by force")
    assert not any(isinstance(c, ContourSet) for c in ax.collections)
    assert ax.get_title(loc="left") == "swing by force"


def test_only_contours_that_are_reached(frame: pd.DataFrame, ax: Axes) -> None:
    plot_sweep(frame[frame["attacker_wins"] > 0.6], ax=ax, by=["attacker.infantry", "defender.artillery"])
    contours = next(c for c in ax.collections if isinstance(c, ContourSet))
    assert list(contours.levels) == [0.75, 0.9]


def test_names_make_one_line_each(frame: pd.DataFrame, ax: Axes) -> None:
    frame["defender.artillery"] = frame["defender.artillery"].map("technology {}".format)
    plot_sweep(frame, ax=ax)
    assert len([line for line in ax.lines if len(line.get_xdata()) == 20]) == 6
    assert ax.get_legend().get_title().get_text() == "defender's artillery"
    assert len({(line.get_marker(), line.get_color()) for line in ax.lines[:6]}) >= 6


def test_names_alone_are_places_on_the_axis(frame: pd.DataFrame, ax: Axes) -> None:
    rows = frame.head(3).assign(ruleset=["b", "a", "c"])
    plot_sweep(rows, by="ruleset", ax=ax)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({"what": "attacker_win"}, r"^the sweep has no column 'attacker_win': ruleset, attacker.infantry"),
        ({"by": ["infantry"]}, r"^the sweep has no column 'infantry': "),
        (
            {"by": ["ruleset", "captures", "swing"]},
            r"^a sweep is drawn by one or two variables, not by ruleset, captures, swing: name ",
        ),
    ],
)
def test_unclear_questions(frame: pd.DataFrame, more: dict[str, object], text: str) -> None:
    with pytest.raises(BattleError, match=text):
        plot_sweep(frame, **more)


def test_a_sweep_of_one_battle(frame: pd.DataFrame) -> None:
    with pytest.raises(BattleError, match="not by none"):
        plot_sweep(frame.head(1))


def test_values_have_their_unit(frame: pd.DataFrame, ax: Axes) -> None:
    plot_sweep(frame[frame["defender.artillery"] == 2], "swing", ax=ax)
    assert ax.get_ylabel() == "swing, IPC"


def test_no_line_joins_names(ax: Axes) -> None:
    frame = pd.DataFrame({"ruleset": ["great-war", "aa-1914"], "attacker_wins": [0.9, 0.2]})
    plot_sweep(frame, by="ruleset", ax=ax)
    assert ax.lines[0].get_linestyle() == "None"
    assert list(ax.lines[0].get_ydata()) == [0.9, 0.2]
