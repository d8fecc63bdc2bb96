"""What is peculiar about how a command fails: what it prints on its input, and not on others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from nubbin.oracles.commands.shell_words import sayable
from nubbin.oracles.failures.formats import is_crash, recognised
from nubbin.oracles.failures.messages import Message, last, telling
from nubbin.oracles.failures.regex import Regex
from nubbin.oracles.failures.transcript import Transcript
from nubbin.oracles.oracle import Answer
from nubbin.oracles.output import excerpt, plain

#: The bytes of an output that are looked at, and the expressions that are tried.
EXCERPT_BYTES = 512 << 10
_MAX_PATTERNS = 200


def fails(answer: Answer) -> bool:
    """Tell whether a command fails: by its exit status, or as it prints the report of a crash."""
    return bool(answer.exit_code) or is_crash(os.fsdecode(plain(*outputs_of([answer]))))


def outputs_of(runs: Iterable[Answer]) -> list[bytes]:
    """Return as much of what each run prints as is looked at."""
    return [excerpt(run.output, EXCERPT_BYTES) for run in runs]


@dataclass(frozen=True, slots=True)
class Failing:
    """Runs that fail on the same input, whose text is `source`, and a run on an empty one."""

    runs: Sequence[Answer]
    nothing: Answer
    source: str

    @property
    def report(self) -> Message | None:
        """The first report of a failure that is in all runs, and not in that on nothing."""
        return self._first(recognised(self._transcript, self.source))

    @property
    def line(self) -> Message | None:
        """The first line that tells, or else the last line, that is in all runs but on nothing."""
        said = self._transcript
        return self._first(chain(telling(said, self.source), last(said, self.source)))

    @property
    def is_by_the_input(self) -> bool:
        """Whether an empty input ends otherwise, or with something else printed."""
        ends = {run.exit_code for run in self.runs}
        differs = self.nothing.timed_out or self.nothing.exit_code not in ends
        return differs or self.report is not None or self.line is not None

    @property
    def _transcript(self) -> Transcript:
        return Transcript.of(outputs_of(self.runs), EXCERPT_BYTES)

    def _first(self, said: Iterable[Message]) -> Message | None:
        """Return the first message of all runs; those last that nothing has with other names."""
        outputs, (nothing,) = outputs_of(self.runs), outputs_of([self.nothing])
        second = None
        for message in islice(said, _MAX_PATTERNS):
            if not is_in_all(message.pattern, outputs) or _is_in(message.pattern, nothing):
                continue
            if not _is_in(message.loose, nothing):
                return message
            second = second or message
        return second


def is_in_all(pattern: str, outputs: Iterable[bytes]) -> bool:
    """Tell whether an expression, as it can be said, matches in each of some outputs."""
    return all(_is_in(pattern, each) for each in outputs)


def _is_in(pattern: str, output: bytes) -> bool:
    return Regex("--prints", sayable(pattern)).is_soon_in(output)
