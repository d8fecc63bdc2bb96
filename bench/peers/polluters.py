"""Make suites in which tests make a later test fail; count the runs of pytest of two searches.

    bench/run.py peers/polluters PYTHON

PYTHON has pytest and detect-test-pollution. The suites have 120 to 240 tests: one polluter leaves a
decimal context changed, one registers a hook, and two are needed together. All have one job.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.experiment import Table
from harness.reductions import NUBBIN

_COUNTED = """import os


def pytest_sessionstart(session):
    with open(os.environ["RUNS"], "a") as log:
        log.write("run\\n")
"""
_HOOKS = """HOOKS, MODE = [], ["{0}"]


def render(text):
    for hook in HOOKS:
        text = hook(text)
    return text
"""
_UPPER = "registry.HOOKS.append(lambda x: x.upper() if registry.MODE[0] == 'loud' else x)"
_PLAIN = "assert registry.render('X{0}') == 'X{0}'"
_THIRD = "assert str(decimal.Decimal(1) / 3) == '0.' + '3' * 28"

#: The module that tests share, files, tests in each, what other tests do, and what tests at some
#: (file, place) do; the last of these is the test that fails.
SUITES = {
    "a context": (
        ("decimal", ""),
        (8, 15),
        "assert decimal.Decimal({0}) + 1 >= 1",
        {(2, 6): "decimal.getcontext().prec = 3", (6, 9): _THIRD},
    ),
    "a hook": (
        ("registry", _HOOKS.format("loud")),
        (12, 20),
        _PLAIN,
        {(1, 11): _UPPER, (10, 17): "assert registry.render('a') == 'a'"},
    ),
    "a hook and a mode": (
        ("registry", _HOOKS.format("plain")),
        (12, 20),
        _PLAIN,
        {
            (1, 11): _UPPER,
            (7, 3): "registry.MODE[0] = 'loud'",
            (10, 17): "assert registry.render('a') == 'a'",
        },
    ),
}


def made(name: str, folder: Path) -> str:
    """Write a suite, and return the id of the test that fails in it."""
    (module, text), (files, size), other, special = SUITES[name]
    (folder / "conftest.py").write_text(_COUNTED)
    if text:
        (folder / f"{module}.py").write_text(text)
    for file in range(files):
        lines = [f"import {module}"]
        for at in range(size):
            body = special.get((file, at), other.format(at))
            lines.append(f"\n\ndef test_{at}():\n    {body}")
        (folder / f"test_m{file:02}.py").write_text("\n".join(lines) + "\n")
    file, at = max(special)
    return f"test_m{file:02}.py::test_{at}"


def runs_of(command: Sequence[str], folder: Path, python: Path) -> tuple[int, list[str]]:
    """Return how often a command ran pytest, and the lines that it printed."""
    log = folder / "runs"
    log.write_text("")
    path = os.pathsep.join([str(python.parent), os.environ["PATH"]])
    env = os.environ | {"RUNS": str(log), "PATH": path}
    ran = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return len(log.read_text().splitlines()), ran.stdout.splitlines()


def experiment(python: Path) -> Iterator[Table]:
    rows = []
    for name in SUITES:
        for tool in ("nubbin", "detect-test-pollution"):
            with tempfile.TemporaryDirectory() as made_in:
                folder = Path(made_in)
                failing = made(name, folder)
                ours = [*NUBBIN, "pytest", "--jobs=1", failing]
                program = str(python.parent / "detect-test-pollution")
                theirs = [program, "--failing-test", failing, "--tests", "."]
                runs, said = runs_of(ours if tool == "nubbin" else theirs, folder, python)
                found = [word for line in said[-3:] for word in line.split() if "::" in word]
                rows.append([name, tool, runs, ", ".join(found) or "none"])
    yield Table("suite | tool | runs of pytest | found", rows, "llrl")
