"""Read a journal with every check, and describe what can be saved of a damaged one."""

from __future__ import annotations

import sqlite3
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from nubbin.disk import beginning
from nubbin.documents.containers.zstd import zstd
from nubbin.documents.deltas import applied
from nubbin.documents.document import Document
from nubbin.documents.edits import Link
from nubbin.journal import schema
from nubbin.journal.run_facts import RunFacts, Tally
from nubbin.journal.run_folders import BEST, OUTPUT, reduced_path
from nubbin.journal.schema import Accepted, Unreadable, sealed
from nubbin.oracles.commands.command_line import nubbin_line
from nubbin.text.figures import printable
from nubbin_core.errors import NubbinError

#: A candidate of up to this size is always unpacked. A larger one is unpacked only if its delta can
#: explain what is not in the candidate before it: compression makes text 3 to 100 times smaller.
_ANY_BYTES = 1 << 30
_MAX_RATIO = 1000
#: The file in the folder of a run with the last accepted candidate. If the log of the database is
#: damaged or missing, SQLite reads a shorter one without an error. The only line of the file always
#: has the same length, so one write replaces it.
LAST_ACCEPTED = "accepted"
_MAX_LINE_BYTES = 200
#: Raised for data that is not a delta.
_WRONG = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)


class DamagedJournal(NubbinError):
    """A journal is damaged; the message says what can be saved."""


@contextmanager
def reading(run: Path) -> Iterator[sqlite3.Connection]:
    """Open the journal of a run; raises NubbinError if there is none, or if it is damaged."""
    try:
        with _opened(run) as store:
            yield store
    except schema.FAULTS as fault:
        raise unreadable(run, fault) from fault


def unreadable(run: Path, fault: Exception) -> NubbinError:
    """Return the error for a journal that cannot be read; it says what can be saved."""
    why = printable(fault)
    if isinstance(fault, UnicodeError):
        why = "its tables are damaged"
    elif getattr(fault, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
        why = "it has no end, as its pages name one another"
    text = f"The journal in {run} cannot be read: {why}."
    if schema.is_of_the_disk(fault):
        return NubbinError(text)
    if good := _last_good(run):
        text += (
            f" Its candidates up to number {good} are whole: write the last of them with "
            f"`{nubbin_line('show', run, str(good), '-o PATH')}`, and reduce that in a new run."
        )
    else:
        best = next(filter(Path.exists, _places_of_best(run)), "INPUT")
        text += f" Begin a new run from the best candidate on disk: nubbin reduce TEST {best}"
    return DamagedJournal(text)


def facts_of(run: Path) -> RunFacts:
    """Return the facts about a run; raises NubbinError if they are damaged, or it never began."""
    with reading(run) as store:
        return facts(store, run)


def facts(store: sqlite3.Connection, run: Path) -> RunFacts:
    """Return the facts about a run; raises Unreadable if they are damaged.

    Raises NubbinError if the run never began.
    """
    told = schema.told(store)
    if not told:
        # Raises if the run began, and its facts are lost.
        deque(accepted_candidates(store, run), maxlen=0)
        raise schema.never_began(run)
    return RunFacts.from_json(told)


def tally(store: sqlite3.Connection) -> Tally | None:
    """Return the tally of the run; None if it is missing or damaged."""
    with suppress(msgspec.ValidationError, RecursionError):
        return msgspec.convert(schema.value(store, "tally"), Tally)
    return None


class Last(NamedTuple):
    """The number and the key of the last accepted candidate, noted outside the database."""

    number: int
    key: bytes

    @property
    def line(self) -> bytes:
        """The line of the file."""
        *_, seal = sealed("tally", *self)  # this name, as in the first versions
        return f"{self.number:12} {self.key.hex()} {seal.hex()}\n".encode()


def _last(run: Path) -> Last | None:
    """Return the note in a run's folder; None if it is missing or damaged."""
    line = beginning(run / LAST_ACCEPTED, _MAX_LINE_BYTES) or b""
    try:
        number, key, _ = line.split()
        noted = Last(int(number), bytes.fromhex(key.decode()))
    except ValueError:
        return None
    return noted if line == noted.line else None


def accepted_candidates(
    store: sqlite3.Connection, run: Path, after: Accepted | None = None
) -> Iterator[Accepted]:
    """Yield the accepted candidates, the original first; raises Unreadable if one is missing.

    With `after`, which must be one of them, yields only those after it.
    """
    noted = _last(run)
    found = set[Last]()
    for row in schema.accepted_rows(store, after.number if after else 0):
        found.add(Last(row.number, row.key))
        yield row
    if noted is None or noted in found or (after and noted.number <= after.number):
        return
    # A running reduction may have rolled back in the meantime.
    if noted == _last(run):
        raise Unreadable(f"candidate {noted.number}, which was accepted, is missing")


def candidates(store: sqlite3.Connection, run: Path) -> Iterator[tuple[Accepted, dict[str, bytes]]]:
    """Yield each accepted candidate with its files; raises Unreadable if one is damaged.

    Takes time linear in the bytes of all candidates.
    """
    files: dict[str, bytes] = {}
    for row in accepted_candidates(store, run):
        files = files_of(row, files)
        yield row, files


def candidate(run: Path, number: int | None) -> dict[str, bytes]:
    """Return the files of an accepted candidate, by default the best.

    Takes time linear in the candidates up to it. Raises NubbinError if there is no such candidate,
    or if it or an earlier one is damaged.
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
    """Return the error for a run without a candidate of this number."""
    return NubbinError(
        f"The run in {run} has no candidate {'' if number is None else number}: "
        f"`{nubbin_line('log', run)}` lists those it accepted."
    )


def files_of(row: Accepted, before: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a candidate, given the files of the candidate before it.

    Takes time linear in their bytes. Raises Unreadable if the candidate is damaged, or too large
    for its delta or for the memory.
    """
    explained = sum(map(len, before.values())) + _MAX_RATIO * len(row.delta)
    if row.bytes > max(_ANY_BYTES, explained):
        raise Unreadable(f"candidate {row.number} would have {row.bytes:,} bytes")
    try:
        files = applied(row.delta, before, row.bytes)
        document = Document.of("", files)
        if all(map(_can_be, files.items())) and document.key == row.key:
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
        schema.check_tables(store, run)
        yield store


def _places_of_best(run: Path) -> Iterator[Path]:
    for folder in (BEST, OUTPUT):
        yield from (run / folder).glob("[!.]*")
    # `new_run` adds the date and the time to the name of the input.
    yield reduced_path(run.parent.parent / run.name.rsplit("-", 2)[0])


def _last_good(run: Path) -> int:
    good = 0
    with suppress(*schema.FAULTS, NubbinError), _opened(run) as store:
        for row, _ in candidates(store, run):
            good = row.number
    return good


def _can_be(file: tuple[str, bytes]) -> bool:
    """Tell whether a file or a link can have this path, which stays in its folder, and contents."""
    path, data = file
    is_inside = "\0" not in path and not path.startswith("/") and ".." not in path.split("/")
    return is_inside and (not isinstance(data, Link) or (bool(data) and not data.count(b"\0")))
