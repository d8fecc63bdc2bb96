"""The parser's process: starts when it is needed, and again after a grammar has ended it."""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
import weakref
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Lock
from typing import Any

from nubbin_core.waiting import until

# Parsing ordinary text, and reading all nodes, takes a tenth of this.
_USUAL_S_PER_BYTE = 4e-6
# If all questions in a language take this much longer than usual, its trees cost more time than
# they save queries.
_MAX_OVERTIME_S = 10.0


class ParserProcess:
    """A child process that answers questions about documents (`nubbin.documents.parsing.parser`).

    It starts with the first question, and ends with `end` or with this process. Several threads
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

        None if the parser gives up on the document or dies of the question, and always in a
        language that has taken too long in all, or in which a question was interrupted.
        """
        usual = _USUAL_S_PER_BYTE * len(data)
        with self._lock:
            while (left := _MAX_OVERTIME_S - self._overtime[language]) > 0:
                fresh = self._popen is None
                try:
                    call = number, (data, language), name, arguments
                    answer, seconds = self._answer(usual + left, *call)
                except Exception:  # it has ended, or is damaged and answers nonsense
                    if self._end() == -signal.SIGPROF:
                        self._overtime[language] = inf
                    elif fresh:
                        break  # else an earlier text may have damaged it, or it was killed
                except BaseException:  # Ctrl-C, or the end of the time
                    self._end()  # else its answer would be taken for the next one
                    self._overtime[language] = inf
                    raise
                else:
                    self._overtime[language] += max(0.0, seconds - usual)
                    return answer
        return None

    def drop(self, number: int) -> None:
        """Forget a document about which there are no more questions."""
        self._dropped.append(number)  # without the lock, as the garbage collector calls this

    def end(self) -> None:
        """End the process; the next question starts another one."""
        with self._lock:
            self._end()
            self._overtime.clear()

    def _answer(
        self, seconds: float, number: int, document: tuple[bytes, str], *call: object
    ) -> tuple[Any, float]:
        """Ask the process, which has `seconds` of CPU; return the answer and the seconds."""
        popen = self._popen = self._popen or self._started()
        assert popen.stdin is not None
        assert popen.stdout is not None
        dropped, self._dropped = self._dropped, []
        self._held.difference_update(dropped)
        new = None if number in self._held else document
        question = seconds, dropped, number, new, *call
        pickle.dump(question, popen.stdin, pickle.HIGHEST_PROTOCOL)
        popen.stdin.flush()
        readable = [popen.stdout.fileno()]
        until(lambda period: select.select(readable, [], [], period)[0])
        answer, took = pickle.load(popen.stdout)
        self._held.add(number)
        return answer, took

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
