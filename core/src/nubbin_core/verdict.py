"""The verdict on a candidate, the answer of a run, and the exit codes with a meaning."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from enum import Enum
from typing import NamedTuple


class Verdict(Enum):
    """The oracle's answer to one query.

    Only an `INTERESTING` candidate can become the best. `UNRESOLVED` (a time-out, out of memory, or
    a test that says so itself) does not prove that the candidate is uninteresting.
    """

    INTERESTING = "interesting"
    UNINTERESTING = "uninteresting"
    UNRESOLVED = "unresolved"


class NoTruth(TypeError):
    """A function returned an object that is always true; the message says what to return."""


_NO_ANSWERS = {
    Awaitable: "a coroutine, or something else to await",
    AsyncIterator: "an asynchronous generator",
    Iterator: "a generator, or another iterator",
    Callable: "a function, which nobody has called",
}


def truth_of(said: object) -> bool:
    """Tell whether a function's return value is true; raises NoTruth if it always is.

    Such values are the results of `async def`, of `yield`, and of a forgotten call.
    """
    if said is True or said is False:  # most often; the checks below take longer than a query
        return said
    for kind, what in _NO_ANSWERS.items():
        if isinstance(said, kind):  # type: ignore[arg-type]
            if kind is Awaitable:
                getattr(said, "close", bool)()  # else Python warns that nobody awaited it
            raise NoTruth(
                f"the test function returned {what}, which is true whatever "
                "it would say. Return True or False; asyncio.run(...) waits for a "
                "coroutine, any(...) and next(...) look into a generator."
            )
    return bool(said)


#: The exit code of a test that cannot decide, as for `git bisect run`.
CANNOT_SAY = 125

#: The exit code of a test that sees a different failure.
DIFFERENT = 101


class Answer(NamedTuple):
    """The outcome of one run of the test."""

    verdict: Verdict
    #: Wall time of the test alone.
    seconds: float = 0.0
    #: The exit status, minus the number of the signal that ended the test, or None if a server
    #: answered. After a time-out it tells how nubbin killed the process.
    exit_code: int | None = None
    timed_out: bool = False
    #: The output of the test on stdout and stderr, if it was kept: the beginning and the end of a
    #: long one.
    output: bytes = b""
    #: Whether a server had to start first, so that `seconds` is not the time of a run alone.
    cold: bool = False
    #: The resource besides time that the test used too much of, so that it was killed.
    exceeded: str | None = None
    #: Whether the candidate shows a different failure; then it is uninteresting.
    different: bool = False
    #: Whether it is uninteresting only because its error is of another kind.
    other_error: bool = False
    #: Why it is not interesting, as the rest of a sentence about the test, if more than the exit
    #: status decides.
    why: str = ""
    #: The end of its output on stderr, if that is known.
    errors: bytes = b""

    @property
    def was_stopped(self) -> bool:
        """Whether the test was killed because it exceeded a limit."""
        return self.timed_out or self.exceeded is not None
