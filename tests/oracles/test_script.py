"""A script that `nubbin init` writes answers as the options do that it is made of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from examples import mostly_nightly
from faults import PATIENCE_S
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.commands.script import script_of
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec

CANDIDATES = (
    b"",
    b"boom\n",
    b"exit 3\n",
    b"kill -SEGV $$\n",
    'echo "‘x\'" >&2\n'.encode(),
)

ASKED: list[tuple[str, dict[str, Any]]] = [
    ("sh {}", {"exits": "3"}),
    ("sh {}; exit $?", {"exits": "SEGV"}),
    ("cat {} >&2", {"stderr": r"b\w+m", "no_stdout": "."}),
    ("cat", {"no_prints": "‘x'\""}),
    (r"sed 's/oo/o\x1b[31mo\x1b[m/' {}", {"prints": "boom"}),
    ("echo a:1: error: $(cat {})", {"known_errors": "exit|x'"}),
    ("cat {}; sh {}", {"no_stderr": r"\\|'"}),
    ("if grep boom {}; then sleep 600; fi", {"hangs": 0.5}),
    ("sh {}", {"differs": "true", "valid": ("test -s {}", "grep -v boom")}),
    ("sh {} # ends in a comment", {"exits": "3", "valid": ("true",)}),
]
ASKED_BY_NIGHT: list[tuple[str, dict[str, Any]]] = [
    ("sh {}", {"exits": "0"}),
    ("sh {}", {"exits": "nonzero"}),
    ("sh {}", {"exits": "signal"}),
    ("sh {}; exit $?", {"exits": "signal"}),
    ("exec sh {}", {"exits": "sigsegv"}),
    ("cat {}; sh {}", {"prints": "boom|exit"}),
    ("cat {}", {"stdout": "^boom$"}),
    ("grep boom {} || cat {} >&2", {"stdout": "boom"}),
    ("sh {}", {"stderr": "‘x"}),
    ("cat {}", {"differs": "tr o a <{}"}),
]


@pytest.mark.parametrize(
    "name", ["a 'b' \"c\".txt", *mostly_nightly(["input.txt", "-x", '"""', "é\\"], [])]
)
def test_any_name(tmp_path: Path, name: str) -> None:
    assert answers(tmp_path, name, "grep -q boom {}", {"exits": "0"}) == [
        False,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(("line", "asked"), mostly_nightly([*ASKED, *ASKED_BY_NIGHT], ASKED))
def test_answers_as_the_options_do(tmp_path: Path, line: str, asked: dict[str, Any]) -> None:
    assert len(set(answers(tmp_path, "input.txt", line, asked))) == 2


def answers(folder: Path, name: str, line: str, asked: dict[str, Any]) -> list[bool]:
    """Return what the options answer for each candidate, and so does the script."""
    conditions = Conditions(**asked)
    script = folder / "test"
    script.write_text(script_of(line, conditions, name, is_file=True))
    script.chmod(0o755)
    found = []
    for test in (RunTest((line,), str(folder), conditions=conditions), CommandTest.of(script)):
        with LocalOracle(OracleSpec(test, name), PATIENCE_S) as oracle:
            found.append([oracle({name: data}).verdict for data in CANDIDATES])
    options, scripts = found
    assert scripts == options
    return [verdict.value == "interesting" for verdict in options]


def test_a_folder(tmp_path: Path) -> None:
    script = tmp_path / "test"
    script.write_text(script_of("ls {}", Conditions(stdout="two"), "in", is_file=False))
    script.chmod(0o755)
    with LocalOracle(OracleSpec(CommandTest.of(script), "in"), PATIENCE_S) as oracle:
        assert oracle({"in/two": b""}).verdict.value == "interesting"
        assert oracle({"in/one": b""}).verdict.value == "uninteresting"


def test_is_a_program_that_ruff_would_accept(tmp_path: Path) -> None:
    conditions = Conditions(exits="signal", prints="x", valid=("true",), differs="false")
    script = tmp_path / "test.py"
    script.write_text(script_of("cat {}", conditions, "input.txt", is_file=True))
    script.chmod(0o755)
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", script],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout
