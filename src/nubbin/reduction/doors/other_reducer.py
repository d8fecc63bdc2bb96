"""Another reducer, unchanged: its test is a small script that asks the test of this run."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nubbin.disk import beginning
from nubbin.documents.edits import File
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.processes.process import Lost, Running, exit_in_words
from nubbin.passes.guard import Guard, PassFailed
from nubbin.passes.proposal import Proposal, Proposals
from nubbin.pattern import pattern
from nubbin.reduction.doors import shrink_ray
from nubbin.reduction.doors.open_doors import parted
from nubbin.reduction.options import REDUCERS
from nubbin_core.errors import OptionError
from nubbin_core.minimizers import Subset
from nubbin_core.waiting import readable, until

#: A reducer that has not made the file smaller for so many questions ends, or for half as many as
#: it had asked by then.
_PATIENCE = 64
_SILENT_S = 300.0  # after that, one that asks nothing hangs
_TOGETHER_S = 0.01  # questions that come within this time are one wave
#: A candidate that is larger than this is no reduction.
_MAX_GROWTH, _MAX_MORE_BYTES = 4, 1 << 20
_MAX_SHOWN_CHARS = 300  # of what a reducer prints, if it fails
_MAX_READ_BYTES = 1 << 16  # as a pipe has: whole lines
_QUESTIONS, _LOG = "questions", "log"

_OF_SHELL = pattern(r"\d?[<>]|[|&;]+$")
_NAMED = pattern(r"\{(test|out|jobs|)\}")
#: Before a line without these words.
_SHRINK_RAY = [sys.executable, "-P", shrink_ray.__file__, "{test}", "{}", "{jobs}"]

#: Sends the path of the candidate with its own id, and reads the exit code from a pipe of its own.
_TEST = """#!/bin/sh
for file; do :; done
[ -f "$file" ] || file={name}
case $file in /*) ;; *) file=$PWD/$file ;; esac
answer={folder}/$$
[ -p "$answer" ] || mkfifo "$answer"
exec 3<>"$answer"
printf '%s\\n' "$$ $file" >{folder}/questions
read -r code <&3
exit "$code"
"""


def with_absolute_paths(given: str) -> str:
    """Return a value of --reduce-with with the absolute paths of the files that it names.

    Raises OptionError if that is not a command line, or if there is no such program.
    """
    when, command = parted(given, "last")
    try:
        words = shlex.split(REDUCERS.get(command, command))
    except ValueError as error:
        raise OptionError(f"--reduce-with {command}: {error}.") from None
    if not words or shutil.which(words[0]) is None:
        raise OptionError(
            f"--reduce-with {command}: there is no executable {(words or [''])[0]!r}. Install "
            f"it, or give its path. Known by name: {', '.join(REDUCERS)}."
        )
    if of_shell := next(filter(_OF_SHELL.match, words), ""):
        raise OptionError(
            f"--reduce-with {command}: no shell runs this line, so {of_shell!r} would be an "
            f"argument. Write: sh -c {shlex.quote(command)}"
        )
    paths = [str(Path(word).absolute()) if Path(word).is_file() else word for word in words]
    return f"{when}@{command if paths == words else shlex.join(paths)}"


class Question(NamedTuple):
    """A candidate that a reducer asks about, and the process that waits for the answer."""

    data: bytes
    client: str = ""


@dataclass
class OtherReducer:
    """A reducer by its name or its command line; `width` returns how many queries run at once.

    The reducer gets the true answer for each candidate, even if its best is larger than the run's.
    If another pass has changed the file, it starts again with that. What it starts ends with it.
    """

    command: str
    folders: QueryFolders
    width: Callable[[], int]
    guard: Guard
    is_off: bool = False

    @property
    def name(self) -> str:
        """What a person calls it: by its script, if the program is an interpreter."""
        program, *rest = shlex.split(self.command)
        return Path(rest[0] if rest and Path(rest[0]).is_file() else program).name

    def propose(self, file: File) -> Proposals[File]:
        """Yield each wave of questions as a list of candidates, until the reducer ends."""
        asked = vain = 0
        patience = _PATIENCE
        is_another = not self.is_off
        while is_another:
            is_another = False
            with self._started(file) as running:
                for wave in running.waves(self.width()):
                    came_out = yield _proposal(file, wave, running.answer)
                    asked, vain = asked + len(wave), vain + len(wave)
                    is_another = came_out.data not in {file.data, *(each.data for each in wave)}
                    if len(came_out.data) < len(file.data) and not is_another:
                        vain, patience = 0, max(_PATIENCE, asked // 2)
                    file = came_out
                    if is_another or vain >= patience:
                        break
            if running.problem:
                self.guard.note(PassFailed(self.name, file.path, running.problem, ""))
                self.is_off = running.hangs

    @contextmanager
    def _started(self, file: File) -> Iterator[_RunningReducer]:
        folder, name = Path(self.folders.workspace.new_folder()), Path(file.path).name
        place, out, test = folder / "work" / name, folder / f"out-{name}", folder / "test"
        place.parent.mkdir()
        place.write_bytes(file.data)
        test.write_text(_TEST.format(folder=shlex.quote(str(folder)), name=shlex.quote(name)))
        test.chmod(0o700)
        words = shlex.split(REDUCERS.get(self.command, self.command))
        if not any(map(_NAMED.search, words)):
            words = [*_SHRINK_RAY, *words]
        given = {"{test}": test, "{out}": out, "{jobs}": self.width(), "{}": name}
        os.mkfifo(folder / _QUESTIONS)
        with ExitStack() as stack:
            stack.callback(self.folders.workspace.remove_folder, str(folder))
            null = stack.enter_context(Path(os.devnull).open("rb")).fileno()
            log = stack.enter_context((folder / _LOG).open("wb")).fileno()
            questions = stack.enter_context(open(folder / _QUESTIONS, "r+b", buffering=0))  # noqa: PTH123
            os.set_blocking(questions.fileno(), False)
            process = self.folders.supervisors.start(
                str(folder),
                [_NAMED.sub(lambda name: str(given[name[0]]), word) for word in words],
                folder=str(place.parent),
                environment={**os.environb, b"PWD": bytes(place.parent), b"TMPDIR": bytes(folder)},
                streams=(null, log, log),
            )
            running = _RunningReducer(file, (out, place), folder, questions.fileno(), process)
            with process:
                yield running
            running.end()


@dataclass
class _RunningReducer:
    """A running reducer, which leaves its result in one of the `places`.

    `problem` is why it was of no use; "" if it was of use.
    """

    file: File
    places: Sequence[Path]
    folder: Path
    questions: int
    process: Running
    problem: str = ""
    hangs: bool = False
    has_ended: bool = False

    def waves(self, width: int) -> Iterator[list[Question]]:
        """Yield what the reducer asks at once; at its end, what it leaves."""
        while (heard := until(self._heard, _SILENT_S)) and not self.has_ended:
            while heard.count(b"\n") < width and (more := self._heard(_TOGETHER_S)).strip():
                heard += more
            wave = [each for line in heard.splitlines() for each in self._open(line)]
            if wave:
                yield wave
        if not heard:
            self.hangs = True
            self.problem = f"asked nothing for {_SILENT_S:g} s; it is not run again"
        for place in self.places:
            left = self._contents(place)
            if left is not None and left != self.file.data:
                yield [Question(left)]

    def answer(self, question: Question, yes: bool) -> None:
        """Tell the process that asks; nothing if it has ended meanwhile."""
        if question.client:
            place = self.folder / question.client
            with suppress(OSError):
                pipe = os.open(place, os.O_WRONLY | os.O_NONBLOCK)
                os.write(pipe, b"0\n" if yes else b"1\n")
                os.close(pipe)
            place.unlink(missing_ok=True)

    def end(self) -> None:
        """Say how the reducer ended, if it ended by itself, and not well."""
        with suppress(Lost, OSError):  # it may have removed its log
            if self.has_ended and (code := self.process.exit_code):
                self.problem = exit_in_words(code)
                printed = (self.folder / _LOG).read_text(errors="replace").strip()
                self.problem += f": {printed[-_MAX_SHOWN_CHARS:]}" if printed else ""

    def _heard(self, seconds: float) -> bytes:
        """Return lines with questions, or an empty one if the reducer has ended."""
        if readable(self.questions, seconds):
            return os.read(self.questions, _MAX_READ_BYTES)
        self.has_ended = self.process.wait(0)
        return b"\n" if self.has_ended else b""

    def _open(self, line: bytes) -> Iterator[Question]:
        """Yield the question of a line, unless the answer is known."""
        client, _, path = line.partition(b" ")
        if client.isdigit():
            data = self._contents(Path(os.fsdecode(path)))
            asked = Question(data or b"", client.decode())
            if data is None or data == self.file.data:  # each reducer asks about that first
                self.answer(asked, data is not None)
            else:
                yield asked

    def _contents(self, place: Path) -> bytes | None:
        most = _MAX_GROWTH * len(self.file.data) + _MAX_MORE_BYTES
        with suppress(OSError):
            data = beginning(place, most + 1)
            return None if data is None or len(data) > most else data
        return None


def _proposal(
    file: File, wave: Sequence[Question], answer: Callable[[Question, bool], None]
) -> Proposal[File]:
    def render(kept: Subset) -> File:
        gone = Subset.full(len(wave)) - kept
        return file.with_data(wave[gone[0]].data) if len(gone) == 1 else file

    def on_answers(answers: Sequence[bool]) -> None:
        for each, yes in zip(wave, answers, strict=True):
            answer(each, yes)

    return Proposal(
        len(wave), render, [len(file.data) - len(each.data) for each in wave], on_answers=on_answers
    )
