"""What the formats of `counted.py` share: a text that counts itself, and a strict reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

_TEXTS = Path(__file__).with_name("texts")


class Format(NamedTuple):
    """A format: whether a text of it can be read and has the one odd value in it.

    `read` raises some error, or returns False, for whatever does not fit together.
    """

    name: str
    suffix: str
    read: Callable[[bytes], bool]

    @property
    def text(self) -> bytes:
        """The text that is reduced, a file of its own."""
        return (_TEXTS / f"{self.name.replace(' ', '-')}{self.suffix}").read_bytes()


def must(holds: object) -> None:
    """Raise ValueError unless something holds."""
    if not holds:
        raise ValueError


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
