"""Candidates from another program: tried one by one, the first that is interesting is kept."""

from __future__ import annotations

import base64
import json
import os
import shlex
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, Self

from nubbin.documents.file import File
from nubbin.oracles.output import quoted
from nubbin.oracles.processes.line_child import BadLine, LineChild, NoLine, shown
from nubbin.oracles.processes.process import ended
from nubbin.passes.proposal import Proposal
from nubbin_core.errors import NubbinError

_ANSWER_TIMEOUT_S = 300.0
_MAX_ANSWER_BYTES = 256 << 20


class Source(Protocol):
    """Where candidates come from."""

    def candidates(self, file: File) -> Iterator[bytes]:
        """Yield candidates for the contents of a file, the most promising first."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A pass that tries the candidates of a source, and asks it again whenever one is interesting.

    Candidates that are not smaller cost no query.
    """

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
    """A program that is started once and asked by lines of JSON; docs/agents.md has the rules.

    A context manager; at the end the program and its process group are killed. Raises NubbinError
    if the program cannot be started, ends, takes too long, or answers something else.
    """

    def __init__(self, command: str):
        self._command = command
        try:
            self._child = LineChild(
                shlex.split(command) or [""],
                folder=os.getcwd(),  # noqa: PTH109 - as the user has it
                environment=os.environb,
                max_bytes=_MAX_ANSWER_BYTES,
            )
        except (OSError, ValueError) as error:
            raise NubbinError(
                f"The proposer {command!r} cannot be started: {error}. Give the command line of a "
                "program, with its path if it is not on the PATH."
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.close()

    def candidates(self, file: File) -> Iterator[bytes]:
        """Ask the program about a file, once, and yield what it proposes."""
        answer = self._ask({"path": file.path, **_told(file.data)})
        try:
            candidates = answer["candidates"]
            if not isinstance(candidates, list):
                raise TypeError(f"{type(candidates).__name__}, not a list")
            for each in candidates:
                yield _read(each)
        except (TypeError, KeyError, ValueError) as error:
            raise self._wrong(f'gave no "candidates" that can be read ({error!r})') from None

    def _ask(self, question: dict[str, Any]) -> Any:
        try:
            line = self._child.ask(json.dumps(question).encode(), _ANSWER_TIMEOUT_S)
        except NoLine:
            raise self._wrong(ended(self._child.close())) from None
        except BadLine as error:
            raise self._wrong(str(error)) from None
        if line is None:
            raise self._wrong(f"did not answer within {_ANSWER_TIMEOUT_S:.0f} s")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise self._wrong(f"answered {shown(line)}") from None

    def _wrong(self, what: str) -> NubbinError:
        return NubbinError(
            f"The proposer {self._command!r} {what}. It reads a line of JSON for each question and "
            "prints one for each answer; docs/agents.md has an example. Correct it and resume, "
            "or reduce the result without it: the best is kept." + quoted(self._child.stderr())
        )


def _told(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _read(candidate: str | dict[str, str]) -> bytes:
    if isinstance(candidate, str):
        return candidate.encode()
    return base64.b64decode(candidate["base64"], validate=True)
