"""How fast the engines are: see README.md here."""
