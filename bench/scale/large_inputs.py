"""Large inputs for `scale/owntime`: made here, and always the same.

    bench/run.py scale/large_inputs FOLDER

Preprocessed C++ needs `g++`; what it makes depends on its headers.
"""

import json
import random
import subprocess
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

_HEADERS = ("map", "string", "vector", "set")
_WORDS = """alpha beta gamma delta order user price total item count status name value date city
street note code level group owner parent child left right first last size weight""".split()  # noqa: SIM905


def experiment(folder: Path) -> Iterator[str]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "headers.cpp").write_bytes(_preprocessed())
    fill(folder / "functions.c", functions(), 170_000)
    fill(folder / "guide.md", _guide(), 200_000)
    fill(folder / "tree.sql", statements(), 1_000_000)
    fill(folder / "lines.txt", lines(), 4_000_000)
    fill(folder / "records.json", records(), 20_000_000)
    fill(folder / "dump.sql", statements(), 20_000_000)
    fill(folder / "rows.csv", _rows(), 200_000_000)
    fill(folder / "line.txt", (line.replace("\n", " ") for line in lines()), 50_000_000)
    fill_folder(folder / "files", 20_000)
    yield f"made in {folder}"


def fill(path: Path, parts: Iterable[str], size: int) -> None:
    """Write parts until there are that many bytes."""
    written = 0
    with path.open("w") as stream:
        for part in parts:
            written += stream.write(part)
            if written >= size:
                return


def fill_folder(folder: Path, files: int) -> None:
    for number, text in zip(range(files), functions(), strict=False):
        below = folder / f"part{number % 100:02}"
        below.mkdir(parents=True, exist_ok=True)
        (below / f"file{number:05}.c").write_text(text)


def _preprocessed() -> bytes:
    program = "".join(f"#include <{name}>\n" for name in _HEADERS) + "int main() { return 0; }\n"
    command = ["g++", "-E", "-P", "-x", "c++", "-"]
    return subprocess.run(
        command, input=program.encode(), stdout=subprocess.PIPE, check=True
    ).stdout


def functions() -> Iterator[str]:
    draw = random.Random(1)
    for number in count():
        calls = "".join(
            f"    if (x > {draw.randrange(99)}) {{ y += f{draw.randrange(number + 1)}(x - 1); }}\n"
            for _ in range(draw.randrange(1, 8))
        )
        yield f"int f{number}(int x)\n{{\n    int y = {number};\n{calls}    return y;\n}}\n\n"


def _guide() -> Iterator[str]:
    draw = random.Random(2)
    for number in count():
        yield f"# Chapter {number}\n\n" + " ".join(draw.choices(_WORDS, k=40)) + ".\n\n"
        for depth in range(5):
            yield "  " * depth + f"- item {number} {depth}: *{draw.choice(_WORDS)}*\n"
        yield f"\n> quoted {number}\n> > twice, `{draw.choice(_WORDS)}`\n\n"
        yield f"```c\nint g{number}(void) {{ return {draw.randrange(999)}; }}\n```\n\n"


def statements() -> Iterator[str]:
    draw = random.Random(3)
    for table in count():
        yield f"CREATE TABLE t{table} (id INTEGER PRIMARY KEY, name TEXT, price REAL);\n"
        for number in range(400):
            name = f"{draw.choice(_WORDS)} {draw.randrange(9**6)}"
            price = draw.randrange(9999) / 100
            yield f"INSERT INTO t{table} VALUES ({number}, '{name}', {price});\n"


def lines() -> Iterator[str]:
    draw = random.Random(4)
    for number in count():
        words = " ".join(draw.choices(_WORDS, k=6))
        yield f"{number:09} {draw.randrange(16**8):08x} {words}\n"


def records() -> Iterator[str]:
    draw = random.Random(5)
    for number in count():
        record = {
            "id": number,
            "name": " ".join(draw.choices(_WORDS, k=3)),
            "tags": draw.choices(_WORDS, k=4),
            "place": {"city": draw.choice(_WORDS), "zip": f"{draw.randrange(9**6):06}"},
        }
        yield json.dumps(record) + "\n"


def _rows() -> Iterator[str]:
    draw = random.Random(6)
    block = [
        ",".join([*draw.choices(_WORDS, k=4), f"{draw.randrange(9**6)}", f"{draw.random():.6f}"])
        for _ in range(10_000)
    ]
    yield "number,one,two,three,four,five,six\n"
    for start in count(0, len(block)):
        yield "".join(f"{start + i},{row}\n" for i, row in enumerate(block))
