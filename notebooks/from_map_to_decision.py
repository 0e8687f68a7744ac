# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # From a map to a decision
#
# It is the United Kingdom's turn in Axis & Allies 1942, and Western Europe looks thin. Who can be in the
# landing, what are its odds, and which of the plans is the best one? The map is a file; everything else
# follows from it.

# %%
from itertools import pairwise
from textwrap import fill

import matplotlib.pyplot as plt
import pandas as pd

import battlecalc as bc
from battlecalc.mapping import Map, Muster, muster, read_map

board = read_map("western-europe")
POWER, TARGET = "united-kingdom", "western-europe"

# %% [markdown]
# ## The map
#
# Positions come from the file. Squares are land, circles are sea zones; the colour says whose it is. The
# way of everybody who can join is drawn in red.

# %%
SHORT = {
    "infantry": "inf",
    "artillery": "art",
    "aa_gun": "AA",
    "fighter": "ftr",
    "bomber": "bmb",
    "submarine": "sub",
    "transport": "trn",
    "destroyer": "dd",
    "cruiser": "ca",
    "carrier": "cv",
    "battleship": "bb",
}
NAMES = {"united-kingdom": "UK", "united-states": "US", "germany": "Germany"}
COLOURS = {
    "united-kingdom": "#c9b37e",
    "united-states": "#8fae6f",
    "germany": "#9a9a9a",
    "": "#b9d3e6",
    "spain": "#eeeeee",
}
PAPER = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1}


def draw(board: Map, found: Muster) -> None:
    """Draw spaces, borders and pieces, and the routes of those who join."""
    _, axes = plt.subplots(figsize=(11, 9), layout="constrained")
    for space in board.spaces.values():
        x, y = space.position
        for end in space.borders:
            if space.id < end:
                far_x, far_y = board.spaces[end].position
                axes.plot([x, far_x], [y, far_y], color="#dddddd", zorder=1)
        marker = "s" if space.kind == "land" else "o"
        axes.scatter(x, y, s=1500, marker=marker, color=COLOURS[space.owner], edgecolor="white", zorder=2)
        middle = {"ha": "center", "fontsize": 12, "zorder": 5, "bbox": PAPER}
        axes.annotate(space.name, (x, y + 0.36), va="bottom", weight="bold", **middle)
        lines = {}
        for piece in space.pieces:
            entry = f"{piece.count}\N{NO-BREAK SPACE}{SHORT.get(piece.unit, piece.unit)}"
            lines.setdefault(piece.power, []).append(entry)
        text = "\n".join(fill(f"{NAMES[power]}: {', '.join(units)}", 22) for power, units in lines.items())
        axes.annotate(text, (x, y - 0.34), va="top", **middle)
    for route in dict.fromkeys(entry.route for entry in found.joining):
        points = [board.spaces[name].position for name in route]
        for (x0, y0), (x1, y1) in pairwise(points):
            arrow = {"arrowstyle": "-|>", "color": "firebrick", "alpha": 0.7, "shrinkA": 14, "shrinkB": 18}
            axes.annotate("", (x1, y1), (x0, y0), arrowprops=arrow, zorder=3)
    axes.set_axis_off()
    title = f"The {found.power.replace('-', ' ').title()} attacks {board.title(found.target)}"
    axes.set_title(title, fontsize=15)
    axes.margins(0.08)


everybody = muster(board, POWER, TARGET)
draw(board, everybody)

# %% [markdown]
# ## Who can be in it
#
# Everybody who can join is in, with the way and its cost.

# %%
pd.DataFrame(
    {
        "pieces": f"{entry.piece.count} {entry.piece.unit}",
        "by": entry.part,
        "way": " > ".join(map(board.title, entry.route)),
        "cost": entry.cost,
        "lands": board.title(entry.lands) if entry.lands else "",
    }
    for entry in everybody.joining
)

# %% [markdown]
# The others are kept out by a rule.

# %%
pd.DataFrame(
    {
        "pieces": f"{entry.piece.count} {entry.piece.unit}",
        "in": board.title(entry.piece.space),
        "rule": str(entry.rule),
    }
    for entry in everybody.kept
)

# %% [markdown]
# The forces are ready for the calculator. No sea battle comes first: SZ 7 holds a lone submarine, which a
# landing may ignore.

# %%
odds = bc.solve(everybody.battle())
odds

# %% [markdown]
# ## The plans
#
# Taking part is a choice. Four plans: everybody; everybody but the dear bomber; everybody, after a fight
# with the submarine; and the way through SZ 6, where a German destroyer has to be sunk first and one
# fighter helps with that. Planes that outlive the battle and have no deck to land on count as lost.

# %%
plans = {
    "everybody": everybody,
    "no bomber": muster(board, POWER, TARGET, without="1 bomber"),
    "submarine first": muster(board, POWER, TARGET, fight=True),
    "through SZ 6": muster(board, POWER, TARGET, zone="sz-6", at_sea="1 fighter"),
}
rows = {}
for name, plan in plans.items():
    found = bc.odds(plan.battle(), trials=200_000, seed=1)
    lost = plan.lost_landing(found)
    swing = found.swing()
    cost = {unit: bc.load_ruleset(plan.ruleset).units[unit].cost for unit in lost}
    stranded = sum(mean * cost[unit] for unit, mean in lost.items())
    mean = float((swing.index * swing).sum())
    rows[name] = {
        "takes it": found.captures,
        "swing, IPC": mean,
        "planes lost after it, IPC": stranded,
    }
table = pd.DataFrame(rows).T
table.round(3)

# %% [markdown]
# ## The decision
#
# It depends on what the territory is worth to us beyond the pieces. Each plan is a line: what it wins in
# pieces at once, and how fast it gains with the worth of Western Europe.

# %%
worth = range(0, 81)
gain = pd.DataFrame(
    {
        name: [
            plan["swing, IPC"] - plan["planes lost after it, IPC"] + ipc * plan["takes it"] for ipc in worth
        ]
        for name, plan in table.iterrows()
    },
    index=worth,
)
axes = gain.plot(figsize=(8, 4.5))
axes.set_xlabel("worth of Western Europe, IPC")
axes.set_ylabel("expected gain, IPC")
axes.spines[["top", "right"]].set_visible(False)
best = gain.idxmax(axis="columns")
for start in best.index[best != best.shift()]:
    axes.axvline(start, color="#cccccc", zorder=0)
    print(f"from {start} IPC: {best[start]}")

# %% [markdown]
# Western Europe brings in 6 IPC a turn. While that is all, the submarine is worth a fight: it costs the
# bombardment, and with it some chance to land for good, but it is an easy kill. Only if the foothold
# decides the game do the ships' guns count for more.
