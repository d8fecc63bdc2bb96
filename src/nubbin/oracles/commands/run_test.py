"""A test that is a command line with conditions, and its runner: the shell once per query."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from nubbin.documents.reading.from_disk import common_folder
from nubbin.oracles.commands.command_line import (
    PLACE,
    as_named_here,
    as_typed,
    files_in,
    in_a_word,
    only_run,
    placed,
    quoted_word,
    shell_words,
    with_argument,
    with_path,
    with_path_behind,
    with_words,
)
from nubbin.oracles.failures.conditions import UNCONDITIONAL, Conditions, Ended
from nubbin.oracles.failures.regex import TooSlow
from nubbin.oracles.isolation.candidate_files import GIVEN, NO_FILES, Candidate, Copies, GivenFiles
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin.oracles.output import FLOOD_BYTES, PipeReader
from nubbin.oracles.processes import cancellation
from nubbin.oracles.processes.process import Running, Streams, exit_in_words
from nubbin.oracles.user_test import UserTest
from nubbin_core.verdict import Answer, Verdict


@dataclass(frozen=True, slots=True)
class RunTest(UserTest):
    """A command line that the shell runs once per query, and the conditions that it must meet.

    `typed` is the user's line if it leaves open where the path of the candidate belongs. Either it
    has no `{}`, and the path was appended, or it contains the name of the input folder, which may
    also be a program in it. Otherwise `typed` is "". `given` are the user's files that the line
    names: each run has copies of them. Files that the command itself makes are left out
    (`reduction/start/as_typed.py`).
    """

    typed: str = ""
    given: tuple[str, ...] = ()
    kind = "run"
    has_server = False
    is_line = True
    _contract = (
        "The command must meet every condition on an input that still fails. It runs in a new "
        "folder that contains only {contents}. Give the absolute paths of other files that it "
        "needs."
    )

    @classmethod
    def of(
        cls,
        line: str,
        conditions: Conditions = UNCONDITIONAL,
        source: Path | Sequence[Path] | None = None,
    ) -> RunTest:
        """Return the test that runs a command line once per query and checks the conditions.

        The path of the candidate replaces `{}` or the name of the input `source`, or is appended.
        The names of several inputs become paths in the candidate. `nubbin.reduce` finds out whether
        the line runs without an appended path. If the conditions do not describe a failure, nubbin
        derives them from how the command fails on the input.
        """
        here = Path.cwd()
        inputs: tuple[str, ...] = ()
        if isinstance(source, Sequence):
            inputs = tuple(os.path.normpath(here / each) for each in source)
            source = Path(common_folder(inputs))
        asked = conditions.with_lines(
            lambda each: with_path_behind(placed(each, here, source, inputs))
        )
        run = placed(line, here, source, inputs)
        complete = with_path_behind(run)
        typed = "" if run == complete else run
        is_folder = source is not None and source.is_dir() and not inputs and not conditions
        name = source.name if source is not None and is_folder else PLACE
        if run != line == run.replace(PLACE, name):
            typed = line
        lines = [(run, line), *zip(asked.lines, conditions.lines, strict=True)]
        files = frozenset[str]().union(*(files_in(made, as_given) for made, as_given in lines))
        given = tuple(sorted(files))
        return cls((complete,), str(here), typed, given, conditions=asked)

    @property
    def line(self) -> str:
        """The command line that runs the command on a candidate, whose place is `{}`."""
        return self.words[0]

    @property
    def lines(self) -> tuple[str, ...]:
        """The line, and the lines of its conditions."""
        return (*self.words, *self.conditions.lines)

    def without(self, outputs: Collection[str]) -> Self:
        """Return the test without copies of the files that the command makes itself."""
        left = tuple(path for path in self.given if path not in outputs)
        return replace(self.naming_here(outputs), given=left)

    def naming_here(self, paths: Collection[str]) -> Self:
        """Return the test with some paths in its lines made relative to the user's folder."""
        here = partial(as_named_here, paths=paths, folder=self.folder)
        conditions = self.conditions.with_lines(here)
        return replace(
            self, words=tuple(map(here, self.words)), typed=here(self.typed), conditions=conditions
        )

    def as_typed(self, source: Path) -> Self:
        """Return the test without an appended path, to run where the candidate is."""
        line = as_typed(self.typed, Path(self.folder), source)
        return replace(self, words=(line,), typed="")

    def line_for(self, result: Path, name: str) -> str:
        """Return the line with the path of the result filled in, or run where the result is."""
        line, path = self.words[0], quoted_word(str(result))
        if PLACE in line:
            return with_path(line, result)
        if result.is_dir():
            return f"cd {path} && {line}"
        return f'cd "$(mktemp -d)" && cp {path} {quoted_word(name)} && {line}'

    @property
    def looking_for(self) -> str:
        return self.conditions.told

    @property
    def path(self) -> Path:
        """The shell, because the line itself is not a file."""
        return Path(SHELL)

    @property
    def programs(self) -> tuple[str, ...]:
        named = (
            word for line in self.lines for _, word in shell_words(line) if word.startswith("/")
        )
        return tuple(dict.fromkeys((*named, *self.given)))

    def to_json(self) -> dict[str, Any]:
        values = UserTest.to_json(self)
        del values["typed"]
        return values

    @property
    def given_files(self) -> GivenFiles:
        """Makes the copies for each run, except of files that the lines only run as programs."""
        named = {word for line in self.lines for _, word in shell_words(line)}.intersection(
            self.given
        )
        copied = {path for path in named if not only_run(path, self.lines)}
        beside = frozenset(self.given) - named
        return GivenFiles(self.folder, copied, beside, frozenset(self._folders_of_words()))

    def _folders_of_words(self) -> Iterator[str]:
        """Yield the user's folders in relative paths of the lines, such as `-o build/x`."""
        for line in self.lines:
            for _, word in shell_words(line):
                folder = os.path.normpath(os.path.dirname(word))
                is_below = not folder.startswith(("/", "..")) and folder != "."
                if is_below and Path(self.folder, folder).is_dir():
                    yield folder

    def runner(self, folders: QueryFolders) -> Runner:
        return ShellRunner(self.line, self.conditions, folders, given=self.given_files)


SHELL: Final = "/bin/sh"

#: Bytes that are kept of each stream: of a longer one, the first and the last half of them.
_KEPT_BYTES = 4 << 20
_FLOOD = f"{FLOOD_BYTES >> 20} MB of output"


class _Flooded(Exception):
    def __init__(self, ended: Ended):
        super().__init__()
        self.ended = ended


@dataclass(frozen=True, slots=True)
class ShellRunner(Runner):
    """Runs a command line in the shell once per query, and checks its conditions.

    If the conditions describe a failure, and the command crashes without meeting them, the answer
    reports a different failure.

    All commands run in the query's folder, and the candidate's path relative to it replaces `{}`.
    See `QueryFolders.start` for their environment; a single file is also their stdin. `start`
    starts the commands instead, if given. Each run has its own copies of the `given` files, which
    it passes to `after` at its end. A rejected run that does not exit with `good`, if there is one,
    is unresolved.
    """

    line: str
    conditions: Conditions
    folders: QueryFolders
    _: KW_ONLY
    start: Callable[[Sequence[str], Candidate, Streams], Running] | None = None
    given: GivenFiles = NO_FILES
    after: Callable[[Copies], None] = lambda copies: None
    good: int | None = None

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the command and those of its conditions until a condition fails."""
        copies = self.given.copies_for(candidate)
        started = time.perf_counter()
        try:
            answer = self._judge(candidate, limit, None if limit is None else started + limit)
        except _Flooded as flood:
            answer = _answer(Verdict.UNRESOLVED, flood.ended)._replace(exceeded=_FLOOD)
        if answer.verdict is Verdict.UNINTERESTING and self.good not in {None, answer.exit_code}:
            answer = answer._replace(verdict=Verdict.UNRESOLVED)
        answer = answer._replace(seconds=time.perf_counter() - started)
        self.after(copies)
        return answer

    def _judge(self, candidate: Candidate, limit: float | None, until: float | None) -> Answer:
        """Return the answer without its time; each match may take `limit` seconds."""
        hangs = self.conditions.hangs
        soon = None if hangs is None else time.perf_counter() + hangs
        is_sooner = soon is not None and (until is None or soon <= until)
        ended, in_time = self._run(self.line, candidate, soon if is_sooner else until)
        if not in_time and not is_sooner:
            return _answer(Verdict.UNRESOLVED, ended)._replace(timed_out=True)
        does_not_hang = in_time and hangs is not None
        try:
            why = "does not hang" if does_not_hang else self.conditions.refusal(ended, limit)
            other = "" if why else self.conditions.other_error(ended, limit)
        except TooSlow as slow:
            why = str(slow)
            return _answer(Verdict.UNRESOLVED, ended, why)._replace(exceeded=why)
        if why:
            different = self.conditions.are_of_failure and ended.is_crash
            return _answer(Verdict.UNINTERESTING, ended, why)._replace(different=different)
        answer = self._against_others(candidate, ended, until)
        if other and answer.verdict is Verdict.INTERESTING:
            return answer._replace(verdict=Verdict.UNINTERESTING, why=other, other_error=True)
        return answer

    def _against_others(self, candidate: Candidate, ended: Ended, until: float | None) -> Answer:
        """Return the verdict of the `--valid` and `--differs` commands on an accepted run."""
        guards = [(line, True) for line in self.conditions.valid]
        differs = self.conditions.differs
        others = [*guards, *([] if differs is None else [(differs, False)])]
        for line, is_guard in others:
            other, in_time = self._run(line, candidate, until)
            if not in_time:
                return _answer(Verdict.UNRESOLVED, ended)._replace(timed_out=True)
            if is_guard and other.status != 0:
                why = f"fails the --valid command {line!r}, which {exit_in_words(other.status)}"
                return _answer(Verdict.UNINTERESTING, ended, why)
            if not is_guard and (other.status, other.stdout) == (ended.status, ended.stdout):
                why = f"does the same as --differs {line!r}"
                return _answer(Verdict.UNINTERESTING, ended, why)
        return _answer(Verdict.INTERESTING, ended)

    def _run(self, line: str, candidate: Candidate, until: float | None) -> tuple[Ended, bool]:
        """Run a line; return how it ended, and whether it ended in time."""
        line, place, named = with_argument(line), "", self.given.named
        if named:
            place = in_a_word(f"{os.path.dirname(candidate.folder)}/{GIVEN}", f"../{GIVEN}")
            line = with_words(line, lambda word, _: f"{place}{word}" if word in named else word)
        command = [SHELL, "-c", line, SHELL, candidate.relative]
        with ExitStack() as stack:
            stdin = stack.enter_context(candidate.stdin()).fileno()
            output = stack.enter_context(PipeReader(_KEPT_BYTES))
            errors = stack.enter_context(PipeReader(_KEPT_BYTES))
            streams = stdin, output.writer, errors.writer
            process = (self.start or self.folders.start)(command, candidate, streams)
            if self.conditions.hangs is None:  # a command that must hang may print all the time
                output.on_flood = errors.on_flood = process.kill
            with process, cancellation.current().on_cancel(process.kill):
                left = None if until is None else max(until - time.perf_counter(), 0.0)
                in_time = process.wait(left)
        printed = [bytes(each.excerpt) for each in (output, errors)]
        if named:  # a person knows the file and not its copy
            printed = [each.replace(os.fsencode(place), b"") for each in printed]
        ended = Ended(process.exit_code, *printed)
        if self.conditions.hangs is None and (output.is_flooded or errors.is_flooded):
            raise _Flooded(ended)
        return ended, in_time


def _answer(verdict: Verdict, ended: Ended, why: str = "") -> Answer:
    """Return the answer for a command that was not stopped, without its time."""
    printed, errors = ended.printed, ended.stderr
    return Answer(verdict, exit_code=ended.status, output=printed, errors=errors, why=why)
