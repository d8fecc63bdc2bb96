"""Run a command line, and the other commands of its conditions, for each query."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import KW_ONLY, dataclass
from typing import Final

from nubbin.oracles.commands.command_line import in_a_word, with_argument, with_words
from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.failures.regex import TooSlow
from nubbin.oracles.isolation.given_files import GIVEN, NO_FILES, GivenFiles, Laid
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Candidate, Runner
from nubbin.oracles.output import FLOOD_BYTES, PipeReader
from nubbin.oracles.processes import cancellation
from nubbin.oracles.processes.process import Running, Streams, exit_in_words
from nubbin_core.verdict import Answer, Verdict

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
    after: Callable[[Laid], None] = lambda laid: None
    good: int | None = None

    def run(self, candidate: Candidate, limit: float | None, *, explain: bool) -> Answer:
        """Run the command and those of its conditions until a condition fails."""
        laid = self.given.lay(candidate)
        started = time.perf_counter()
        try:
            answer = self._judge(candidate, limit, None if limit is None else started + limit)
        except _Flooded as flood:
            answer = _answer(Verdict.UNRESOLVED, flood.ended)._replace(exceeded=_FLOOD)
        if answer.verdict is Verdict.UNINTERESTING and self.good not in {None, answer.exit_code}:
            answer = answer._replace(verdict=Verdict.UNRESOLVED)
        answer = answer._replace(seconds=time.perf_counter() - started)
        self.after(laid)
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
                why = f"goes with a --valid command, {line!r}, that {exit_in_words(other.status)}"
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
