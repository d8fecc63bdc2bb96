"""Candidates that come from other programs: one by one, the first that is interesting wins."""

from __future__ import annotations

import base64
import json
import shlex
import subprocess
import weakref
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from nubbin.documents.file import File
from nubbin.oracles.errors import WrongTest
from nubbin.oracles.forks import not_in_forks
from nubbin.passes.proposal import Proposal


class Source(Protocol):
    """Where candidates come from."""

    def candidates(self, file: File) -> Iterator[bytes]:
        """Yield what may take the place of a file's contents, the most promising first."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A pass that tries the candidates of a source, and asks it anew whenever one is interesting.

    Candidates that are not smaller cost no query.
    """

    name: str
    source: Source

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield a proposal of one edit for each candidate."""
        candidates = self.source.candidates(file)
        while (data := next(candidates, None)) is not None:
            came_out = yield _instead(file, data)
            if came_out.data != file.data:
                file = came_out
                candidates = self.source.candidates(file)


def _instead(file: File, data: bytes) -> Proposal[File]:
    return Proposal(1, lambda kept: file if len(kept) else file.with_data(data))


class Program:
    """A program that is started once and asked by lines of JSON; docs/proposers.md has the rules.

    Raises WrongTest where it cannot be started, ends, or answers something else.
    """

    def __init__(self, command: str):
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def candidates(self, file: File) -> Iterator[bytes]:
        """Ask the program about a file, once, and yield what it proposes."""
        answer = self._ask({"path": file.path, **_told(file.data)})
        try:
            for each in answer["candidates"]:
                yield _read(each)
        except (TypeError, KeyError, ValueError) as error:
            raise self._wrong(f'gave no "candidates" that can be read ({error!r})') from None

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise self._wrong(f"ended, with status {process.wait()}")
        try:
            answer = json.loads(line)
        except ValueError:
            raise self._wrong(f"answered {line[:60]!r}") from None
        return answer if isinstance(answer, dict) else {}

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            # In a session of its own: Ctrl-C is for us.
            process = subprocess.Popen(
                shlex.split(self._command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise self._wrong(f"cannot be started: {error}") from None
        weakref.finalize(self, not_in_forks(_end), process)
        return process

    def _wrong(self, what: str) -> WrongTest:
        return WrongTest(
            f"The proposer {self._command!r} {what}. It reads a line of JSON for each question and "
            "prints one for each answer; docs/proposers.md has an example. Correct it, or go on "
            "without: what was best is kept."
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with suppress(BrokenPipeError), process:
        pass  # closes the pipes, and waits


def _told(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _read(candidate: str | dict[str, str]) -> bytes:
    if isinstance(candidate, str):
        return candidate.encode()
    return base64.b64decode(candidate["base64"], validate=True)
