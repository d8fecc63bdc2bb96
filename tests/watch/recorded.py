"""Recorded runs for tests, made without a reduction."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nubbin.documents.document import Document
from nubbin.journal.journal import Journal
from nubbin.journal.run_facts import ListTally, PassTally, RunTally, Tally
from nubbin.option import Group
from nubbin.reduction.options import Options
from nubbin_core.verdict import Answer, Verdict

_LATER = time.time() + 1e6  # all happens before a run begins: at no time at all

#: All that a journal must say of its run, and how it ended.
FACTS: dict[str, Any] = {
    "options": Options().values(Group.RECORDED),
    "name": "input.c",
    "root": "/home/somebody",
    "target": "/home/somebody/input.reduced.c",
    "executables": [],
    "depth": 0,
    "test": {"kind": "command", "words": ["/bin/true"], "folder": "/"},
    "test_digest": "0123",
    "original": [2, 2],
    "sessions": [{"begun": _LATER, "seconds": 0.0}],
    "ended": "fixpoint",
    "minimal": True,
}

#: The same facts as a journal has them, the options beside the others.
RECORDED = {**FACTS["options"], **FACTS}
del RECORDED["options"]


def accept(journal: Journal, data: bytes, queries: int = 0, pass_name: str = "") -> bytes:
    document = Document.single("input.c", data)
    journal.accept(document.key, document.contents, queries, pass_name)
    return document.key


def record(folder: Path, candidates: Sequence[bytes] = (b"int a; int b;", b"int a;")) -> Path:
    """Record a run that accepted these candidates, in steps of ten queries."""
    with Journal.create(folder) as journal:
        journal.tell(**FACTS)
        for number, data in enumerate(candidates):
            accept(journal, data, 10 * number, "tree levels" if number else "")
            answer = Answer(Verdict.INTERESTING, 0.25, 0, timed_out=False)
            journal.note(b"%d" % number, answer, 1, 1)
        journal.tell_tally(tally(10 * (len(candidates) - 1)))
    return folder


def tally(queries: int, **values: Any) -> Tally:
    made = {
        "seconds": 30.0,
        "jobs": 2,
        "at_work": ListTally("tree levels", 8, 3, queries),
        "passes": [PassTally("tree levels", 1, queries, queries // 2, 0, 2.5)],
        "kinds": {"toss": [queries, queries // 2]},
        "runs": [RunTally(0.0, 1234)],
    }
    return Tally(**{**made, **values})
