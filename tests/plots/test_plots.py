"""Pictures: that they show the numbers, are titled, and that no letters lie over others."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

mpl.use("Agg")

from battlecalc.errors import BattleError
from battlecalc.plots.kinds import KINDS
from battlecalc.results import Odds
from battlecalc.results.palette import OUTCOME_COLOURS
from tests.results.stand_ins import exact, landing, simulated

BIG = ({"infantry": 14, "artillery": 5, "tank": 4, "fighter": 3}, {"infantry": 15, "artillery": 4, "fort": 1})
ANSWERS = {
    "tiny": lambda: exact({"infantry": 1}, {"infantry": 1}),
    "sure": lambda: exact({"tank": 1}, {"transport": 1}),
    "retreat": lambda: simulated(
        {"infantry": 6, "artillery": 2, "fighter": 1}, {"infantry": 5, "aa_gun": 1}, retreat_below=4
    ),
    "big": lambda: exact(*BIG),
    "landing": landing,
}


@cache
def answer(name: str) -> Odds:
    """Fight a battle when a test first needs it, not while tests are collected."""
    return ANSWERS[name]()


@pytest.fixture
def ax() -> Axes:
    return Figure(figsize=(5.4, 3.9), layout="constrained").subplots()


def letters(figure: Figure) -> list[Text]:
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
    inside = figure.bbox
    return [text for text in texts if inside.overlaps(text.get_window_extent())]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ANSWERS)
def test_every_kind_is_titled_and_legible(name: str, kind: str, ax: Axes) -> None:
    odds = answer(name)
    assert odds.plot(kind, ax) is ax
    assert "Toy Rules" in ax.get_title(loc="left")
    shown = letters(ax.figure)
    assert min(text.get_fontsize() for text in shown) >= 9
    # Ticks beyond the axes stay texts of the figure without being drawn.
    written = [text for text in shown if any(map(str.isalpha, text.get_text()))]
    for one, other in combinations(written, 2):
        assert not one.get_window_extent().overlaps(other.get_window_extent()), (
            one.get_text(),
            other.get_text(),
        )


def test_outcomes_show_the_chances(ax: Axes) -> None:
    odds = answer("retreat")
    odds.plot("outcomes", ax)
    shown = [name for name, p in odds.outcomes.items() if p > 0]
    assert [bar.get_width() for bar in ax.patches] == [odds.outcomes[name] for name in shown]
    assert [mpl.colors.to_hex(bar.get_facecolor()).upper() for bar in ax.patches] == [
        OUTCOME_COLOURS[name] for name in shown
    ]


def test_survivors_show_both_sides(ax: Axes) -> None:
    odds = answer("big")
    odds.plot("survivors", ax)
    heights = [bar.get_height() for bar in ax.patches]
    assert sum(heights) == pytest.approx(2)
    nothing = odds.survivors("defender")["probability"].max()
    assert nothing > ax.get_ylim()[1], "a bar that would flatten the others is cut off"
    assert [text.get_text() for text in ax.texts] == [f"nothing {100 * nothing:.2f} %"]


@pytest.mark.parametrize("name", ["big", "retreat"])
def test_swing_shows_mean_and_middle(name: str, ax: Axes) -> None:
    odds = answer(name)
    odds.plot("swing", ax)
    series = odds.swing()
    mean = float((series.index.to_numpy() * series).sum())
    assert ax.lines[0].get_xdata()[0] == pytest.approx(mean)
    bars = [bar for bar in ax.patches if bar.get_height() < 1]
    assert sum(bar.get_height() for bar in bars) == pytest.approx(1)
    centres = np.array([bar.get_x() + bar.get_width() / 2 for bar in bars])
    width = bars[0].get_width() / 0.9
    assert float(centres @ [bar.get_height() for bar in bars]) == pytest.approx(mean, abs=width / 2)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    low, high = odds._whole.swing.middle(0.8)
    assert labels[0] == f"middle 80 %: {low:+g} to {high:+g}"


def test_rounds_show_what_is_left(ax: Axes) -> None:
    odds = answer("big")
    odds.plot("rounds", ax)
    frame = odds.by_round()
    attacker = frame[[name for name in frame if name.startswith("attacker.")]].sum(axis=1) / 26
    drawn = ax.lines[0].get_ydata()
    assert drawn == pytest.approx(attacker[: len(drawn)].to_numpy())
    assert frame["over"][len(drawn) - 1] > 0.998


def test_heatmap_shows_the_joint_chances(ax: Axes) -> None:
    odds = answer("retreat")
    odds.plot("heatmap", ax)
    mesh = ax.collections[0].get_array()
    assert float(mesh.sum()) == pytest.approx(1, abs=1e-3)
    assert float(mesh[0, 6]) == pytest.approx(odds._whole.units_left[6, 0])


def test_keywords_reach_the_artists(ax: Axes) -> None:
    answer("tiny").plot("outcomes", ax, color="black", height=0.5)
    assert {bar.get_height() for bar in ax.patches} == {0.5}


def test_new_axes_by_default() -> None:
    from matplotlib import pyplot as plt

    ax = answer("tiny").plot()
    assert ax.figure.get_layout_engine() is not None
    plt.close(ax.figure)


def test_unknown_kind() -> None:
    with pytest.raises(BattleError, match=r"^unknown kind of plot 'swings': did you mean 'swing'\?$"):
        answer("tiny").plot("swings")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_panel_is_saved_by_ending(ending: str, tmp_path: Path) -> None:
    figure = answer("landing").figure()
    path = tmp_path / f"battle.{ending}"
    figure.savefig(path)
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    assert path.read_bytes().startswith(starts[ending])
    assert "Toy Rules, invasion" in figure.get_suptitle()
    assert len(figure.axes) == 4


def test_panel_shows_in_a_notebook_without_pyplot() -> None:
    from matplotlib import pyplot as plt

    before = plt.get_fignums()
    assert answer("tiny").figure()._repr_png_().startswith(b"\x89PNG")
    assert plt.get_fignums() == before
