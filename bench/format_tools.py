"""What the formats of `formats.py` share: texts that count themselves, and strict readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple


class Format(NamedTuple):
    """A format: a text of it, and whether a text can be read and has the one odd value in it.

    `read` raises some error, or returns False, for whatever does not fit together.
    """

    name: str
    suffix: str
    write: Callable[[], bytes]
    read: Callable[[bytes], bool]


def must(holds: object) -> None:
    """Raise ValueError unless something holds."""
    if not holds:
        raise ValueError


def text(*parts: object) -> bytes:
    """Return lines as a text."""
    return "".join(f"{part}\n" for part in parts).encode()


def words(parts: Iterable[object]) -> str:
    """Return words as a line."""
    return " ".join(map(str, parts))


def lines(data: bytes) -> list[str]:
    return data.decode().splitlines()


def rows(data: bytes) -> list[list[str]]:
    """Return the words of each line."""
    return [line.split() for line in lines(data)]


def is_refused(read: Callable[[bytes], bool], data: bytes) -> bool:
    """Tell whether a reader raises an error or does not find what is odd."""
    try:
        return not read(data)
    except Exception:
        return True
