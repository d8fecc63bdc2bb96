"""Sign the facts of a run, so that nubbin recognises runs which the user recorded.

To continue a run, nubbin executes the command and writes to the paths that the journal names. The
owner of the folder need not have chosen them: an archive from another person belongs to the user
who unpacks it. So the facts have a mark, made with the user's secret key. nubbin makes the key when
it records the first run.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import platformdirs

from nubbin.disk import Folder, NotOurs, followed
from nubbin.journal import reading, schema
from nubbin.oracles.commands.command_line import nubbin_line
from nubbin_core.errors import NubbinError

_MARK = "mark"
_KEY = "key"
_KEY_BYTES = 32
#: The folder beside the key with a file for each place of a result: what nubbin left there.
_RESULTS = "results"


class Stranger(NubbinError):
    """A run that the user is not known to have recorded."""


def with_mark(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts of a run with the user's mark, or without one if there is no key."""
    with suppress(OSError, NubbinError):
        return {**facts, _MARK: _mark_of(facts)}
    return _unmarked(facts)


def missing() -> str | None:
    """Return why nubbin cannot mark the runs that it records now; None if it can."""
    try:
        _key()
    except (OSError, NubbinError) as error:
        return str(error)
    return None


def check_own(run: Path) -> None:
    """Raise Stranger if another user recorded a run, NubbinError if its journal is unreadable."""
    with suppress(FileNotFoundError):
        opened(run).close()
    with reading.reading(run) as store:
        check_mark(run, schema.told(store))


def opened(run: Path) -> Folder:
    """Open the folder of a run; raises OSError, and Stranger if others may write to it."""
    try:
        return Folder(followed(run))
    except NotOurs as error:
        raise _stranger(run, str(error), " copy it to a folder of your own, and") from error


def check_mark(run: Path, facts: Mapping[str, Any]) -> None:
    """Raise Stranger if a run has facts that do not bear the user's mark."""
    if not facts:
        return
    try:
        expected = _mark_of(facts)
    except (OSError, NubbinError) as error:
        raise _stranger(run, f"Your key cannot be read, so it is unknown: {error}") from error
    if not hmac.compare_digest(str(facts.get(_MARK)).encode(), expected.encode()):
        raise _stranger(run, f"It does not bear the mark of your key, {_place() / _KEY}.")


def note_result(place: Path, result: bytes) -> None:
    """Note the key of a result that nubbin leaves at a place, if the note can be written."""
    with suppress(OSError, NubbinError), _results() as folder:
        folder.write(_name_of(place), result)


def is_noted_result(place: Path, result: bytes) -> bool:
    """Tell whether a result with this key is what nubbin left at a place."""
    with suppress(OSError, NubbinError), _results() as folder:
        return folder.read(_name_of(place), len(result) + 1) == result
    return False


def _results() -> Folder:
    _place().mkdir(parents=True, exist_ok=True)
    return Folder.made(followed(_place() / _RESULTS))


def _name_of(place: Path) -> str:
    return blake2b(os.fsencode(place.resolve()), digest_size=16).hexdigest()


def _stranger(run: Path, why: str, first: str = "") -> Stranger:
    return Stranger(
        f"The run in {run} is not known to be yours. {why} A run names the command that is "
        f"executed and the files that are written, so treat it as a script by the same person. "
        f"`{nubbin_line('log', run)}` only looks at it. To use it all the same,{first} give "
        "--trust."
    )


def _unmarked(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name != _MARK}


def _mark_of(facts: Mapping[str, Any]) -> str:
    """Return the mark of some facts; raises OSError or NubbinError if there is no key."""
    as_read = json.loads(json.dumps(_unmarked(facts)))
    data = json.dumps(as_read, sort_keys=True).encode()
    return blake2b(data, key=_key(), digest_size=32, person=b"nubbin run").hexdigest()


def _key() -> bytes:
    """Return the user's key, and make it if there is none; raises OSError and NubbinError."""
    place = _place()
    place.parent.mkdir(parents=True, exist_ok=True)
    with Folder.made(followed(place)) as folder:
        if not folder.has(_KEY):
            with suppress(FileExistsError):  # another process was quicker
                folder.write(_KEY, secrets.token_bytes(_KEY_BYTES), is_new=True)
        key = folder.read(_KEY, _KEY_BYTES)
    if len(key) != _KEY_BYTES:
        raise NubbinError(f"{place / _KEY} is damaged. Remove it, and another is made.")
    return key


def _place() -> Path:
    return platformdirs.user_state_path("nubbin")
