"""Run a test in a sandbox: it can read files, and write in only one folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from nubbin_core.errors import NubbinError
from nubbin_core.waiting import run

#: Variables with the addresses of programs that can do more than a test may: a desktop, an agent
#: with keys, a terminal, a container engine.
_UNSET_VARIABLES = (
    "CONTAINER_HOST",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DISPLAY",
    "DOCKER_HOST",
    "GPG_AGENT_INFO",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "STY",
    "TMUX",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
)
_MAX_SHM_BYTES = 256 << 20
#: Options of every bwrap.
_ALWAYS = ("--unshare-all", "--cap-drop", "ALL", "--new-session", "--die-with-parent")
#: Options since bwrap 0.8: a test that cannot make namespaces can attack much less of the kernel.
#: These versions can also limit the size of /dev/shm.
_MODERN = ("--unshare-user", "--disable-userns")


class Sandbox:
    """Runs commands in their own user, mount, PID and network namespaces, by bubblewrap.

    They can write in one folder, and in their own /dev/shm. They can read all files, but not use
    sockets, for which the right to read is enough: in /tmp, /var/tmp, /run and XDG_RUNTIME_DIR they
    see only the entries that hold the test, the user's current folder, or programs on the PATH.
    They have no network and no privileges, and see no other process.

    `words` are those of the test and paths that it needs, `cwd` is the user's current folder. A
    trial in the empty folder `scratch` tries to escape. Raises NubbinError if this system has no
    sandbox, or if the trial escapes.
    """

    def __init__(self, words: Sequence[str], cwd: str, scratch: str):
        found = shutil.which("bwrap")
        if found is None:
            raise NubbinError(
                "There is no bwrap on the PATH to make a sandbox. Install bubblewrap, or run the "
                "test without --sandbox, with all that you may do."
            )
        self._program = found
        self._hidden = _listening()
        entries = (_entry(each, self._hidden) for each in _needed(words, cwd))
        self._visible = {entry for entry in entries if entry is not None}
        for self._modern in (True, False):
            trial = self._try(cwd, scratch)
            if trial.returncode == 0:
                break
        else:
            reason = os.fsdecode(trial.stderr).strip()
            raise NubbinError(
                f"This system lets bwrap make no sandbox: {reason}. It may forbid user namespaces, "
                "as some containers do. Allow them, or run without --sandbox."
            )
        if trial.stdout:
            escapes = os.fsdecode(trial.stdout).strip().replace("\n", ", ")
            raise NubbinError(
                f"The sandbox that bwrap makes here lets the test out: {escapes}. "
                "Install another version of bubblewrap, or run without --sandbox."
            )

    def around(self, command: Sequence[str], writable: str) -> list[str]:
        """Return the command that runs another in the sandbox, which can change only `writable`."""
        return [
            self._program,
            *_ALWAYS,
            *(_MODERN if self._modern else ()),
            *(word for name in _UNSET_VARIABLES for word in ("--unsetenv", name)),
            *("--ro-bind", "/", "/"),
            *("--dev", "/dev"),
            *(("--size", str(_MAX_SHM_BYTES)) if self._modern else ()),
            *("--tmpfs", "/dev/shm"),
            *("--proc", "/proc"),
            *self._mounts(),
            *("--bind", writable, writable),
            *(word for each in ("/dev", *self._hidden) for word in ("--remount-ro", each)),
            "--",
            *command,
        ]

    def _mounts(self) -> Iterator[str]:
        """Yield options that hide folders and show some of their entries, outer folders first."""
        for path in sorted([*self._hidden, *self._visible]):
            yield from ("--tmpfs", path) if path in self._hidden else ("--ro-bind-try", path, path)

    def _try(self, cwd: str, scratch: str) -> subprocess.CompletedProcess[bytes]:
        program = [sys.executable, "-I", "-S", str(Path(__file__).with_name("sandbox_trial.py"))]
        forbidden = [os.environ.get("HOME", "/"), cwd, *self._hidden]
        command = self.around([*program, *forbidden], scratch)
        return run(command, cwd=Path(scratch))


def _listening() -> set[str]:
    """Return the folders in which programs usually listen at sockets."""
    folders = ("/tmp", "/var/tmp", "/run", f"/run/user/{os.getuid()}")
    session = os.environ.get("XDG_RUNTIME_DIR")
    return {os.path.realpath(each) for each in (*folders, session) if each and Path(each).is_dir()}


def _needed(words: Sequence[str], cwd: str) -> Iterator[str]:
    """Yield the paths that a test is known to need, with links and with links resolved."""
    programs = (sys.executable, sys.prefix, sys.base_prefix, *sys.path, *os.get_exec_path())
    for each in (cwd, *words, *programs):
        yield os.path.normpath(Path(cwd, each))
        yield os.path.realpath(Path(cwd, each))


def _entry(path: str, folders: Collection[str]) -> str | None:
    """Return the entry that holds `path` in the innermost of `folders`; None if it is in none."""
    for folder in sorted(folders, key=len, reverse=True):
        if path.startswith(f"{folder}/"):
            return f"{folder}/{path[len(folder) + 1 :].partition('/')[0]}"
    return None
