"""Colours that people with any colour vision tell apart (after Okabe and Ito), on white and on black."""

OUTCOME_COLOURS = {
    "attacker_wins": "#0072B2",
    "defender_wins": "#D55E00",
    "mutual_destruction": "#8C8C8C",
    "attacker_retreats": "#56B4E9",
    "defender_retreats": "#E69F00",
    "contested": "#009E73",
    "stalemate": "#CC79A7",
    "unresolved": "#B8AC3C",
}
SIDE_COLOURS = {"attacker": OUTCOME_COLOURS["attacker_wins"], "defender": OUTCOME_COLOURS["defender_wins"]}
