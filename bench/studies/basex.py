"""Make XML cases on which a query processor is wrong, and answer their tests' questions.

    bench/run.py studies/basex FOLDER [--count N] [--bytes N] [--seed N]

Draws nested random documents and random path queries until BaseX and the JDK's XPath engine
disagree on N of them, and writes each case into a folder `basex-SEED` in FOLDER. Then it serves
until it is killed: the tests ask this server, because a JVM takes a hundred times as long to start
as to answer. If FOLDER holds cases already, it only serves. Needs Debian's `basex` and a JDK.
"""

from __future__ import annotations

import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from nubbin_bench.cases import write_case
from studies.xml_draws import document, query

HERE = Path(__file__).resolve().parent
JAVA = ["java", "-XX:+UseSerialGC", "-Xmx1g", "-cp", "/usr/share/java/basex.jar"]
TEST = """#!/bin/bash
# exit 0: BaseX and the JDK select different elements. `bench/run.py studies/basex` must be serving.
exec 3<>"/dev/tcp/127.0.0.1/$(cat "${{0%/*}}/../port")" || exit 125
printf '%s\\n' "$PWD/doc.xml" '{query}' >&3
read -r answer <&3
exit "${{answer:-125}}"
"""
ABOUT = "BaseX and the JDK's XPath engine select different elements: {}"


def experiment(
    folder: Path, *, count: int = 12, bytes: int = 20_000, seed: int = 0
) -> Iterator[str]:
    folder.mkdir(parents=True, exist_ok=True)
    # BaseX writes its settings into its home.
    line = [*JAVA, f"-Dorg.basex.path={folder.resolve()}", str(HERE / "Differ.java")]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(line, stdout=pipe, stderr=null, text=True) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            (folder / "port").write_text(f"{port}\n")
            if not any(folder.glob("basex-*")):
                yield from made(folder, port, count, bytes, seed)
            yield "serving"
            server.wait()
        except KeyboardInterrupt:
            sys.exit(130)
        finally:
            server.terminate()


def made(folder: Path, port: int, count: int, size: int, seed: int) -> Iterator[str]:
    """Write one case per document: the first query on which the engines disagree."""
    found: set[str] = set()
    candidate = folder / "candidate.xml"
    while len(found) < count:
        draw = random.Random(seed)
        text, case = document(draw, size), folder / f"basex-{seed}"
        candidate.write_text(text)
        drawn = (query(draw) for _ in range(300))
        if one := next((q for q in drawn if q not in found and differ(port, candidate, q)), None):
            found.add(one)
            about = ABOUT.format(one)
            write_case(case, "doc.xml", text, TEST.format(query=one), about=about, defect="basex")
            yield f"{case.name}: {one}"
        seed += 1
    candidate.unlink()


def differ(port: int, file: Path, drawn: str) -> bool:
    """Ask the server whether the engines disagree on a query of a document."""
    with socket.create_connection(("127.0.0.1", port)) as server:
        server.sendall(f"{file.resolve()}\n{drawn}\n".encode())
        return server.recv(1) == b"0"
