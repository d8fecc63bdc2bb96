"""The C suite: the paper's 20 programs, with tests of ours for today's tools.

The compilers on which they failed are from 2014 to 2016 and gone, so each test asks for something
else that today's tools do with the program: `c_tests.csv` names the test of each, in `c_tests`, and
the SHA-256 of the input. Thirteen of them show one bug of splint.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from nubbin.bench.cases import Case, Unavailable
from nubbin.oracles.user_test import UserTest

_HERE = Path(__file__).parent
_TOOL = re.compile(r"\b(gcc-12|splint|tcc) -")


def c_cases(checkout: Path, work: Path) -> Iterator[Case | Unavailable]:
    """Yield the cases by name; those whose tools are not installed are not available."""
    with (_HERE / "c_tests.csv").open(newline="") as file:
        for row in sorted(csv.DictReader(file), key=lambda row: row["benchmark"]):
            source = checkout / f"benchmarks/compilerbugs/{row['benchmark']}/small.c"
            yield _case(row["benchmark"], source, _HERE / f"c_tests/{row['test']}.sh", row["input"])


def _case(name: str, source: Path, test: Path, expected: str) -> Case | Unavailable:
    tools = tuple(sorted(set(_TOOL.findall(test.read_text()))))
    absent = [tool for tool in tools if shutil.which(tool) is None]
    if absent:
        return Unavailable(name, f"{' and '.join(absent)} must be installed for its test")
    if not source.is_file() or sha256(source.read_bytes()).hexdigest() != expected:
        return Unavailable(name, "its input is not the one that was measured")
    return Case(name, source, UserTest.command(test), "c", tools)
