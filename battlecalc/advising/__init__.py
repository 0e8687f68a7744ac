"""What to do: orders of loss, ranked plans, waves of attacks and the counter-attack after them."""
