"""The C suite: the paper's 20 programs, with tests of ours for today's tools.

The compilers on which they failed are from 2014 to 2016 and gone, so each test asks for something
else that a compiler or an analyser of today does with the program. `c_tests.csv` says what: the
tool, its options, the message with which it fails, and the SHA-256 of the input.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from nubbin.research import CommandTest
from nubbin_bench.cases import Case, Unavailable

_HERE = Path(__file__).parent
_TEST = _HERE / "c_test.sh"
#: What the test itself runs, beside the tool of the case.
_ALWAYS = ("gcc-12", "setarch")


def c_cases(checkout: Path, work: Path) -> Iterator[Case | Unavailable]:
    """Yield the cases by name; those whose tools are not installed are not available."""
    with (_HERE / "c_tests.csv").open(newline="") as file:
        for row in sorted(csv.DictReader(file), key=lambda row: row["benchmark"]):
            source = checkout / f"benchmarks/compilerbugs/{row['benchmark']}/small.c"
            yield _case(row, source)


def _case(row: dict[str, str], source: Path) -> Case | Unavailable:
    tools = tuple(sorted({*_ALWAYS, row["tool"]}))
    absent = [tool for tool in tools if shutil.which(tool) is None]
    if absent:
        return Unavailable(
            row["benchmark"], f"{' and '.join(absent)} must be installed for its test"
        )
    if not source.is_file() or sha256(source.read_bytes()).hexdigest() != row["input"]:
        return Unavailable(row["benchmark"], "its input is not the one that was measured")
    command = f"{row['tool']} {row['options']}"
    test = CommandTest((str(_TEST), row["message"], command), str(_HERE))
    return Case(row["benchmark"], source, test, "c", tools, _defect(row))


def _defect(row: dict[str, str]) -> str:
    """Return the tool with its target, and its message: where it stops is what is wrong."""
    target = [word for word in row["options"].split() if word.startswith("--target=")]
    return f"{' '.join([row['tool'], *target])}: {row['message']}"
