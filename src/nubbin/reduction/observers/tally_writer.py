"""Write the figures of a running reduction to the journal, for `nubbin watch`."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Self

from nubbin.disk import beginning, write_whole
from nubbin.documents.document import Document
from nubbin.journal import command_box
from nubbin.journal.command_box import SteeringCommand
from nubbin.journal.journal import Journal
from nubbin.journal.run_facts import ListTally, PassTally, RunTally, Tally
from nubbin.oracles.oracle import Oracle
from nubbin.passes.folders.obfuscation import OBFUSCATION, replaced_words
from nubbin.reduction.events import Event, Improved, ListStarted, RolledBack, Steered
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool
from nubbin_core.search.budget import Budget
from nubbin_core.search.problem import Answered
from nubbin_core.verdict import Verdict
from nubbin_core.waiting import join

_PERIOD_S = 0.5  # between two writes


class TallyWriter:
    """Keeps the tally of a reduction, and writes it to the journal twice a second.

    An observer, and a context manager: a thread writes during the block. It ignores errors of the
    disk, which the next answer will report. Costs ten microseconds per query.
    """

    def __init__(self, journal: Journal, oracle: Oracle, pool: Pool, budget: Budget):
        self._journal = journal
        self._oracle = oracle
        self._pool = pool
        self._budget = budget
        self._lock = threading.Lock()
        self._tally = Tally()
        self._passes: dict[str, PassTally] = {}
        self._before = journal.tally.seconds if journal.tally else 0.0
        self._begun = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._write_often, name="nubbin-tally", daemon=True)

    def __enter__(self) -> Self:
        self._write()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        join(self._thread)
        self._write()

    def __call__(self, event: Event) -> None:
        """Count an event."""
        with self._lock:
            match event:
                case ListStarted(name=name, elements=elements):
                    self._tally.at_work = ListTally(name, elements, elements)
                    self._passes.setdefault(name, PassTally(name)).lists += 1
                case Answered():
                    self._count(event)
                case Steered(
                    command=SteeringCommand(name=command_box.PAUSE | command_box.GO_ON as name)
                ):
                    self._tally.is_paused = name == command_box.PAUSE

    def _count(self, event: Answered) -> None:
        interesting = event.verdict is Verdict.INTERESTING
        at_work = self._tally.at_work
        assert at_work is not None, "a list asks"
        at_work.queries += 1
        if interesting:
            at_work.kept = event.size
        asked_by = self._passes[at_work.pass_name]
        asked_by.queries += 1
        asked_by.interesting += interesting
        asked_by.unresolved += event.verdict is Verdict.UNRESOLVED
        asked_by.seconds += event.seconds
        self._tally.kinds[event.kind] = list(self._budget.by_kind[event.kind][:2])

    def _write_often(self) -> None:
        while not self._over.wait(_PERIOD_S):
            self._write()

    def _write(self) -> None:
        with self._lock:
            self._tally.at = time.time()
            self._tally.seconds = self._before + time.monotonic() - self._begun
            self._tally.passes = list(self._passes.values())
            self._tally.jobs = self._pool.width
            self._tally.runs = [RunTally(*each) for each in self._oracle.under_way]
            with suppress(OSError, NubbinError):
                self._journal.tell_tally(self._tally)


class WordTable:
    """An observer that remembers the documents from which obfuscation starts."""

    def __init__(self, original: Document, language: str | None):
        self._best, self._language = original, language
        self._obfuscated = list[Document]()

    def __call__(self, event: Event) -> None:
        """Note the best when obfuscation begins."""
        match event:
            case ListStarted(name=name) if name == OBFUSCATION:
                self._obfuscated.append(self._best)
            case Improved(document) | RolledBack(document):
                self._best = document

    def write(self, result: Path) -> Path | None:
        """Write the table beside a result, for the user alone; return its place if there is one.

        Each line has a new word, a tab and the old one. A table of an earlier run is kept. Raises
        OSError.
        """
        words = dict[bytes, bytes]()
        for before in self._obfuscated:
            words |= replaced_words(before, self._best, self._language)
        lines = b"".join(b"%b\t%b\n" % pair for pair in sorted(words.items()))
        if not lines:
            return None
        names = (f"{result.name}.words{number or ''}.tsv" for number in count())
        places = map(result.with_name, names)
        most = len(lines) + 1
        place = next(p for p in places if not os.path.lexists(p) or beginning(p, most) == lines)
        write_whole(place, lines, 0o600)
        return place
