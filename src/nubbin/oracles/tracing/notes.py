"""What was noted of a traced run: reads what the programs in `startup` and strace write."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

from nubbin.oracles.tracing.v8_coverage import lines_that_ran

_MAX_LINES, _MAX_LINE_BYTES = 2_000_000, 1 << 16
#: A system call: perhaps an open folder, and a path, which begins there unless it is absolute.
_CALL = re.compile(rb'^\d+ +(\w+)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_OPENING = re.compile(rb"open|readlink")
#: How a call ends that fails; of most that run a program, this is how they look for it.
_FAILED = b"= -1 "
#: What a program says of itself as it starts. Like all else in notes, the run may have written it.
_RUNS = re.compile(r"(?:Python|node) \d+\.[\w.+-]{1,40}", re.ASCII)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f"}


@dataclass(frozen=True, slots=True)
class Used:
    """The paths that a run opened, looked up and executed, and what ran: programs and lines.

    Paths are relative to the folder of its query if they are in it, else absolute; or they begin
    with `ANYWHERE`, if nobody knows in which folder they begin. What was executed was opened.
    `programs` are names with versions. `modules` are those that Python has imported, in their
    order, and where from. The run may have written any of it into its notes: it is data.
    """

    opened: frozenset[str]
    looked_up: frozenset[str]
    programs: frozenset[str]
    ran: dict[str, frozenset[int]] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    executed: frozenset[str] = frozenset()


NOTHING_USED: Final = Used(frozenset(), frozenset(), frozenset())

#: What V8 writes is in this folder.
V8 = "v8"
#: The folder of a path that begins in an unknown one.
ANYWHERE = "?/"
#: What lies here is of the tracing, and nothing that the run needs.
STARTUP = Path(__file__).with_name("startup")


def used(notes: Path, folder: str) -> Used:
    """Return what a run has used whose query has a folder."""
    at, real = f"{folder}/", f"{os.path.realpath(folder)}/"
    found: defaultdict[bytes, set[str]] = defaultdict(set)
    lines: defaultdict[str, set[int]] = defaultdict(set)
    modules: dict[str, str] = {}
    for kind, path in _notes(notes):
        if path.startswith(f"{STARTUP}/"):
            continue
        if kind == b"line":
            number, _, file = path.partition(" ")
            if number.isdecimal():
                lines[os.path.realpath(file).removeprefix(real)].add(int(number))
            continue
        if kind == b"module":
            name, _, origin = path.partition(" ")
            modules[name] = origin.removeprefix(at).removeprefix(real)
            continue
        if kind == b"runs":
            if _RUNS.fullmatch(path):
                found[kind].add(path)
            continue
        if not os.path.isabs(path):  # noqa: PTH117
            found[kind].add(ANYWHERE + os.path.normpath(path))
            continue
        # As it is named, and as what it leads to: a link is used, and so is its target.
        for each in {os.path.normpath(path), os.path.realpath(path)}:
            within = each.removeprefix(at).removeprefix(real)
            found[kind].update(_with_folders(within) if within != each else (each,))
    for script, ran_there in lines_that_ran(notes / V8, real):
        lines[script.removeprefix(real)] |= ran_there
    kinds = (b"open", b"look", b"runs", b"exec")
    opened, looked_up, programs, executed = (frozenset(found[kind]) for kind in kinds)
    ran = {path: frozenset(numbers) for path, numbers in lines.items()}
    return Used(opened | executed, looked_up, programs, ran, modules, executed)


def _with_folders(path: str) -> Iterator[str]:
    """Yield a path and the folders on the way, each of which may be a link."""
    while path:
        yield path
        path = path.rpartition("/")[0]


def _notes(folder: Path) -> Iterator[tuple[bytes, str]]:
    """Yield what was done and with which path: `open`, `look`, `exec`, `runs`, `line` or `module`.

    With `runs` it is a program, with `line` a number and a path, with `module` a name and where
    the module is from.
    """
    with suppress(OSError):
        for file in sorted(each for each in folder.iterdir() if each.is_file()):
            read = _called if file.name == "strace" else _noted
            with file.open("rb") as opened:
                for line in islice(
                    iter(partial(opened.readline, _MAX_LINE_BYTES), b""), _MAX_LINES
                ):
                    kind, path = read(line.rstrip(b"\n"))
                    if b"\0" not in path and path:
                        yield kind, os.fsdecode(path)


def _noted(line: bytes) -> tuple[bytes, bytes]:
    kind, _, path = line.partition(b" ")
    return kind, path


def _called(line: bytes) -> tuple[bytes, bytes]:
    call = _CALL.match(line)
    if call is None:
        return b"", b""
    folder, path = (_ESCAPE.sub(_plain, each or b"") for each in call.groups()[1:])
    kind = b"open" if _OPENING.match(call[1]) else b"look"
    if call[1].startswith(b"exec"):
        kind = b"look" if _FAILED in line[call.end() :] else b"exec"
    return kind, os.path.join(folder, path)  # noqa: PTH118


def _plain(escape: re.Match[bytes]) -> bytes:
    text = escape[1]
    return bytes([int(text, 8) & 255]) if text.isdigit() else _ESCAPED.get(text, text)
