"""A root of temporary folders, one for each query, and the end of all that runs there."""

from __future__ import annotations

import fcntl
import itertools
import os
import stat
import threading
import warnings
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import TYPE_CHECKING, Self

from nubbin.disk import Folder
from nubbin.oracles.isolation.candidate_files import Candidate
from nubbin.oracles.processes.process import Running, Streams, not_in_forks
from nubbin.oracles.processes.resource_monitor import ResourceMonitor
from nubbin.oracles.processes.supervisors import Supervisors
from nubbin.removal import FOLDER, is_there, remove_entries, remove_folders_with

if TYPE_CHECKING:
    from nubbin.oracles.isolation.sandbox import Sandbox

MARK = ".nubbin"  # hidden, so that `rm -r ../*` in a test keeps it
_PREFIX = "nubbin-"
# Paths have the same length: a tool that truncates a long text counts their characters.
_NAME_DIGITS = 6
_INNER = "query"  # the folder of a query, in a folder of its own
_MEMORY = "/dev/shm"
_MIN_FREE_BYTES = 512 << 20  # with less memory, use the disk: a container often has 64 MiB


def claimed(path: str) -> int:
    """Lock and mark an empty folder that this process has just made; return its descriptor."""
    descriptor = os.open(path, FOLDER)
    # Some network file systems have no locks, and a disk may be full. The only consequence: if
    # this process is killed, no other process removes the folder.
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        with os.fdopen(os.open(MARK, flags, 0o600, dir_fd=descriptor), "wb") as mark:
            mark.write(_mark_text(path, descriptor))
    return descriptor


def _take_over(path: str, descriptor: int) -> bool:
    """Lock a folder if it is a root without a lock; return whether this process now owns it."""
    with suppress(OSError):
        if _is_marked(path, descriptor):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return _is_marked(path, descriptor)  # another process may have just removed it
    return False


def _is_marked(path: str, descriptor: int) -> bool:
    # Any user who can write to the folder may have put a link or a pipe there.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(MARK, flags, dir_fd=descriptor), "rb") as mark:
        seen, text = os.fstat(mark.fileno()), _mark_text(path, descriptor)
        ours = {seen.st_uid, os.fstat(descriptor).st_uid} == {os.geteuid()}
        return ours and stat.S_ISREG(seen.st_mode) and mark.read(len(text) + 1) == text


def _mark_text(path: str, descriptor: int) -> bytes:
    """Return the text of a folder's mark. A copy at the same path has another inode."""
    inode = os.fstat(descriptor).st_ino
    return os.fsencode(
        f"This is a temporary folder of nubbin, at {path}, inode {inode}. When the process that "
        "has locked it ends, it is removed, and what runs in it is killed.\n"
    )


class Workspace:
    """A root folder with an empty folder for each query; an open `descriptor` holds its lock.

    `close` removes everything, including all that a test left. If this process ends before that,
    `abandoned` finds the root. May be shared by threads.

    A name proves nothing: any user may unpack a release into a folder called nubbin-0.1. So the
    owner of a root locks it as long as it runs, and writes a mark into it, a file that names this
    very folder. A root with a mark and without a lock was left by a killed process. A folder
    without a mark is not nubbin's. Nor is a folder with the mark of another: it is a copy, or was
    renamed.
    """

    def __init__(self, root: str, descriptor: int):
        self.root = root
        self._open = [descriptor]  # several if a test removed the root, and it was made again
        self._names = itertools.count()
        self._lock = threading.Lock()  # held while anything is made
        self._is_closed = False

    @classmethod
    def create(cls, parent: Path | None = None) -> Self:
        """Make a workspace; see `QueryFolders` for `parent`."""
        folder = parent or _memory() or gettempdir()
        root = mkdtemp(prefix=_PREFIX, dir=os.path.realpath(folder))
        return cls(root, claimed(root))

    @classmethod
    def abandoned(cls, parent: Path | None = None) -> Iterator[Self]:
        """Yield the workspaces of killed processes; the caller closes them.

        Looks in `parent`, by default in memory and on disk: a killed run may have filled the
        memory, so that the next one is on disk.
        """
        for folder in map(os.path.realpath, [parent] if parent else [_MEMORY, gettempdir()]):
            roots = list[str]()
            with suppress(OSError):
                roots += map(str, Path(folder).glob(f"{_PREFIX}*"))
            for root in roots:
                with suppress(OSError):
                    descriptor = os.open(root, FOLDER)
                    if _take_over(root, descriptor):
                        yield cls(root, descriptor)
                    else:
                        os.close(descriptor)

    def new_folder(self) -> str:
        """Make an empty folder for a query and return its path, which is never used again.

        It is alone in its parent, so `rm -r ../*` in a test removes no other query's. A path is not
        used again after its removal, because some tools remember paths. Raises CancelledError after
        `close`, which another thread may have called; NotOurs if a test has removed the root, and
        another user has made it; FileNotFoundError if a test removes it meanwhile.
        """
        with self._lock:
            while True:
                if self._is_closed:
                    raise CancelledError
                name = f"{next(self._names):0{_NAME_DIGITS}}"
                with suppress(FileExistsError):  # a test has made this folder
                    try:
                        os.mkdir(name, dir_fd=self._open[-1])
                    except FileNotFoundError:  # a test has removed the root
                        self._make_root_again()
                        os.mkdir(name, dir_fd=self._open[-1])
                    os.mkdir(f"{name}/{_INNER}", dir_fd=self._open[-1])
                    return f"{self.root}/{name}/{_INNER}"

    def has(self, folder: str) -> bool:
        """Tell whether the parent of a query's folder still exists."""
        return is_there(folder.split("/")[-2], self._open[-1])

    def remove_folder(self, folder: str, candidate: str | None = None) -> None:
        """Remove the folder of a query whose processes have all ended.

        `candidate` is the path of the only file that nubbin wrote there; None if there were more.
        If the test added nothing, as most do, the folder is not listed. `close` tries again to
        remove what the system refuses to remove now.
        """
        root, name = self._open[-1], folder.split("/")[-2]
        file = candidate and os.path.basename(candidate)
        if not file or not remove_folders_with(root, [name, _INNER], file):
            remove_entries(root, name)

    def close(self) -> None:
        """Remove the root and everything in it; shows a RuntimeWarning for what remains."""
        with self._lock:
            self._is_closed = True
        error = None
        while self._open:
            error = self._remove_root(self._open.pop()) or error
        if error is not None:
            warnings.warn(
                f"The temporary folder {self.root} could not be removed: {error.strerror}: "
                f"{error.filename!r}, which a test left there. Remove it by hand.",
                RuntimeWarning,
                stacklevel=2,
            )

    def _remove_root(self, root: int) -> OSError | None:
        try:
            os.fchmod(root, 0o700)  # a test may have locked it
            error = remove_entries(root, *(name for name in os.listdir(root) if name != MARK))
            if error is None:
                # The mark is last: if nubbin is killed here, the next nubbin recognises the root.
                remove_entries(root, MARK)
                os.rmdir(self.root)
        except FileNotFoundError:  # a test has removed it
            return None
        except OSError as refused:
            return refused
        finally:
            os.close(root)
        return error

    def _make_root_again(self) -> None:
        try:
            os.makedirs(self.root, mode=0o700)
        except FileExistsError:  # made by a test, or by another user, who waits for candidates
            Folder(Path(self.root)).close()
        # The old descriptor stays open, because other threads may be using it.
        self._open.append(claimed(self.root))


def _memory() -> str | None:
    """Return a file system in memory with room for programs; None without, or if TMPDIR is set."""
    if os.environ.get("TMPDIR"):
        return None
    try:
        system = os.statvfs(_MEMORY)
    except OSError:
        return None
    free = system.f_bavail * system.f_frsize
    # A test may compile the candidate and run the result in its folder.
    runs = not system.f_flag & os.ST_NOEXEC
    writable = os.access(_MEMORY, os.W_OK | os.X_OK)
    return _MEMORY if runs and free >= _MIN_FREE_BYTES and writable else None


class QueryFolders:
    """A `workspace` with a folder for each query, and `supervisors` of what runs there.

    The folders are in `parent`; by default in TMPDIR if that is set, otherwise in memory if
    possible. Folders that a killed nubbin left there are removed first. The `monitor` limits the
    processes of a query to `memory` bytes. In a `sandbox`, a command can write only in the folder
    around that of its query, which also has the copies of the user's files. `before` are words
    before each command: a program that runs it.

    `close`, and the end of the interpreter, kill and remove everything. May be shared by threads.
    """

    def __init__(self, parent: Path | None = None, memory: int | None = None):
        for abandoned in Workspace.abandoned(parent):
            abandoned.close()
        self.workspace = Workspace.create(parent)
        self.root = self.workspace.root
        self.supervisors = Supervisors()
        self.sandbox: Sandbox | None = None
        self.before: Sequence[str] = ()
        self._environment = dict(os.environb)
        self.monitor = ResourceMonitor(self.supervisors.processes, self.root, memory)
        end = ExitStack()
        end.callback(self.workspace.close)
        end.callback(self.supervisors.close)
        end.callback(self.monitor.close)
        self.close = weakref.finalize(self, not_in_forks(end.close))

    def start(self, command: Sequence[str], candidate: Candidate, streams: Streams) -> Running:
        """Start a command in the folder of a candidate; raises OSError if it cannot be started.

        The environment is the user's, except PWD and TMPDIR. They are that folder, so the temporary
        files of a killed test are removed with it.
        """
        folder = os.fsencode(candidate.folder)
        command = [*self.before, *command]
        if self.sandbox is not None:
            command = self.sandbox.around(command, os.path.dirname(candidate.folder))
        return self.supervisors.start(
            candidate.folder,
            command,
            folder=candidate.folder,
            environment={**self._environment, b"PWD": folder, b"TMPDIR": folder},
            streams=streams,
        )
