"""Strict readers: a candidate that its format does not allow is rejected, as real tools do."""

from __future__ import annotations

import re
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from xml.etree.ElementTree import ParseError

from ledger.case import Case, Files, reduced

#: What readers raise for a text that is not well formed.
MALFORMED = (
    *(
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        SyntaxError,
        ParseError,
        AssertionError,
        EOFError,
        struct.error,
    ),
    *(zlib.error, tarfile.TarError, zipfile.BadZipFile, RecursionError, OverflowError),
)


def strict(test: Callable[[bytes], object]) -> Callable[[Files], bool]:
    """Accept a single file that a test finds true, and that it can read."""
    return strict_files(lambda files: test(next(iter(files.values()))))


def strict_files(test: Callable[[Files], object]) -> Callable[[Files], bool]:
    """Accept files that a test finds true, and that it can read."""

    def accepts(files: Files) -> bool:
        try:
            return bool(files) and bool(test(files))
        except MALFORMED:
            return False

    return accepts


def case(
    name: str, kind: str, data: str | bytes, test: Callable[[bytes], object], open: str = ""
) -> Case:
    """Return the case of a single file, whose name tells its language."""
    raw = data.encode() if isinstance(data, str) else data
    return Case(name, kind, lambda: reduced({name: raw}, strict(test)), open)


def folder_case(
    name: str, kind: str, files: Files, test: Callable[[Files], object], open: str = ""
) -> Case:
    """Return the case of several files."""
    return Case(name, kind, lambda: reduced(files, strict_files(test)), open)


def nested(text: str, pairs: str = "()[]{}") -> str:
    """Return a text whose brackets nest; raises ValueError for another."""
    closes, expected = dict(zip(pairs[::2], pairs[1::2], strict=True)), [""]
    for mark in text:
        if mark in closes:
            expected.append(closes[mark])
        elif mark in pairs and expected.pop() != mark:
            raise ValueError(f"a {mark!r} closes nothing")
    if expected != [""]:
        raise ValueError(f"no {expected[-1]!r}")
    return text


def declared(text: str, introduced: str, known: str = "") -> str:
    """Return a text that introduces all words it uses; raises NameError's kin, LookupError."""
    names = {name for match in re.findall(introduced, text) for name in [match] if name}
    missing = {*re.findall(r"[A-Za-z_]\w*", text)} - names - {*known.split()}
    if missing:
        raise LookupError(f"nobody declares {sorted(missing)}")
    return text
