"""The hidden folder beside a result, in which its replacement is made."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from nubbin.oracles.candidate_files import remove
from nubbin.oracles.errors import NubbinError

_LOCK = "lock"
_MARK = b"nubbin "  # begins the lock: a folder with other things in it is not ours


class Staging:
    """A folder `.NAME.nubbin` beside a place; only the process that locks it may write there.

    The replacement is made as `new`. A folder that has to make way for it is moved to `aside`, and
    to `old` when all in it is known to be ours; then it is the `spare`, of which the next one is
    made. So the next process here finds and clears away all that a killed one left. The system
    releases the lock when the process ends. Raises NubbinError if another process has the place,
    OSError if it cannot be written.
    """

    def __init__(self, place: Path):
        self._place = place
        self._folder = place.with_name(f".{place.name}.nubbin")
        self.new = self._folder / "new"
        self.aside = self._folder / "aside"
        self.old = self._folder / "old"
        self.spare = self._folder / "spare"
        self._held = _hold(self._folder, place)
        try:
            os.ftruncate(self._held, os.pwrite(self._held, b"%b%d\n" % (_MARK, os.getpid()), 0))
            self._clear()
        except BaseException:
            self.close()
            raise
        if os.path.lexists(self.aside):
            self.close()
            raise NubbinError(
                f"A run of nubbin was killed while it replaced {place}, and somebody else has "
                f"written there since. What lay there before is in {self.aside}. Move that to "
                "where you want it, and start again."
            )

    def close(self) -> None:
        """Release the place and remove the folder, except what is not ours to remove."""
        with suppress(OSError):
            self._clear()
            if not os.path.lexists(self.aside):
                (self._folder / _LOCK).unlink()
                self._folder.rmdir()  # fails if another run makes its lock at this instant
        os.close(self._held)

    def bring_back(self) -> None:
        """Move what made way back to its place, unless something else is there by now."""
        for each in (self.aside, self.old):
            if os.path.lexists(each) and not os.path.lexists(self._place):
                each.rename(self._place)

    def _clear(self) -> None:
        """Undo an unfinished replacement, and remove its remains."""
        self.bring_back()
        for each in (self.new, self.old, self.spare):
            remove(each)


def _hold(folder: Path, place: Path) -> int:
    while True:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        try:
            _check_ours(folder)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            held = os.open(folder / _LOCK, flags, 0o666)
        except FileNotFoundError:  # its owner has just removed it
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            who = os.pread(held, 100, len(_MARK)).decode(errors="replace").strip()
            os.close(held)
            raise NubbinError(
                f"Another run of nubbin, in process {who or 'unknown'}, writes to {place}. Wait "
                "for it, or end it first; or have a new run write elsewhere, by --output."
            ) from None
        if _is_at(held, folder / _LOCK):
            return held
        os.close(held)


def _is_at(held: int, lock: Path) -> bool:
    """Tell whether the locked file is still the one at this path."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(held), lock.stat())
    return False


def _check_ours(folder: Path) -> None:
    """Raise NubbinError if nubbin did not make a folder: nobody else's files are taken for ours."""
    ours = folder.is_dir() and not folder.is_symlink()
    if ours and (there := {path.name for path in folder.iterdir()}):
        lock = folder / _LOCK
        begins = lock.read_bytes()[: len(_MARK)] if lock.is_file() else None
        ours = begins == _MARK or (
            begins == b"" and there == {_LOCK}
        )  # killed before it was marked
    if not ours:
        raise NubbinError(
            f"{folder} is in the way: nubbin makes a folder of that name while it runs, and this "
            "one is somebody else's. Move it away, or name another place for the result."
        )
