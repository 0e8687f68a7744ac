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
# # The Great War's land battle, step by step
#
# A land battle of The Great War is not one roll of dice a round. Aircraft fight for the sky first; then
# guns, storm troops and trenches have their say before the infantry does. What is each of these steps
# worth?
#
# Rules are data here: a ruleset file can leave out a step of another one. So we take steps out, one by
# one, and look at what happens to the odds.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

import battlecalc as bc

ATTACKER = "6 infantry, 2 storm_troops, 3 artillery, 2 fighter"
DEFENDER = "3 infantry, 4 entrenched_infantry, 3 artillery, 1 fighter"
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8C8C8C"

as_printed = bc.solve("great-war", "land", ATTACKER, DEFENDER)
as_printed

# %% [markdown]
# ## The steps
#
# These are the stages and steps of the file, and who of our forces fires in each of them.

# %%
rules = bc.load_ruleset("great-war")
forces = {"attacker": bc.parse_force(ATTACKER, rules), "defender": bc.parse_force(DEFENDER, rules)}


def who_fires(step, side: str) -> str:
    firing = {unit for group in step.fire if group.side == side for unit in group.who}
    return ", ".join(unit for unit in forces[side] if unit in firing)


def who_decides(step) -> str:
    return ", ".join(f"{decision.side}: {decision.right.replace('_', ' ')}" for decision in step.decide)


pd.DataFrame(
    [
        {
            "stage": stage.name,
            "step": step.name,
            "attacker fires": who_fires(step, "attacker"),
            "defender fires": who_fires(step, "defender"),
            "who may": who_decides(step),
        }
        for stage in rules.sequences["land"].stages
        for step in stage.steps
    ]
).set_index(["stage", "step"])

# %% [markdown]
# ## Taking steps out
#
# Units whose step is gone fire with all others in the general fire (5a), where losses are simultaneous.
# Without the air battle nobody has air superiority, so nobody gets the +1 either. (Landings borrow the
# air battle from here, so they go as well.)

# %%
BATTLE = "sequences.land.stages.battle.steps"
GUNS = [f"{BATTLE}.2 attacker's aircraft and guns", f"{BATTLE}.3 defender's aircraft and guns"]
CHARGE = [f"{BATTLE}.4 storm troops and entrenched infantry"]
PLUS_ONE = ["modifiers.air superiority"]
SKY = ["sequences.land.stages.air superiority"]

folder = Path(tempfile.mkdtemp())


def without(name: str, paths: list[str]) -> bc.Ruleset:
    file = folder / f"{name}.toml"
    file.write_text(
        f'extends = "great-war"\nname = "without {name}"\nwithout = {["sequences.invasion", *paths]!r}\n'
    )
    return bc.load_ruleset(file)


variants = {
    "everything at once": without("steps", [*SKY, *PLUS_ONE, *GUNS, *CHARGE]),
    "guns and aircraft first (2, 3)": without("sky-and-charge", [*SKY, *PLUS_ONE, *CHARGE]),
    "then storm troops and trenches (4)": without("sky", [*SKY, *PLUS_ONE]),
    "the air battle before (Part A)": without("plus-one", PLUS_ONE),
    "and +1 with air superiority": bc.load_ruleset("great-war"),
}
rows = {}
for name, rules in variants.items():
    odds = bc.solve(rules, "land", ATTACKER, DEFENDER)
    rows[name] = {
        "attacker wins": odds.outcomes["attacker_wins"],
        "mean swing": odds.expected_gain("attacker"),
        "mean rounds": odds.to_dict()["expected_rounds"],
    }
built_up = pd.DataFrame(rows).T
built_up.round(3)

# %%
fig, ax = plt.subplots(figsize=(6.4, 3.2), layout="constrained")
wins = built_up["attacker wins"]
before = wins.shift(fill_value=0)
colours = [GREY, *(BLUE if step > 0 else ORANGE for step in wins.diff()[1:])]
ax.barh(wins.index, wins - before, left=before, color=colours)
for place, (now, step) in enumerate(zip(wins, wins.diff(), strict=True)):
    text = f"{now:.1%}" if place == 0 else f"{now:.1%} ({100 * step:+.1f})"
    ax.text(max(now, before.iloc[place]) + 0.01, place, text, va="center")
ax.invert_yaxis()
ax.set_xlim(0, 1)
ax.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
ax.set_xlabel("attacker wins")
ax.spines[["top", "right"]].set_visible(False)

# %% [markdown]
# Each row adds one rule to those above it; the number in brackets is what that rule does to the
# attacker's chance, in points.

# %% [markdown]
# ## Part A: air superiority
#
# Whoever is left with aircraft alone has the sky, and his guns shoot at one more in the first round.
# How much is a fighter worth, then? One line for the rules as they are, one without the +1, one without
# Part A.

# %%
base = bc.Battle("great-war", "land", "6 infantry, 3 artillery", "6 infantry, 3 artillery, 1 fighter")
sky = bc.sweep(
    base,
    {
        "ruleset": [variants["and +1 with air superiority"], *(variants[n] for n in list(variants)[3:1:-1])],
        "attacker.fighter": range(7),
    },
)
names = dict(zip(sky["ruleset"].unique(), ["as printed", "without the +1", "without Part A"], strict=True))
sky["rules"] = sky["ruleset"].map(names)
ax = bc.plot_sweep(sky, by=["attacker.fighter", "rules"], title="attacker's fighters against one")
# %% [markdown]
# ## Step 4: storm troops and trenches
#
# Storm troops fire before the general fire when they attack; entrenched infantry does when it defends.
# The same number of units, more and more of them of the early kind:

# %%
rows = []
for early in range(7):
    storm = bc.solve("great-war", "land", f"{6 - early} inf, {early} storm_troops, 2 art", "6 inf, 1 art")
    cavalry = bc.solve("great-war", "land", f"{6 - early} inf, {early} cavalry, 2 art", "6 inf, 1 art")
    trench = bc.solve("great-war", "land", "6 inf, 2 art", f"{6 - early} inf, {early} einf, 1 art")
    rows.append(
        {
            "storm troops for infantry (attacker)": storm.outcomes["attacker_wins"],
            "cavalry for infantry (attacker): same dice, step 5a": cavalry.outcomes["attacker_wins"],
            "entrenched for infantry (defender)": trench.outcomes["attacker_wins"],
        }
    )
exchange = pd.DataFrame(rows).rename_axis("units exchanged")
exchange.round(3)

# %%
fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for name, colour, marker in zip(exchange, (BLUE, GREY, ORANGE), "osD", strict=True):
    ax.plot(exchange.index, exchange[name], color=colour, marker=marker, label=name)
ax.set(xlabel="units exchanged, of six", ylabel="attacker wins", ylim=(0, 1))
ax.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
ax.legend(frameon=False, loc="lower left")
ax.spines[["top", "right"]].set_visible(False)

# %% [markdown]
# Cavalry attacks with the same dice as storm troops: the difference between their lines is what firing
# early does, and nothing else.

# %% [markdown]
# ## Forts
#
# A fort has two dice and takes four hits, but it fires only while infantry of any type is beside it.

# %%
forts = bc.Battle("great-war", "land", "12 infantry, 4 artillery, 1 tank", "4 infantry, 1 artillery")
table = bc.sweep(forts, {"defender.fort": range(4), "defender.infantry": range(9)})
ax = bc.plot_sweep(table, by=["defender.infantry", "defender.fort"])
# %% [markdown]
# ## Step 6: who leaves when
#
# After each round the attacker may retreat or contest, and else the defender may retreat. What the
# battle above comes to when one side plays its best, measured in IPC:

# %%
rights = {
    "both to the end": ("never", "never"),
    "attacker at his best": ("best", "never"),
    "defender at his best": ("never", "best"),
    "both at their best": ("best", "best"),
}
SHOWN = ["attacker_wins", "defender_wins", "attacker_retreats", "defender_retreats"]
rows = {}
for name, (mine, theirs) in rights.items():
    odds = bc.solve("great-war", "land", bc.Side(ATTACKER, retreat=mine), bc.Side(DEFENDER, retreat=theirs))
    rows[name] = {outcome: odds.outcomes[outcome] for outcome in SHOWN}
    rows[name]["mean swing"] = odds.expected_gain("attacker")
pd.DataFrame(rows).T.round(3)

# %% [markdown]
# ## Round by round

# %%
ax = as_printed.plot("rounds")
# %%
as_printed.by_round().head(6).round(2)
