"""Trace a run of a test, and read the notes of the tracers, to find the files that it uses."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import msgspec

from nubbin.disk import beginning
from nubbin.oracles.commands.command_test import CommandRunner, CommandTest
from nubbin.oracles.commands.run_test import RunTest, ShellRunner
from nubbin.oracles.isolation.candidate_files import Candidate, with_folders
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin.oracles.output import PipeReader
from nubbin.oracles.processes.process import Lost
from nubbin.oracles.tracing.packages import tools
from nubbin.pattern import pattern
from nubbin_core.verdict import Answer
from nubbin_core.waiting import run

#: Records the system calls of a process and its children that name a file.
_STRACE: Final = (
    *("strace", "-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096"),
    *("-e", "trace=%file", "-e", "signal=none"),
)

#: The time limit of a tool that prints its version.
_MAX_VERSION_S: Final = 5.0
_SETS_PATH: Final = pattern(r"\bPYTHONPATH=")

_SHELL: Final = pattern(r"\b(?:ba|da|k|z)?sh\b")
#: The longest text that can be a word of a command.
_MAX_WORD_BYTES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Tracer(Runner):
    """Runs a test with all available tracers, which write notes to the query's folder.

    Each run passes to `found` what it has used.
    """

    test: RunTest | CommandTest
    found: Callable[[Used], None]
    folders: QueryFolders

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the test once."""
        notes = f"{candidate.folder}/nubbin-trace"
        os.mkdir(notes, 0o700)
        words = [
            "/usr/bin/env",
            f"NUBBIN_TRACE={notes}",
            f"PYTHONPATH={_before(str(STARTUP), 'PYTHONPATH', ':')}",
            f"NODE_V8_COVERAGE={notes}/{V8}",
            f"NODE_OPTIONS={_before(_node_option(), 'NODE_OPTIONS', ' ')}",
        ]
        if has_strace():
            words += [*_STRACE, "-o", f"{notes}/strace"]
        self.folders.before = words
        try:
            answer = self._runner().run(candidate, limit, explain=explain)
        finally:
            self.folders.before = ()
        seen = used(Path(notes), candidate.folder)
        versions = tools(seen.executed, self.test.folder, partial(self._said, candidate))
        self.found(replace(seen, programs=seen.programs | versions))
        return answer

    def _runner(self) -> Runner:
        """Return the runner of the test, with our folder first wherever it sets PYTHONPATH.

        The text of a shell script is then a word of the command, so the script is not changed.
        """
        test = self.test
        if isinstance(test, RunTest):
            line, given = _also_tracing(test.line), test.given_files
            return ShellRunner(line, test.conditions, self.folders, given=given)
        words, script = test.interpreter_words, test.scripts.get(test.words[0], "")
        is_of_shell = words and _SHELL.search(words[0]) and len(script) <= _MAX_WORD_BYTES
        if not is_of_shell or (traced := _also_tracing(script)) == script:
            return test.runner(self.folders)
        return CommandRunner((*words, "-c", traced, *test.words), self.folders)

    def _said(self, candidate: Candidate, command: Sequence[str]) -> bytes:
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            with PipeReader() as output, suppress(OSError, Lost):
                streams = null, output.writer, null
                with self.folders.start(command, candidate, streams) as process:
                    process.wait(_MAX_VERSION_S)
        finally:
            os.close(null)
        return bytes(output.excerpt)


def _also_tracing(line: str) -> str:
    """Return a text for the shell with our folder first wherever it sets PYTHONPATH."""
    is_plain = shlex.quote(str(STARTUP)) == str(STARTUP)  # it fits into any quotes of the line
    return _SETS_PATH.sub(lambda sets: f"{sets[0]}{STARTUP}:", line) if is_plain else line


def _before(value: str, variable: str, separator: str) -> str:
    given = os.environ.get(variable)
    return f"{value}{separator}{given}" if given else value


def _node_option() -> str:
    escaped = str(STARTUP / "trace.cjs").replace("\\", "\\\\").replace('"', '\\"')
    return f'--require="{escaped}"'


def has_strace() -> bool:
    """Tell whether strace is installed and allowed: a container may forbid it."""
    found = shutil.which(_STRACE[0])
    if found is None:
        return False
    command = [*_STRACE, "-o", os.devnull, found, "-V"]
    return run(command).returncode == 0


#: Larger reports are skipped. The run may have replaced a report by anything.
_MAX_BYTES = 256 << 20


class _Range(msgspec.Struct):
    startOffset: int
    endOffset: int
    count: int


class _Function(msgspec.Struct):
    ranges: list[_Range]


class _Script(msgspec.Struct):
    url: str
    functions: list[_Function]


class _Report(msgspec.Struct):
    result: list[_Script]


def lines_that_ran(folder: Path, real: str) -> Iterator[tuple[str, set[int]]]:
    """Yield the path of each file below the path `real`, and the numbers of the lines that ran.

    A file comes once for each process that has loaded it. Ranges of V8 count the units of UTF-16.
    """
    for report in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError, msgspec.MsgspecError):
            data = beginning(report, _MAX_BYTES) or b""
            for script in msgspec.json.decode(data, type=_Report).result:
                path = unquote(urlsplit(script.url).path)
                text = beginning(path, _MAX_BYTES) if path.startswith(real) else None
                if script.url.startswith("file:") and text is not None:
                    yield path, _ran(text.decode(errors="replace"), script)


def _ran(text: str, script: _Script) -> set[int]:
    lines = text.splitlines(keepends=True)
    begins = list(accumulate((len(each.encode("utf-16-le")) // 2 for each in lines), initial=0))
    ran = bytearray(b"\1") * begins[-1]
    ranges = [each for function in script.functions for each in function.ranges]
    # A range inside of another one overrides it.
    for each in sorted(ranges, key=lambda each: (each.startOffset, -each.endOffset)):
        begin, end = max(each.startOffset, 0), min(each.endOffset, len(ran))
        if begin < end:
            ran[begin:end] = bytes([each.count > 0]) * (end - begin)
    return {
        number
        for number, (line, begin) in enumerate(zip(lines, begins, strict=False), 1)
        if 1 in ran[begin : begin + len(line.rstrip())]
    }


_MAX_LINES, _MAX_LINE_BYTES = 2_000_000, 1 << 16
#: A system call: perhaps an open folder, and a path, relative to that folder unless absolute.
_CALL = pattern(rb'^\d+ +(\w+)\((?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_OPENING = pattern(rb"open|readlink")
#: The end of a failed call. Most failed calls that execute a program only search for it.
_FAILED = b"= -1 "
#: The name and version of a program. As any note, the run itself may have written it.
_RUNS = pattern(r"(?:Python|node) \d+\.[\w.+-]{1,40}", re.ASCII)
_ESCAPE = pattern(rb"\\([0-7]{1,3}|.)")
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f"}


@dataclass(frozen=True, slots=True)
class Used:
    """The paths that a run opened, looked up and executed, and the programs and lines that ran.

    Paths in the folder of the query are relative to it, and others are absolute. A path that is
    relative to an unknown folder begins with `ANYWHERE`. `opened` includes what was executed.
    `programs` are names with versions. `modules` are those that Python imported, in order, and
    their origins. The run may have written any of it into its notes: it is data.
    """

    opened: frozenset[str]
    looked_up: frozenset[str]
    programs: frozenset[str]
    ran: dict[str, frozenset[int]] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    executed: frozenset[str] = frozenset()


NOTHING_USED: Final = Used(frozenset(), frozenset(), frozenset())

#: The folder of V8's reports.
V8 = "v8"
#: Begins a path that is relative to an unknown folder.
ANYWHERE = "?/"
#: Files here belong to the tracing, and the run does not need them.
STARTUP = Path(__file__).with_name("startup")


def used(notes: Path, folder: str) -> Used:
    """Return what a run has used; `folder` is the folder of its query."""
    at, real = f"{folder}/", f"{os.path.realpath(folder)}/"
    found: defaultdict[bytes, set[str]] = defaultdict(set)
    lines: defaultdict[str, set[int]] = defaultdict(set)
    modules: dict[str, str] = {}
    for kind, path in _notes(notes):
        first, _, rest = path.partition(" ")
        if path.startswith(f"{STARTUP}/"):
            continue
        if kind == b"line":
            if first.isdecimal():
                lines[os.path.realpath(rest).removeprefix(real)].add(int(first))
        elif kind == b"module":
            modules[first] = rest.removeprefix(at).removeprefix(real)
        elif kind != b"runs":
            found[kind].update(_found(path, at, real))
        elif _RUNS.fullmatch(path):
            found[kind].add(path)
    for script, ran_there in lines_that_ran(notes / V8, real):
        lines[script.removeprefix(real)] |= ran_there
    kinds = (b"open", b"look", b"runs", b"exec")
    opened, looked_up, programs, executed = (frozenset(found[kind]) for kind in kinds)
    ran = {path: frozenset(numbers) for path, numbers in lines.items()}
    return Used(opened | executed, looked_up, programs, ran, modules, executed)


def _found(path: str, at: str, real: str) -> Iterator[str]:
    """Yield a path as `Used` has it, and the file that it leads to: both are used."""
    if not os.path.isabs(path):
        yield ANYWHERE + os.path.normpath(path)
        return
    for each in {os.path.normpath(path), os.path.realpath(path)}:
        within = each.removeprefix(at).removeprefix(real)
        yield from with_folders(within) if within != each else (each,)


def _notes(folder: Path) -> Iterator[tuple[bytes, str]]:
    """Yield the kind and the path of each note: `open`, `look`, `exec`, `runs`, `line` or `module`.

    With `runs`, the path is a program; with `line`, a number and a path; with `module`, a name and
    the origin of the module.
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
    return kind, os.path.join(folder, path)


def _plain(escape: re.Match[bytes]) -> bytes:
    text = escape[1]
    return bytes([int(text, 8) & 255]) if text.isdigit() else _ESCAPED.get(text, text)
