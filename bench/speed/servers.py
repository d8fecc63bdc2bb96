"""Tests that are started once, as servers and functions, against tests started for each query.

    bench/run.py speed/servers [--queries N]

Each tool answers the same question about the same candidates, "does this JSON hold the number 17?":
as a command, which is started for every query, and as a server or a Python function. They take
turns, query by query, so that all meet the same load. The figures are medians of wall time per
query. The first answer, which is slow, is in a column of its own.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from harness.experiment import Table
from harness.reductions import executable
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_test import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin.verdict import Verdict
from speed.turns import in_turns

PYTHON = """\
import json
import sys

import scipy.stats


def holds(path):
    return 17 in json.loads(path.read_text())


if __name__ == "__main__":
    from pathlib import Path

    sys.exit(not holds(Path(sys.argv[1])))
"""

JAVA = """\
import java.io.*;
import java.nio.file.*;
import javax.xml.parsers.*;

public class Holds {
    static boolean holds(String path) throws Exception {
        var text = Files.readString(Path.of(path));
        var xml = new ByteArrayInputStream(("<a>" + text + "</a>").getBytes());
        var parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        return parser.parse(xml).getDocumentElement().getTextContent().contains("17");
    }

    public static void main(String[] words) throws Exception {
        if (words.length > 0)
            System.exit(holds(words[0]) ? 0 : 1);
        var paths = new BufferedReader(new InputStreamReader(System.in));
        for (String path; (path = paths.readLine()) != null; )
            System.out.println(holds(path) ? "interesting" : "uninteresting");
    }
}
"""


Kind = tuple[str, str, UserTest]  # the tool, the kind of test, and the test


def python(folder: Path) -> Iterator[Kind]:
    """A heavy import, as a command and as a function."""
    (folder / "holds.py").write_text(PYTHON)
    line = f'#!/bin/sh\nexec {sys.executable} {folder}/holds.py "$@"\n'
    command = executable(folder / "python.sh", line)
    yield "`import scipy.stats`", "command", CommandTest.of(command)
    yield "`import scipy.stats`", "`--python`", PythonTest.of(f"{folder}/holds.py:holds")


def java(folder: Path) -> Iterator[Kind]:
    """A virtual machine, as a command and as a server."""
    if shutil.which("javac") is None:
        print("no javac here: the JVM is left out", file=sys.stderr)
        return
    (folder / "Holds.java").write_text(JAVA)
    subprocess.run(["javac", folder / "Holds.java"], check=True)
    line = f'#!/bin/sh\nexec java -cp {folder} Holds "$@"\n'
    command = executable(folder / "java.sh", line)
    yield "a JVM that parses XML", "command", CommandTest.of(command)
    yield "a JVM that parses XML", "`--server`", ServerTest.of(f"java -cp {folder} Holds")


def ask(oracle: Oracle, numbers: Iterator[int]) -> None:
    """Ask the next question, whose answers are yes and no in turns."""
    number = next(numbers)
    wanted = Verdict.INTERESTING if number % 2 else Verdict.UNINTERESTING
    data = f"[{' ' * number}{17 if number % 2 else 18}]".encode()
    answer = oracle({"numbers.json": data})
    if answer.verdict is not wanted:
        sys.exit(f"a wrong answer: {answer}")


def experiment(*, queries: int = 50) -> Iterator[Table]:
    yield Table("tool | test | first, ms | each, ms | times faster", rows(queries), "llr")


def rows(queries: int) -> Iterator[list[object]]:
    """Yield the cells of each row."""
    with tempfile.TemporaryDirectory() as name:
        for made in (python, java):
            kinds = list(made(Path(name)))
            oracles = [LocalOracle(test, "numbers.json", timeout=60.0) for *_, test in kinds]
            calls = [partial(ask, oracle, count()) for oracle in oracles]
            usual = None
            for (tool, kind, _), times in zip(kinds, in_turns(calls, queries + 1), strict=True):
                each = median(times[1:])
                usual = usual or each
                figures = f"{times[0] * 1000:.0f}", f"{each * 1000:.1f}", f"{usual / each:.0f}"
                yield [tool, kind, *figures]
            for oracle in oracles:
                oracle.close()
