"""Functions that are tests. Here, for the process that calls one imports the file it is in."""

from __future__ import annotations

from pathlib import Path


def has_b(path: Path) -> bool:
    return b"b" in path.read_bytes()


def has_boom(path: Path) -> bool:
    return b"boom" in path.read_bytes()


def calls_printf(path: Path) -> bool:
    data = path.read_bytes()
    return b"printf" in data and data.count(b"(") == data.count(b")") > 1
