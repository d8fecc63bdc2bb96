"""Find what a command prints when it fails on its input, and not on others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from nubbin.oracles.commands.command_line import sayable
from nubbin.oracles.failures.conditions import Ended
from nubbin.oracles.failures.details import with_excerpt, with_marks
from nubbin.oracles.failures.formats import is_crash, recognised
from nubbin.oracles.failures.messages import (
    Message,
    from_the_end,
    known_errors,
    option_for_more,
    other_error,
    summaries,
    telling,
)
from nubbin.oracles.failures.regex import Regex
from nubbin.oracles.failures.transcript import Transcript
from nubbin.oracles.output import excerpt, plain
from nubbin_core.verdict import Answer

#: The most bytes of an output that are read, and expressions that are tried.
EXCERPT_BYTES = 512 << 10
_MAX_PATTERNS = 200


def fails(answer: Answer) -> bool:
    """Tell whether a run failed: it has a nonzero exit status, or printed the report of a crash."""
    texts = (os.fsdecode(plain(each)) for each in streams_of(answer))
    return bool(answer.exit_code) or any(map(is_crash, texts))


def streams_of(run: Answer) -> tuple[bytes, bytes]:
    """Return the standard error and the standard output of a run, each shortened."""
    ended = Ended.of(run)
    return excerpt(ended.stderr, EXCERPT_BYTES), excerpt(ended.stdout, EXCERPT_BYTES)


@dataclass(frozen=True, slots=True)
class Failing:
    """Runs that fail on the same input, whose text is `source`, and a run on an empty one."""

    runs: Sequence[Answer]
    nothing: Answer
    source: str

    @property
    def report(self) -> Message | None:
        """The first report of a failure in all runs that is not in the run on the empty input."""
        return self._first(recognised)

    @property
    def line(self) -> Message | None:
        """A line that all runs print, and the empty input does not; None if there is none.

        It is the first telling line, else their last line, else a summary.
        """
        return self._first(telling) or self._first(from_the_end) or self._first(summaries)

    def is_like(self, message: Message) -> bool:
        """Tell whether the first message is like this one, or all runs have it with other names."""
        first = self.report or self.line
        return (first is not None and first.is_like(message)) or all(
            _is_in(message.loose, streams_of(run)) for run in self.runs
        )

    def beside(self, message: Message) -> Message | None:
        """Return the first message of another failure of the same kind that all runs print."""
        found = chain(self._common(recognised), self._common(telling))
        return next((each for each in found if message.is_beside(each)), None)

    def known_errors(self, message: Message, others: Sequence[Answer] = ()) -> str | None:
        """Return the kinds of error that the runs print, as an expression.

        None if the message identifies a failure by itself, or `others` print other kinds.
        """
        if message.is_report or is_crash(message.line):
            return None
        outputs = [excerpt(run.output, EXCERPT_BYTES) for run in (*self.runs, *others)]
        known = known_errors(outputs[: len(self.runs)], EXCERPT_BYTES, self.source)
        if known is None or Regex("", other_error(known)).is_soon_in(*outputs):
            return None
        return sayable(known)

    @property
    def option_for_more(self) -> str:
        """The option that the program names for a report of where it crashed; "" if none."""
        return option_for_more(os.fsdecode(excerpt(self.runs[0].output, EXCERPT_BYTES)))

    def with_excerpt(self, message: Message) -> Message:
        """Return the message with tokens of the input at its place, if all runs print them."""
        for stream in streams_of(self.runs[0]):
            shown = Transcript.of([with_marks(stream)], EXCERPT_BYTES)
            pattern = with_excerpt(message.line, message.pattern, shown, self.source)
            if pattern and is_in_all(pattern, self.runs):
                return replace(message, pattern=pattern)
        return message

    @property
    def depends_on_input(self) -> bool:
        """Whether the run on the empty input ends in another way, or prints something else."""
        ends = {run.exit_code for run in self.runs}
        differs = self.nothing.timed_out or self.nothing.exit_code not in ends
        return differs or self.report is not None or self.line is not None

    def _first(self, messages: Callable[[Transcript, str], Iterator[Message]]) -> Message | None:
        """Return the first message of all runs.

        A message that the empty input also prints, with other names, is the second choice.
        """
        nothing = streams_of(self.nothing)
        second = None
        for message in self._common(messages):
            if not _is_in(message.loose, nothing):
                return message
            second = second or message
        return second

    def _common(
        self, messages: Callable[[Transcript, str], Iterator[Message]]
    ) -> Iterator[Message]:
        """Yield the messages of all runs, not on the empty input; standard error comes first."""
        runs = [streams_of(run) for run in self.runs]
        nothing = streams_of(self.nothing)
        transcripts = (Transcript.of(each, EXCERPT_BYTES) for each in zip(*runs, strict=True))
        found = chain.from_iterable(messages(each, self.source) for each in transcripts)
        for message in islice(found, _MAX_PATTERNS):
            if not _is_in(message.pattern, nothing) and is_in_all(message.pattern, self.runs):
                yield message


def is_in_all(pattern: str, runs: Sequence[Answer]) -> bool:
    """Tell whether a pattern matches the output of all runs."""
    return all(_is_in(pattern, streams_of(run)) for run in runs)


def _is_in(pattern: str, streams: Sequence[bytes]) -> bool:
    return Regex("--prints", sayable(pattern)).is_soon_in(*streams)
