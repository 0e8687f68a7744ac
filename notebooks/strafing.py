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
# # Strafing: when to stop
#
# A strafe is an attack that does not mean to win. While cheap infantry takes the hits, planes and guns
# destroy more than they cost; when it is gone, every hit falls on something dear. So the attacker should
# leave in time. The question is when.
#
# Everything here is exact: no dice were simulated.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import battlecalc as bc
from battlecalc.advising.wording import first_decisions

FORCE = "8 inf, 4 art, 3 fighter, 2 bomber"
ENEMY = "14 inf, 2 art, 1 tank"


def attack(**side):
    return bc.solve("aa-1942", "land", bc.Side(FORCE, **side), ENEMY)


fight = attack()
print(fight.summary())

# %% [markdown]
# ## Value by round
#
# The same attack, stopped after round 1, 2, 3 ... with whoever is left. The mean swing is the value destroyed
# less the value lost.

# %%
rounds = range(1, 9)
strafes = {n: attack(retreat=f"round >= {n}") for n in rounds}
best = attack(retreat="best")


def mean_swing(odds):
    swing = odds.swing()
    return float((swing * swing.index).sum())


means = [mean_swing(strafes[n]) for n in rounds]
fig, ax = plt.subplots(figsize=(7, 4))
ax.plot(rounds, means, "o-", color="0.35", label="retreat after this round")
ax.axhline(mean_swing(fight), color="#d55e00", ls="--", label="fight to the end")
ax.axhline(mean_swing(best), color="#0072b2", label="decide after every round")
ax.axhline(0, color="0.6", lw=0.8)
ax.set(xlabel="round", ylabel="mean swing, IPC", title=f"{FORCE}  v  {ENEMY}")
ax.legend(frameon=False, loc="center right")
fig.tight_layout()

# %% [markdown]
# One or two rounds pay, all later ones cost. But no fixed round is as good as a look at the table first: the
# best policy fights on where it went well and leaves where it did not. That is worth far more.

# %%
pd.Series(
    {
        "fight to the end": mean_swing(fight),
        f"best fixed round ({1 + int(np.argmax(means))})": max(means),
        "decide after every round": mean_swing(best),
    },
    name="mean swing, IPC",
).round(2).to_frame()

# %% [markdown]
# ## What the best policy looks at
#
# `policy` has every state that the battle may come to after a round, with the value of both choices. In blue
# states it is better to stay.

# %%
table = best.policy("attacker").query("chance > 1e-5")


def units(force):
    return force.str.findall(r"(\d+) ").map(lambda found: sum(map(int, found)))


table = table.assign(own=units(table["attacker"]), enemy=units(table["defender"]))
gap = (table["go_on"] - table["stop"]).clip(-12, 12)
fig, ax = plt.subplots(figsize=(6.5, 5.5))
dots = ax.scatter(
    table["enemy"], table["own"], c=gap, cmap="RdYlBu", s=8 + 900 * table["chance"], edgecolor="0.4", lw=0.3
)
ax.set(xlabel="defender's units left", ylabel="attacker's units left", title="Worth of going on, IPC")
fig.colorbar(dots, ax=ax, label="going on less retreating (size: how often)")
fig.tight_layout()

# %%
first_decisions(best, "attacker")

# %% [markdown]
# ## Risk
#
# Deciding after every round cuts off the bad tail: the attacker leaves before many planes are at stake.

# %%
fig, ax = plt.subplots(figsize=(7, 4))
for name, odds, colour in [
    ("fight to the end", fight, "#d55e00"),
    ("decide after every round", best, "#0072b2"),
]:
    swing = odds.swing()
    ax.plot(swing.index, swing.cumsum(), color=colour, label=name, drawstyle="steps-post")
ax.set(xlabel="swing, IPC", ylabel="chance of this or less")
ax.legend(frameon=False)
fig.tight_layout()

# %% [markdown]
# `advise` puts all of it into one table, with the order of loss and the land unit that is kept for last.

# %%
advice = bc.advise(bc.Battle("aa-1942", "land", FORCE, ENEMY, territory=3))
print(advice)

# %% [markdown]
# ## Both sides decide
#
# In The Great War the defender may leave, too. He minimises what the attacker gains, so both policies are
# found together, from the end of the battle backwards. Neither side gains by changing alone.

# %%
own, enemy = "8 inf, 3 art, 1 tank", "7 inf, 2 art"
plans = {"fights on": {}, "decides": {"retreat": "best"}}
pd.DataFrame(
    {
        f"defender {defends}": {
            f"attacker {attacks}": bc.solve(
                "great-war", "land", bc.Side(own, **a), bc.Side(enemy, **d), territory=3
            ).expected_gain("attacker")
            for attacks, a in plans.items()
        }
        for defends, d in plans.items()
    }
).round(2)
