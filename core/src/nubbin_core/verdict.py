"""The answers of an oracle, and the exit codes with a meaning."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from enum import Enum


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
