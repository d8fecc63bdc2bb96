#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Put real files of this system to every analysis, and print what raises and what is slow.

    bench/fault_texts.py [--texts N] [--seed N] [--seconds N] [FOLDER ...]

Each of N files of up to 256 KB, which the seed chooses from the folders, is read in a process of
its own, with a limit of processor time for each analysis: what numbers follow from, containers, the
language, and then each pass to its third list, of which the first and last removal are rendered.
Prints a line for each analysis that raises or exceeds the limit, and for the sum.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from traceback import format_exception

import command_line
from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.hypotheses import hypotheses
from nubbin.documents.document import Document
from nubbin.documents.parsing.trees import parsing
from nubbin.minimizers import Subset
from nubbin.passes.proposal import Pass, next_proposal
from nubbin.reduction.pipeline import passes_for

_MAX_BYTES = 256 << 10
_MAX_LISTS = 3
_FOLDERS = ["/usr", "/etc", "/var/lib"]


class SlowAnalysis(BaseException):
    """The limit of processor time is over."""


def main() -> None:
    options = command_line.parser(__doc__)
    options.add_argument("--texts", type=int, default=5000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("folders", nargs="*", default=_FOLDERS)
    chosen = options.parse_args()
    places = sorted(place for folder in chosen.folders for place in _files(folder))
    random.Random(chosen.seed).shuffle(places)
    tried, found = 0, Counter[str]()
    with get_context("fork").Pool(1) as pool:
        asked = ((place, chosen.seconds) for place in places[: chosen.texts])
        for place, wrong in pool.imap(_looked_at, asked):
            tried += 1
            for name, what in wrong:
                found[name] += 1
                print(f"{place}: {name}: {what}", flush=True)
    print(f"{tried} files; {sum(found.values())} faults {dict(found)}")
    sys.exit(bool(found))


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

    within("consistency of all", lambda: Consistency.of(data, hypotheses(data)))
    within("containers", lambda: document.unpacked(4).key)
    with parsing():
        passes: list[Pass] = []
        within("language", lambda: passes.extend(passes_for(document)))
        for each in passes:
            within(each.name, lambda each=each: _proposes(each, document))  # type: ignore[misc]
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
            proposal.is_plausible(kept, came_out)
        proposal = next_proposal(running, came_out)


if __name__ == "__main__":
    main()
