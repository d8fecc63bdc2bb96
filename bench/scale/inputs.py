"""Large inputs: made here, and always the same."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

_WORDS = """alpha beta gamma delta order user price total item count status name value date city
street note code level group owner parent child left right first last size weight""".split()  # noqa: SIM905


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


def calling(seed: int, call: str, function: str) -> Iterator[str]:
    """Yield functions of some language that call earlier ones: templates of a call and the rest."""
    draw = random.Random(seed)
    for number in count():
        calls = (
            call.format(draw.randrange(99), draw.randrange(number + 1))
            for _ in range(draw.randrange(1, 8))
        )
        yield function.format(number, "".join(calls))


def functions() -> Iterator[str]:
    """Yield functions of C that call one another."""
    return calling(
        1,
        "    if (x > {}) {{ y += f{}(x - 1); }}\n",
        "int f{0}(int x)\n{{\n    int y = {0};\n{1}    return y;\n}}\n\n",
    )


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


def one_line() -> Iterator[str]:
    """Yield records of JSON as the elements of one list, which is never closed."""
    draw = random.Random(5)
    yield "["
    for number in count():
        record = {
            "id": number,
            "name": " ".join(draw.choices(_WORDS, k=3)),
            "tags": draw.choices(_WORDS, k=4),
            "place": {"city": draw.choice(_WORDS), "zip": f"{draw.randrange(9**6):06}"},
        }
        yield json.dumps(record) + ", "


def modules() -> Iterator[str]:
    """Yield functions of Python that call one another."""
    return calling(
        7,
        "    if x > {}:\n        y += f{}(x - 1)\n",
        "def f{0}(x):\n    y = {0}\n{1}    return y\n\n\n",
    )
