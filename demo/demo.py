"""Shows the input and its bug, reduces it, shows the result, and checks it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from fleet import fleet
from rich.console import Console
from rich.syntax import Syntax

ROOT = Path(__file__).parents[1]
TEST, SOURCE, RESULT = "demo/refused", ".demo/fleet.toml", ".demo/fleet.reduced.toml"
BUG = "already exists"
MAX_BYTES = 30  # of the result, which is about [[a]] [b] [a.c]

MEANING = """\
  Now the cause is plain: a table stands between an array of tables and one that
  extends its last entry, and tomlkit takes that for a second definition.
"""

console = Console(highlight=False)


def main() -> None:
    """Run the demo in `.demo`."""
    os.chdir(ROOT)
    source, result = Path(SOURCE), Path(RESULT)
    source.write_text(fleet(), encoding="utf-8")

    heading("Valid TOML that tomlkit 0.13.3 refuses")
    lines = source.read_text(encoding="utf-8").splitlines()
    first = lines.index("[[service]]")
    show("\n".join(lines[first : first + 12]), first_line=first + 1)
    console.print(f"       [dim]... {len(lines):,} lines, {source.stat().st_size:,} bytes[/]")
    console.print(f"\n  [red]{complaint(source)}[/]")

    heading(f"nubbin reduce {TEST} {SOURCE}")
    if subprocess.run(
        [sys.executable, "-m", "nubbin", "reduce", TEST, SOURCE], check=False
    ).returncode:
        sys.exit("demo: the reduction failed")

    heading("All that it takes")
    text = result.read_text(encoding="utf-8")
    show(text)
    console.print(f"\n  [red]{complaint(result)}[/]")
    console.print(f"\n{MEANING}", markup=False)
    tomllib.loads(text)
    if len(text) > MAX_BYTES:
        sys.exit(f"demo: {len(text)} bytes are left, but {MAX_BYTES} are enough")


def complaint(file: Path) -> str:
    """Return what the test prints about `file`; exit if it is not the bug."""
    told = subprocess.run([TEST, file], capture_output=True, text=True, check=False)
    if told.returncode != 0 or BUG not in told.stdout:
        sys.exit(f"demo: {file} does not show the bug: {told.stdout}{told.stderr}")
    return told.stdout.strip()


def heading(text: str) -> None:
    """Print a line with a title."""
    console.print()
    console.rule(f"[bold]{text}", align="left", style="dim")
    console.print()


def show(text: str, *, first_line: int = 1) -> None:
    """Print TOML in colour, with line numbers."""
    console.print(
        Syntax(
            text,
            "toml",
            theme="ansi_dark",
            line_numbers=True,
            start_line=first_line,
            padding=(0, 2),
        )
    )


if __name__ == "__main__":
    main()
