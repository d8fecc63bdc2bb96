#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Make XML cases on which a query processor is wrong, and answer their tests' questions.

    bench/basex.py FOLDER [--count N] [--bytes N] [--seed N]

Draws nested random documents and random path queries until BaseX and the JDK's XPath engine
disagree on N of them, and writes each case into a folder `basex-SEED` in FOLDER. Then it serves
until it is killed: the tests ask this server, because a JVM takes a hundred times as long to start
as to answer. If FOLDER holds cases already, it only serves. Needs Debian's `basex` and a JDK.
"""

from __future__ import annotations

import argparse
import random
import socket
import subprocess
import sys
from pathlib import Path

import command_line
from nubbin_bench.cases import write_case
from xml_draws import document, query

HERE = Path(__file__).resolve().parent
JAVA = ["java", "-XX:+UseSerialGC", "-Xmx1g", "-cp", "/usr/share/java/basex.jar"]
TEST = """#!/bin/bash
# exit 0: BaseX and the JDK select different elements. bench/basex.py must be serving.
exec 3<>"/dev/tcp/127.0.0.1/$(cat "${{0%/*}}/../port")" || exit 125
printf '%s\\n' "$PWD/doc.xml" '{query}' >&3
read -r answer <&3
exit "${{answer:-125}}"
"""
ABOUT = "BaseX and the JDK's XPath engine select different elements: {}"


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=12, help="number of cases (12)")
    parser.add_argument("--bytes", type=int, default=20_000, help="of a document (20,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first document (0)")
    options = parser.parse_args()
    command_line.exit_on_sigterm()
    options.folder.mkdir(parents=True, exist_ok=True)
    # BaseX writes its settings into its home.
    home = f"-Dorg.basex.path={options.folder.resolve()}"
    line = [*JAVA, home, str(HERE / "Differ.java")]
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            (options.folder / "port").write_text(f"{port}\n")
            if not any(options.folder.glob("basex-*")):
                make(options, port)
            print("serving", flush=True)
            server.wait()
        except KeyboardInterrupt:
            sys.exit(130)
        finally:
            server.terminate()


def make(options: argparse.Namespace, port: int) -> None:
    """Write one case per document: the first query on which the engines disagree."""
    seed, made = options.seed, 0
    found: set[str] = set()
    candidate = options.folder / "candidate.xml"
    while made < options.count:
        draw = random.Random(seed)
        text, folder = document(draw, options.bytes), options.folder / f"basex-{seed}"
        candidate.write_text(text)
        for _ in range(300):
            drawn = query(draw)
            if drawn not in found and differ(port, candidate, drawn):
                found.add(drawn)
                write_case(
                    folder,
                    "doc.xml",
                    text,
                    TEST.format(query=drawn),
                    about=ABOUT.format(drawn),
                    defect="basex",
                )
                print(f"{folder.name}: {drawn}", flush=True)
                made += 1
                break
        seed += 1
    candidate.unlink()


def differ(port: int, file: Path, drawn: str) -> bool:
    """Ask the server whether the engines disagree on a query of a document."""
    with socket.create_connection(("127.0.0.1", port)) as server:
        server.sendall(f"{file.resolve()}\n{drawn}\n".encode())
        return server.recv(1) == b"0"


if __name__ == "__main__":
    main()
