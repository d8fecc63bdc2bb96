#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Tests that are started once, as servers and functions, against tests started for each query.

    bench/servers.py [--queries N]

Each tool answers the same question about the same candidates, "does this JSON hold the number 17?":
as a command, which is started for every query, and as a server or a Python function. They take
turns, query by query, so that all meet the same load. The figures are medians of wall time per
query. The first answer, which is slow, is in a column of its own.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import command_line
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_test import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin.verdict import Verdict
from nubbin_bench.markdown import print_table

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


def script(folder: Path, name: str, command: str) -> Path:
    """Write a script that runs a command with its own arguments."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    path.chmod(0o755)
    return path


def python(folder: Path) -> Iterator[Kind]:
    """A heavy import, as a command and as a function."""
    (folder / "holds.py").write_text(PYTHON)
    command = script(folder, "python.sh", f"{sys.executable} {folder}/holds.py")
    yield "`import scipy.stats`", "command", CommandTest.of(command)
    yield "`import scipy.stats`", "`--python`", PythonTest.of(f"{folder}/holds.py:holds")


def java(folder: Path) -> Iterator[Kind]:
    """A virtual machine, as a command and as a server."""
    if shutil.which("javac") is None:
        print("no javac here: the JVM is left out", file=sys.stderr)
        return
    (folder / "Holds.java").write_text(JAVA)
    subprocess.run(["javac", folder / "Holds.java"], check=True)
    command = script(folder, "java.sh", f"java -cp {folder} Holds")
    yield "a JVM that parses XML", "command", CommandTest.of(command)
    yield "a JVM that parses XML", "`--server`", ServerTest.of(f"java -cp {folder} Holds")


def measured(oracles: Sequence[Oracle], queries: int) -> list[list[float]]:
    """Return the seconds of each query of each oracle, asked in turn."""
    seconds: list[list[float]] = [[] for _ in oracles]
    for number in range(queries + 1):
        wanted = Verdict.INTERESTING if number % 2 else Verdict.UNINTERESTING
        data = f"[{' ' * number}{17 if number % 2 else 18}]".encode()
        for times, oracle in zip(seconds, oracles, strict=True):
            started = time.perf_counter()
            answer = oracle({"numbers.json": data})
            times.append(time.perf_counter() - started)
            if answer.verdict is not wanted:
                sys.exit(f"a wrong answer: {answer}")
    return seconds


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("--queries", type=int, default=50, help="of each kind")
    head = ["tool", "test", "first, ms", "each, ms", "times faster"]
    print_table(head, rows(parser.parse_args().queries), align="llr")


def rows(queries: int) -> Iterator[list[str]]:
    """Yield the cells of each row."""
    with tempfile.TemporaryDirectory() as name:
        for made in (python, java):
            kinds = list(made(Path(name)))
            oracles = [LocalOracle(test, "numbers.json", timeout=60.0) for *_, test in kinds]
            usual = None
            for (tool, kind, _), times in zip(kinds, measured(oracles, queries), strict=True):
                each = statistics.median(times[1:])
                usual = usual or each
                figures = [f"{times[0] * 1000:.0f}", f"{each * 1000:.1f}", f"{usual / each:.0f}"]
                yield [tool, kind, *figures]
            for oracle in oracles:
                oracle.close()


if __name__ == "__main__":
    main()
