"""``python -m battlecalc``: the same as the ``battlecalc`` command."""

from battlecalc.cli import main

if __name__ == "__main__":
    main(prog_name="battlecalc")
