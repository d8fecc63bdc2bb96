"""Run a command once on each of many documents, and never again on the same."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec

from nubbin.disk import Folder
from nubbin.documents.document import Document
from nubbin.oracles.output import excerpt
from nubbin.reduction.job import Job
from nubbin.reduction.start.open_job import Workers, open_workers
from nubbin_core.answer import Answer

_FILE: Final = "answers.jsonl"
_MAX_BYTES: Final = 1 << 30  # that are read of the file


class Answers:
    """The answers of the test of a job on many documents, kept in a file of a folder.

    An answer is on disk before it is given, and survives the end of this process at any instant.
    `runs` counts the runs of the test.
    """

    def __init__(self, job: Job, folder: Path):
        self._job, self._digest, self.runs = job, job.test.digest(), 0
        self._workers: dict[str, Workers] = {}
        self._known: dict[str, Answer] = {}
        with ExitStack() as stack:
            kept = stack.enter_context(Folder.made(folder))
            self._file = kept.open(_FILE, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            stack.callback(os.close, self._file)
            for line in kept.read(_FILE, _MAX_BYTES).splitlines():
                with suppress(msgspec.DecodeError):  # half a line: nubbin was killed
                    key, answer = msgspec.json.decode(line, type=tuple[str, Answer])
                    self._known[key] = answer
            self._stack = stack.pop_all()

    def close(self) -> None:
        """Close the file, and end the workers."""
        self._stack.close()

    def workers(self, name: str) -> Workers:
        """Return the workers for documents of a name."""
        if name not in self._workers:
            job = replace(self._job, original=Document.single(name, b""))
            self._workers[name] = self._stack.enter_context(open_workers(job))
        return self._workers[name]

    def of(self, documents: Sequence[Document]) -> Iterator[tuple[Document, Answer]]:
        """Yield each document and its answer, those that are known first."""
        known = [each for each in documents if self._key(each) in self._known]
        yield from ((each, self._known[self._key(each)]) for each in known)
        left = [each for each in documents if self._key(each) not in self._known]
        for name in dict.fromkeys(each.name for each in left):
            oracle, pool = (workers := self.workers(name)).oracle, workers.pool
            named = [each for each in left if each.name == name]
            asked = pool.each(oracle.explain, [each.contents for each in named])
            for document, answer in zip(named, asked, strict=True):
                yield document, self._keep(document, answer)

    def _key(self, document: Document) -> str:
        return f"{self._digest} {document.key.hex()}"

    def _keep(self, document: Document, answer: Answer) -> Answer:
        stdout = answer.output[: len(answer.output) - len(answer.errors)]
        errors = excerpt(answer.errors)
        answer = answer._replace(output=excerpt(stdout) + errors, errors=errors)
        self.runs += 1
        self._known[self._key(document)] = answer
        os.write(self._file, b"\n" + msgspec.json.encode((self._key(document), answer)))
        return answer
