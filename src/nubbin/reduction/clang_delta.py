"""Candidates for C and C++ from clang_delta, the transformations of C-Reduce and C-Vise."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Iterator
from functools import cache
from glob import glob
from pathlib import Path

from nubbin.documents.file import File

_PLACES = ("/usr/lib*/cvise/clang_delta", "/usr/lib*/creduce/clang_delta")
_PATIENCE = 20.0  # seconds for a single transformation
_FEW = 64  # instances of a transformation that are tried one by one


class ClangDelta:
    """A source of candidates: each instance of each transformation that clang_delta knows.

    It parses what it is given; what it cannot make sense of has no candidates. It begins with the
    transformation that came last, which may have been the one that was interesting. Costs some
    seconds for all of them, and no query for a candidate that is not smaller.
    """

    def __init__(self, program: str, suffix: str):
        self._program = program
        self._suffix = suffix
        self._left = deque(_transformations(program))

    def candidates(self, file: File) -> Iterator[bytes]:
        """Yield the outcome of one transformation at one place after another."""
        with tempfile.TemporaryDirectory(prefix="nubbin-clang-") as folder:
            place = Path(folder, f"input{self._suffix}")
            place.write_bytes(file.data)
            for _ in range(len(self._left)):
                name = self._left[0]
                for number in range(min(self._instances(name, place), _FEW), 0, -1):
                    made = self._run(f"--transformation={name}", f"--counter={number}", place)
                    if made and made != file.data:
                        yield made
                self._left.rotate(-1)

    def _instances(self, name: str, place: Path) -> int:
        told = re.search(rb"instances: *(\d+)", self._run(f"--query-instances={name}", place))
        return int(told[1]) if told else 0

    def _run(self, *words: str | Path) -> bytes:
        try:
            ran = subprocess.run(
                [self._program, "--std=c++20", *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_PATIENCE,
            )
        except (subprocess.TimeoutExpired, OSError):
            return b""
        return ran.stdout if ran.returncode == 0 else b""


@cache
def installed() -> str | None:
    """Return the path of clang_delta, which neither C-Reduce nor C-Vise puts on the PATH."""
    found = [place for pattern in _PLACES for place in sorted(glob(pattern, recursive=True))]  # noqa: PTH207
    return shutil.which("clang_delta") or next(iter(found), None)


@cache
def _transformations(program: str) -> tuple[str, ...]:
    ran = subprocess.run(
        [program, "--transformations"], capture_output=True, text=True, check=False
    )
    return tuple(ran.stdout.split()) if ran.returncode == 0 else ()
