"""What `nubbin reduce --run CMD INPUT` learns of real failures, and whether the result shows them.

A case is a folder with `cmd` (the bare command line, `nubbin reduce ...`), `raw` (what it runs, to
be run on a result of the same name), `in` (the name of the input, a file or a folder), `check.sh`
(exits with 0 if the output of `raw`, its argument, shows the failure), and, if need be, `env`
(shell code that comes first). Nothing can be learned of a command that hangs, or succeeds: then
`asks` has the option that nubbin has to name.

    bench/run.py learned/failures --queries 40 CASES/*

A reduction ends after so many queries, so that a busy machine does not decide what is found.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.experiment import Table

_MAX_S = 200.0  # of a reduction, whatever the machine does beside it
_SPARE_S = 120.0  # of a check of the result
_ASKED_S = 100.0  # in which an option has to be named, on a busy machine
_OPTION = re.compile(r"--(?:prints|no-prints|differs|hangs)\b")
# What may differ is a number, a path or anything else; the rest stands as it was printed.
_SHOWN = (
    (re.compile(r"\(\?s:\.\*\)"), " … "),
    (re.compile(r"(?<!\\)\.\*|\\S\+"), "…"),
    (re.compile(r"\[\\d\.\]\+"), "0"),
    (re.compile(r"\\b|(?<= )[+*](?= |\S)"), ""),
    (re.compile(r"\\s[*+]"), " "),
    (re.compile(r"\\(\W)"), r"\1"),
)
_MAX_CHARS = 100  # of what was learned, in a table


def shell(case: Path, line: str, folder: Path, seconds: float) -> str:
    """Run a line in a folder, in the environment of a case; return its output."""
    setup = f"cd {shlex.quote(str(case))}; [ ! -f env ] || . ./env; cd {shlex.quote(str(folder))}; "
    command = ["timeout", str(seconds), "bash", "-c", setup + line]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.stdout.decode(errors="replace")


def row(case: Path, queries: int) -> list[object]:
    """Reduce a case; return its row of the table."""
    name = (case / "in").read_text().strip()
    with tempfile.TemporaryDirectory() as made:
        folder, result = Path(made, "here"), Path(made, "result")
        folder.mkdir()
        if (case / name).is_dir():
            shutil.copytree(case / name, folder / name, symlinks=True)
        else:
            shutil.copy2(case / name, folder / name)
        options = f"--json --jobs 1 --max-queries {queries} --max-time {_MAX_S} --output {result}"
        line = (case / "cmd").read_text().replace("nubbin reduce", f"nubbin reduce {options}", 1)
        asks = (case / "asks").read_text().strip() if (case / "asks").is_file() else ""
        told = shell(case, line, folder, _ASKED_S if asks else _MAX_S + _SPARE_S)
        events = [json.loads(each) for each in told.splitlines() if each.startswith("{")]
        learned: dict[str, Any] = next((e for e in events if e["event"] == "learned"), {})
        asked = max((e.get("queries", 0) for e in events), default=0)
        ended = next((e["message"] for e in events if e["event"] == "error"), "")
        named = "--hangs" if any(e.get("waited") for e in events) else ""
        if ended and not (learned or named):
            named = " ".join(dict.fromkeys(_OPTION.findall(ended)))
        verdict = "right" if asks and asks in named and not learned else "no result"
        if result.exists():
            place = Path(made, "check", name)
            place.parent.mkdir()
            result.rename(place)
            packages = case / name / "node_modules"
            # Packages are left out of the input, and linked for the test.
            if place.is_dir() and packages.is_dir():
                (place / "node_modules").symlink_to(packages)
            raw = (case / "raw").read_text()
            inside = place if place.is_dir() else place.parent
            output = Path(made, "output")
            shell(case, f"{{ {raw}\n}} >{output} 2>&1", inside, _SPARE_S)
            shown = subprocess.run(["bash", case / "check.sh", output], check=False).returncode == 0
            verdict = "right" if shown else "wrong"
        conditions = learned.get("conditions", {})
        said = " ".join(f"--{key} {readable(value)}" for key, value in conditions.items())
        doubt = "yes" if learned.get("doubt") else ""
        if not learned:
            said = f"asks for {named}" if named else ""
        quotes = "``" if "`" in said else "`"
        said = f"{quotes}{said}{quotes}".replace("|", "\\|")
        return [case.name, said, doubt, asked, verdict]


def readable(value: str | list[str]) -> str:
    """Return a value of what was learned as a person reads it, cut where it is long."""
    said = value if isinstance(value, str) else ", ".join(value)
    for mask, instead in _SHOWN:
        said = mask.sub(instead, said)
    return said if len(said) <= _MAX_CHARS else said[: _MAX_CHARS - 1].rstrip() + "…"


def experiment(case: Sequence[Path], *, queries: int = 40) -> Iterator[Table]:
    found = (each.resolve() for each in case if (each / "check.sh").is_file())
    yield Table(
        "case | learned | doubt | queries | result", (row(each, queries) for each in found), "lllrl"
    )
