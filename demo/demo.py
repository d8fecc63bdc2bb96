"""Shows the input and its bug, reduces it, shows the result, and checks it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from fleet import fleet
from rich.console import Console
from rich.syntax import Syntax

HERE = Path(__file__).parent
TEST = HERE / "refused"
BUG = "already exists"
LARGEST = 30  # bytes; what must be left is about [[a]] [b] [a.c]

console = Console(highlight=False)


def main() -> None:
    """Run the demo in `.demo`, beside the folder of this file."""
    folder = HERE.parent / ".demo"
    source = folder / "fleet.toml"
    result = folder / "fleet.reduced.toml"
    source.write_text(fleet(), encoding="utf-8")

    heading("A file that tomlkit 0.13.3 refuses, though it is valid TOML")
    lines = source.read_text(encoding="utf-8").splitlines()
    show("\n".join(lines[36:44]), first_line=37)
    console.print(f"[dim]   ... {len(lines):,} lines, {source.stat().st_size:,} bytes[/]\n")
    console.print(f"  {complaint(source)}", style="red")

    heading("Which part of it? nubbin reduce demo/refused .demo/fleet.toml")
    arguments = ["reduce", str(TEST), str(source), "--output", str(result)]
    if subprocess.run([sys.executable, "-m", "nubbin", *arguments], check=False).returncode:
        sys.exit("demo: the reduction failed")

    heading("All that it takes")
    text = result.read_text(encoding="utf-8")
    show(text)
    console.print(f"\n  {complaint(result)}", style="red")
    console.print(
        "\n  The cause is plain now: once another table has come between, tomlkit takes a table\n"
        "  that extends an entry of an array for a second definition of the array.\n"
    )
    tomllib.loads(text)
    if len(text) > LARGEST:
        sys.exit(f"demo: {len(text)} bytes are left, but {LARGEST} are enough")


def complaint(file: Path) -> str:
    """What the test prints about `file`; ends the demo unless it is the bug."""
    told = subprocess.run([TEST, file], capture_output=True, text=True, check=False)
    if told.returncode != 0 or BUG not in told.stdout:
        sys.exit(f"demo: {file} does not show the bug: {told.stdout}{told.stderr}")
    return told.stdout.strip()


def heading(text: str) -> None:
    """A line between the acts."""
    console.print()
    console.rule(f"[bold]{text}", align="left", style="dim")
    console.print()


def show(text: str, *, first_line: int = 1) -> None:
    """Some TOML, coloured, with line numbers."""
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
