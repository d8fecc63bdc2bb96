"""What the command lines of all studies have in common."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Collection
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"

#: The command line of nubbin itself, from this checkout.
NUBBIN = [sys.executable, "-m", "nubbin"]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser whose --help shows the docstring of the script."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def exit_on_sigterm() -> None:
    """Exit with code 143 on SIGTERM, so that `finally` and `with` end what was started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def options_of_reducers(
    doc: str | None, tools: Collection[str], limit_s: int
) -> argparse.Namespace:
    """Return the options of a study that runs these reducers on cases; exits if they are wrong."""
    of_study = parser(doc)
    add = of_study.add_argument
    add("folder", type=Path, nargs="?", metavar="CASES")
    add("--case", action="append", help="only this one; may be repeated")
    add("--tool", action="append", choices=tools, help="only this one; may be repeated")
    add("--path", action="append", default=[], help="also search here for reducers")
    add("--limit", type=float, default=limit_s, help=f"seconds per run ({limit_s})")
    add("--again", action="store_true", help="also run what was run before")
    add("--table", action="store_true", help="only make the page or table")
    options = of_study.parse_args()
    if (options.folder is None) != options.table:
        of_study.error("give CASES, or --table alone")
    return options
