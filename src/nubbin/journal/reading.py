"""Reading a journal with every check, and the message for one that is damaged."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from nubbin.documents.containers.zstd import zstd
from nubbin.documents.deltas import applied
from nubbin.documents.document import Document
from nubbin.documents.file import File, Link
from nubbin.journal import last_accepted, schema
from nubbin.journal.run_facts import RunFacts
from nubbin.journal.schema import Accepted, Unreadable
from nubbin.text.visible import printable
from nubbin_core.errors import NubbinError

#: Candidates of up to a size are unpacked in any case; a larger one, if its delta is not too small
#: for what is not in the candidate before it. Text becomes some 3 to 100 times smaller.
_ANY_BYTES = 1 << 30
_MAX_RATIO = 1000
#: Raised by what does not have the form of a delta.
_WRONG = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)


class DamagedJournal(NubbinError):
    """A journal is not as it was written; the message says what can be saved."""


@contextmanager
def reading(run: Path) -> Iterator[sqlite3.Connection]:
    """Read the journal of a run; raises NubbinError if there is none, or if it is damaged."""
    try:
        with _opened(run) as store:
            yield store
    except schema.FAULTS as fault:
        raise unreadable(run, fault) from fault


def unreadable(run: Path, fault: Exception) -> NubbinError:
    """Return the error for a journal that cannot be read; it says what can be saved."""
    said = printable(fault)
    if isinstance(fault, UnicodeError):
        said = "its tables are damaged"
    elif getattr(fault, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
        said = "it has no end, as its pages name one another"
    told = f"The journal in {run} cannot be read: {said}."
    if schema.is_of_the_disk(fault):
        return NubbinError(told)
    if good := _last_good(run):
        told += (
            f" Its candidates up to number {good} are whole: write the last of them with "
            f"`nubbin show {run} {good} -o PATH`, and reduce that in a new run."
        )
    return DamagedJournal(told)


def facts_of(run: Path) -> RunFacts:
    """Return the facts about a run; raises NubbinError if they are damaged, or it never began."""
    with reading(run) as store:
        return facts(store, run)


def facts(store: sqlite3.Connection, run: Path) -> RunFacts:
    """Return the facts about a run; raises Unreadable for damage, NubbinError if it never began."""
    told = schema.told(store)
    if not told:
        deque(accepted(store, run), maxlen=0)  # raises if it has begun, and lost what it said
        raise schema.never_began(run)
    return RunFacts.from_json(told)


def accepted(
    store: sqlite3.Connection, run: Path, after: Accepted | None = None
) -> Iterator[Accepted]:
    """Yield the accepted candidates, the original first; raises Unreadable if any is missing.

    With `after`, which must be among them, yields only those that come after it.
    """
    noted = last_accepted.last(run)
    found = set[last_accepted.Last]()
    for row in schema.accepted(store, after.number if after else 0):
        found.add(last_accepted.Last(row.number, row.key))
        yield row
    if noted is None or noted in found or (after and noted.number <= after.number):
        return
    # A reduction that is under way may have rolled back meanwhile.
    if noted == last_accepted.last(run):
        raise Unreadable(f"candidate {noted.number}, which was accepted, is missing")


def candidates(store: sqlite3.Connection, run: Path) -> Iterator[tuple[Accepted, dict[str, bytes]]]:
    """Yield every accepted candidate with its files; raises Unreadable if any is damaged.

    Linear in the bytes of all that is yielded.
    """
    files: dict[str, bytes] = {}
    for row in accepted(store, run):
        files = files_of(row, files)
        yield row, files


def candidate(run: Path, number: int | None) -> dict[str, bytes]:
    """Return the files of an accepted candidate, by default the best.

    Linear in those up to it. Raises NubbinError if there is none of that number, or if it or one
    before it is damaged.
    """
    found: dict[str, bytes] | None = None
    with reading(run) as store:
        for each, files in candidates(store, run):
            if number in (None, each.number):
                found = files
            if number == each.number:
                break
    if found is None:
        raise no_candidate(run, number)
    return found


def no_candidate(run: Path, number: int | None) -> NubbinError:
    """Return the error for a candidate that a run does not have."""
    return NubbinError(
        f"The run in {run} has no candidate {'' if number is None else number}: "
        f"`nubbin log {run}` lists those it accepted."
    )


def files_of(row: Accepted, before: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a candidate, made from those of the one before it.

    Linear in their bytes. Raises Unreadable if the candidate is damaged, or so large that there is
    not enough memory for it; one that its delta cannot explain is not unpacked.
    """
    explained = sum(map(len, before.values())) + _MAX_RATIO * len(row.delta)
    if row.bytes > max(_ANY_BYTES, explained):
        raise Unreadable(f"candidate {row.number} would have {row.bytes:,} bytes")
    try:
        files = applied(row.delta, before, row.bytes)
        inside = all(map(_is_inside, files)) and all(map(_can_be, files.values()))
        if inside and _key(files) == row.key:
            return files
    except MemoryError:
        raise Unreadable(f"there is not enough memory for candidate {row.number}") from None
    except (*_WRONG, zstd.ZstdError):
        pass
    raise Unreadable(f"candidate {row.number} is damaged")


@contextmanager
def _opened(run: Path) -> Iterator[sqlite3.Connection]:
    place = schema.place_of(run)
    with closing(schema.opened_for_reading(place)) as store, schema.bounded(store, place):
        schema.check(store, run)
        yield store


def _last_good(run: Path) -> int:
    """Return the number of the last candidate before the first that is damaged."""
    good = 0
    with suppress(*schema.FAULTS, NubbinError), _opened(run) as store:
        for row, _ in candidates(store, run):
            good = row.number
    return good


def _is_inside(path: str) -> bool:
    """Tell whether a path can be that of a file, and stays in its folder."""
    return "\0" not in path and not path.startswith("/") and ".." not in path.split("/")


def _can_be(data: bytes) -> bool:
    """Tell whether there can be a file or a link with these contents."""
    return not isinstance(data, Link) or (bool(data) and not data.count(b"\0"))


def _key(files: dict[str, bytes]) -> bytes:
    return Document("", tuple(File(*pair) for pair in files.items())).key
