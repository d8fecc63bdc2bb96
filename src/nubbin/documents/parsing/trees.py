"""Trees: ask the parser's process about the syntax trees of documents.

It starts when it is needed, and again after a grammar has ended it.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from math import inf
from threading import Lock
from typing import Any

from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.node_rows import MAX_NODES, NO_ROWS, Facts, Rows
from nubbin.documents.spans import NO_AREAS, Areas, Replacement
from nubbin_core.waiting import until

#: Longer documents get no tree, only tokens: a tree takes up to 90 bytes for each of theirs.
_MAX_PARSE_BYTES = 12 << 20
# If more of the nodes are errors, a text is in another language, or in a dialect of which the
# grammar knows little. In files with the right ending it is under 0.03 for most languages, and up
# to 0.1 for assembly and SQL; in those that only share the ending it is 0.2 to 1.
_MAX_ERROR_FRACTION = 0.05

# Parsing ordinary text, and reading all nodes, takes a tenth of this.
_USUAL_S_PER_BYTE = 4e-6
# If all requests in a language take this much longer than usual, its trees cost more time than
# they save queries.
_MAX_OVERTIME_S = 10.0

_numbers = count()


class Tree:
    """The syntax tree of a document; the parser keeps it as long as this object lives."""

    def __init__(self, number: int, data: bytes, language: str, facts: Facts):
        self.facts = facts
        self._document = number, data, language
        weakref.finalize(self, _drop, number)

    @property
    def is_complete(self) -> bool:
        """Whether all nodes can be listed. Of a larger tree, those near the root can."""
        return self.facts.size <= MAX_NODES

    @property
    def is_reliable(self) -> bool:
        """Whether the text seems to be in this language: few of the nodes are errors."""
        return self.is_complete and self.facts.errors <= _MAX_ERROR_FRACTION * self.facts.size

    def rows(self, depth: float = inf, smallest: int = 0, closed: Areas = NO_AREAS) -> Rows:
        """Return the nodes, see `Parse.rows`; none if the parser's process ends first."""
        if depth == inf and not smallest and not self.is_complete:
            return NO_ROWS
        rows: Rows = self._ask("rows", depth, smallest, closed) or NO_ROWS
        return rows

    def functions(self, closed: Areas = NO_AREAS) -> Rows:
        """Return the functions, see `Parse.functions`; none if the parser's process ends first."""
        rows: Rows = self._ask("functions", closed) or NO_ROWS
        return rows

    def allows_edit(self, spans: Sequence[Replacement]) -> bool:
        """Tell whether the document has no more errors with these spans replaced.

        It is allowed if the tree is not complete, or the parser gives up on it or its process ends.
        """
        # Named tuples are pickled by name, which takes a hundred times as long.
        plain = list(map(tuple, spans))
        return not self.is_complete or self._ask("allows_edit", plain) is not False

    def _ask(self, name: str, *arguments: object) -> Any:
        return _parser(os.getpid()).ask(*self._document, name, *arguments)


def tree_of(data: bytes, language: str | None) -> Tree | None:
    """Return the tree of a document, whatever its bytes.

    None if there is no language or no grammar for it, if the document is longer than
    `_MAX_PARSE_BYTES`, if the parser gives up on it or its process ends, or if the tree is too deep
    to use: such a document is a list of tokens.
    """
    if language is None or len(data) > _MAX_PARSE_BYTES or grammar(language) is None:
        return None
    number = next(_numbers)
    facts: Facts | None = _parser(os.getpid()).ask(number, data, language, "facts")
    if facts is None:
        _drop(number)
        return None
    return Tree(number, data, language, facts)


@contextmanager
def parsing() -> Iterator[None]:
    """End the parser's process at the end of the block; a later request starts another one."""
    try:
        yield
    finally:
        _parser(os.getpid()).end()


def _drop(number: int) -> None:
    _parser(os.getpid()).drop(number)


@cache
def _parser(process: int) -> ParserProcess:
    """Return the parser of the process with this number: a fork needs one of its own."""
    return ParserProcess()


class ParserProcess:
    """A child process that serves requests about documents (`nubbin.documents.parsing.parser`).

    It starts with the first request, and ends with `end` or with this process. Several threads
    may use it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._popen: subprocess.Popen[bytes] | None = None
        self._kill: Callable[[], int | None] = lambda: None
        self._held: set[int] = set()
        self._dropped: list[int] = []
        self._overtime: defaultdict[str, float] = defaultdict(float)  # seconds, by language

    def ask(self, number: int, data: bytes, language: str, name: str, *arguments: object) -> Any:
        """Return what a method of `Parse` returns for a document, which has a number of its own.

        None if the parser gives up on the document or its process ends first, and always in a
        language that has taken too long in all, or in which a request was interrupted.
        """
        usual = _USUAL_S_PER_BYTE * len(data)
        with self._lock:
            while (left := _MAX_OVERTIME_S - self._overtime[language]) > 0:
                fresh = self._popen is None
                try:
                    call = number, (data, language), name, arguments
                    response, seconds = self._response(usual + left, *call)
                except Exception:  # it has ended, or is damaged and responds with nonsense
                    if self._end() == -signal.SIGPROF:
                        self._overtime[language] = inf
                    elif fresh:
                        break  # else an earlier text may have damaged it, or it was killed
                except BaseException:  # Ctrl-C, or the end of the time
                    self._end()  # else its response would be taken for the next one
                    self._overtime[language] = inf
                    raise
                else:
                    self._overtime[language] += max(0.0, seconds - usual)
                    return response
        return None

    def drop(self, number: int) -> None:
        """Forget a document about which there are no more requests."""
        self._dropped.append(number)  # without the lock, as the garbage collector calls this

    def end(self) -> None:
        """End the process; the next request starts another one."""
        with self._lock:
            self._end()
            self._overtime.clear()

    def _response(
        self, seconds: float, number: int, document: tuple[bytes, str], *call: object
    ) -> tuple[Any, float]:
        """Ask the process, which has `seconds` of CPU; return the response and the seconds."""
        popen = self._popen = self._popen or self._started()
        assert popen.stdin is not None
        assert popen.stdout is not None
        dropped, self._dropped = self._dropped, []
        self._held.difference_update(dropped)
        new = None if number in self._held else document
        request = seconds, dropped, number, new, *call
        pickle.dump(request, popen.stdin, pickle.HIGHEST_PROTOCOL)
        popen.stdin.flush()
        readable = [popen.stdout.fileno()]
        until(lambda period: select.select(readable, [], [], period)[0])
        response, took = pickle.load(popen.stdout)
        self._held.add(number)
        return response, took

    def _started(self) -> subprocess.Popen[bytes]:
        popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "nubbin.documents.parsing.parser"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # It finds the same modules as this process.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path))},
            # In a session of its own, so that Ctrl-C does not end it.
            start_new_session=True,
        )
        self._kill = weakref.finalize(self, _kill, popen, os.getpid())
        return popen

    def _end(self) -> int | None:
        """End the process; return how it had ended, or None if it was alive or there was none."""
        self._popen = None
        self._held.clear()
        return self._kill()


def _kill(popen: subprocess.Popen[bytes], owner: int) -> int | None:
    if os.getpid() != owner:  # in a fork
        return None
    popen.kill()
    with suppress(BrokenPipeError), popen:
        pass  # closes the pipes, and waits
    return popen.returncode
