"""Maps, who can be in a battle on them, and the rules that keep the others out."""
