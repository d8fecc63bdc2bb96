"""Put real files of this system to every analysis, and print what raises and what is slow.

    bench/run.py reliability/texts [--texts N] [--seed N] [--seconds N] [FOLDER ...]

Each of N files of up to 256 KB, which the seed chooses from the folders, is put to analyses in an
order of its own, until they have used a second of processor time: what numbers follow from,
containers, and each pass to its third list, of which the first and last removal are rendered.
Of files of one folder whose names end alike, one is chosen.
Prints a line for each analysis that raises or exceeds the limit of processor time, and for the sum.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from traceback import format_exception

from harness.experiment import Table
from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.hypotheses import hypotheses
from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.passes.proposal import Pass, next_proposal
from nubbin.reduction.pipeline import passes_for
from nubbin_core.minimizers import Subset

_MAX_BYTES = 256 << 10
_MAX_LISTS = 3
_MAX_S_PER_FILE = 1.0
FOLDERS = ("/usr", "/etc", "/var/lib")


class SlowAnalysis(BaseException):
    """The limit of processor time is over."""


def experiment(
    folders: Sequence[str] = FOLDERS, *, texts: int = 5000, seed: int = 0, seconds: float = 10.0
) -> Iterator[Table | str]:
    chance = random.Random(seed)
    found_there = sorted(place for folder in folders for place in _files(folder))
    chance.shuffle(found_there)
    places = list({(Path(each).parent, Path(each).suffix): each for each in found_there}.values())
    chance.shuffle(places)
    tried, found = 0, Counter[str]()

    def rows() -> Iterator[list[str]]:
        nonlocal tried
        with get_context("fork").Pool(1) as pool:
            for place, wrong in pool.imap(_looked_at, ((each, seconds) for each in places[:texts])):
                tried += 1
                found.update(name for name, _ in wrong)
                yield from ([place, name, what] for name, what in wrong)

    yield Table("file | analysis | fault", rows(), "lll")
    yield f"{tried} files; {found.total()} faults {dict(found)}"


def _files(folder: str) -> Iterator[str]:
    for root, _, names in os.walk(folder):
        for name in names:
            place = Path(root, name)
            is_file = place.is_file() and not place.is_symlink() and os.access(place, os.R_OK)
            if is_file and 0 < place.stat().st_size <= _MAX_BYTES:
                yield str(place)


def _looked_at(asked: tuple[str, float]) -> tuple[str, list[tuple[str, str]]]:
    """Return a place, and what analyses raise on the file there."""
    place, seconds = asked
    data = Path(place).read_bytes()
    document = Document.single(Path(place).name, data)
    wrong: list[tuple[str, str]] = []

    def within(name: str, ask: Callable[[], object]) -> None:
        def over(*_: object) -> None:
            raise SlowAnalysis(f"over {seconds:.0f} s of processor time")

        signal.signal(signal.SIGPROF, over)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            ask()
        except (Exception, SlowAnalysis) as error:
            wrong.append((name, "".join(format_exception(error)[-2:])))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    with parsing():
        passes: list[Pass] = []
        within("language", lambda: passes.extend(passes_for(document)))
        analyses: list[tuple[str, Callable[[], object]]] = [
            ("consistency of all", lambda: Consistency.of(data, hypotheses(data))),
            ("containers", lambda: document.unpacked(4).key),
            *((each.name, partial(_proposes, each, document)) for each in passes),
        ]
        random.Random(place).shuffle(analyses)
        until = time.process_time() + _MAX_S_PER_FILE
        for name, ask in analyses:
            if time.process_time() < until:
                within(name, ask)
    return place, wrong


def _proposes(each: Pass, document: Document) -> None:
    """Render the first and the last single edit of the first lists."""
    running = each.propose(document)
    proposal = next_proposal(running)
    for _ in range(_MAX_LISTS):
        if proposal is None:
            return
        everything = Subset.full(proposal.size)
        for at in {0, proposal.size - 1}:
            kept = everything.without(at, at + 1)
            came_out = proposal.render(kept)
            proposal.is_plausible(kept)
        proposal = next_proposal(running, came_out)
