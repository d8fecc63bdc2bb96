"""What the command lines of all studies have in common."""

from __future__ import annotations

import argparse
import signal
import sys
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
