"""Match regular expressions, given or derived, in separate processes that can be stopped.

A match may take years. Python's `re` cannot be interrupted: it holds the lock of the interpreter,
so no other thread runs meanwhile.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

from nubbin.oracles.output import plain
from nubbin.oracles.processes import cancellation
from nubbin.oracles.processes.line_child import LineChild, NoLine
from nubbin.oracles.processes.process import not_in_forks
from nubbin_core.errors import OptionError

#: The time limit of a match that is not part of a run of the test.
MATCH_LIMIT_S: Final = 10.0
# A match without a limit ends its process after this time.
_MAX_S = 24 * 60 * 60.0
_MAX_ANSWER_BYTES = 1 << 30

#: The beginnings and the ends of matches, in bytes.
Places = Sequence[tuple[int, int]]


class TooSlow(Exception):
    """A match took longer than its limit; the message names the expression and the limit."""


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression in Python's syntax; ^ and $ match at the ends of lines.

    It matches characters in a text that is UTF-8, and bytes in any other. Raises OptionError, which
    names the `option`, if the text is not a regular expression.
    """

    option: str
    text: str

    def __post_init__(self) -> None:
        try:
            for each in (self.text, os.fsencode(self.text)):
                re.compile(each, re.MULTILINE)
        except (re.error, OverflowError, RecursionError) as error:
            raise OptionError(
                f"{self.option} {self.text!r} is not a regular expression: {error}."
            ) from None

    def is_in(self, *texts: bytes, limit: float | None = MATCH_LIMIT_S) -> bool:
        """Tell whether the expression matches one of the outputs, as printed or made `plain`.

        Raises TooSlow if that takes more than `limit` seconds (None: no limit), or if the query of
        the thread is cancelled.
        """
        plainly = (plain(each) for each in texts if b"\x1b" in each)
        return any(self._places((*texts, *plainly), limit, every=False))

    def is_soon_in(self, *texts: bytes) -> bool:
        """Like `is_in`, but an expression that is too slow matches nothing."""
        try:
            return self.is_in(*texts)
        except TooSlow:
            return False

    def places(self, texts: Sequence[bytes], limit: float | None) -> list[Places]:
        """Return the places of all matches in each text; raises TooSlow like `is_in`."""
        return self._places(texts, limit, every=True)

    def _places(self, texts: Sequence[bytes], limit: float | None, *, every: bool) -> list[Places]:
        sizes, seconds = list(map(len, texts)), _MAX_S if limit is None else limit
        head = json.dumps((self.text, sizes, every, seconds)).encode() + b"\n"
        response = _ask(b"".join(chain((head,), texts)), limit)
        if response is None:
            within = "" if limit is None else f" {limit:.2g} s"
            raise TooSlow(f"{within} to match {self.option} {self.text!r}".strip())
        return [[(start, stop) for start, stop in each] for each in json.loads(response)]


def _ask(request: bytes, limit: float | None) -> bytes | None:
    """Return the response of a matcher; None if it takes too long or the query is cancelled.

    A process that ends by itself is replaced once.
    """
    started, idle = time.monotonic(), _idle(os.getpid())
    with cancellation.current().wake_descriptor() as wake:
        for _ in range(2):
            child, response = _acquired(idle), None
            try:
                response = child.ask(request, limit, wake)
                return response
            except NoLine:
                if limit is not None and time.monotonic() - started >= limit:
                    return None
            finally:
                if response is None:
                    child.close()
                else:
                    idle.append(child)
    return None


def _acquired(idle: list[LineChild]) -> LineChild:
    with suppress(IndexError):
        return idle.pop()
    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("matcher.py"))]
    return LineChild(command, folder="/", environment=os.environb, max_bytes=_MAX_ANSWER_BYTES)


@cache
def _idle(process: int) -> list[LineChild]:
    """Return the idle matchers of the process with this id: a fork needs its own."""
    idle: list[LineChild] = []
    atexit.register(not_in_forks(_close), idle)
    return idle


def _close(children: list[LineChild]) -> None:
    while children:
        children.pop().close()
