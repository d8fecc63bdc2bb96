"""`python -m nubbin` is `nubbin`."""

from nubbin.cli import main

if __name__ == "__main__":
    main(prog_name="nubbin")
