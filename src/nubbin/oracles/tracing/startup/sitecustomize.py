"""Run by each Python of a traced test as it starts: notes which files it uses, and lines it runs.

Imports nothing of nubbin. PYTHONPATH names its folder, for any Python from 3.8 on. The variable
NUBBIN_TRACE names a folder, in which each process writes a file of notes: kinds of use, each with a
path.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # few programs import `typing`
if TYPE_CHECKING:
    from typing import Any


def _trace(folder: bytes) -> None:
    import atexit  # noqa: PLC0415

    note = _noting(folder)

    def heard(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and arguments:
            note(b"open", arguments[0])

    def note_modules() -> None:
        for name, module in list(sys.modules.items()):
            spec = getattr(module, "__spec__", None)
            if spec is not None and spec.name == name:
                note(b"module", "%s %s" % (name, spec.origin))  # noqa: UP031

    atexit.register(note_modules)
    _trace_lines(os.path.realpath(os.path.dirname(folder)) + b"/", note)
    note(b"runs", "Python %d.%d.%d" % sys.version_info[:3])  # noqa: UP031
    sys.addaudithook(heard)
    for name in ("stat", "lstat", "access", "readlink"):
        _trace_lookups(name, note)


def _noting(folder: bytes) -> Any:
    """Return a function that writes a note, a kind and a path, once for each process."""
    seen: set[Any] = set()

    def note(kind: bytes, path: Any) -> None:
        if isinstance(path, int) or (kind, path) in seen:
            return
        try:
            seen.add((kind, path))
            text = os.fsencode(path)
            if kind in (b"open", b"look"):
                text = os.path.abspath(text)
            if text.startswith(folder) or b"\n" in text:
                return
            # Not kept open: a program may close files that it has not opened, and use the number.
            name = folder + b"/%d.notes" % os.getpid()
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, kind + b" " + text + b"\n")
            finally:
                os.close(file)
        except Exception:  # the program must continue as if it were not traced
            return

    return note


def _trace_lookups(name: str, note: Any) -> None:
    """Make a function of `os` note the paths that it looks up."""
    import posix  # noqa: PLC0415 - what the import system itself calls

    real = getattr(posix, name)

    def traced(path: Any, *rest: Any, **more: Any) -> Any:
        note(b"look", path)
        return real(path, *rest, **more)

    for can in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if real in can:
            can.add(traced)
    for module in (posix, os):
        setattr(module, name, traced)


def _trace_lines(project: bytes, note: Any) -> None:
    names: dict[str, str] = {}

    def path_of(code: Any) -> str:
        name = code.co_filename
        if name not in names:
            path = os.path.realpath(name)
            names[name] = path if os.fsencode(path).startswith(project) else ""
        return names[name]

    if sys.version_info < (3, 12):
        noted: set[tuple[str, int]] = set()  # most lines run often, and a note takes long

        def line_of(frame: Any, event: str, _: Any) -> Any:
            place = frame.f_code.co_filename, frame.f_lineno
            if event == "line" and place not in noted:
                noted.add(place)
                note(b"line", "%d %s" % (frame.f_lineno, path_of(frame.f_code)))  # noqa: UP031
            return line_of

        sys.settrace(lambda frame, event, _: line_of if path_of(frame.f_code) else None)
        return
    events, free = sys.monitoring, 4  # one of the six tool ids, without a fixed purpose

    def ran(code: Any, line: int) -> Any:
        if path_of(code):
            note(b"line", "%d %s" % (line, path_of(code)))  # noqa: UP031
        return events.DISABLE

    events.use_tool_id(free, "nubbin")
    events.register_callback(free, events.events.LINE, ran)
    events.set_events(free, events.events.LINE)


def _go_on() -> None:
    """Import the `sitecustomize` that would have been imported without this one."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [each for each in sys.path if os.path.abspath(each) != here]
    own = sys.modules.pop("sitecustomize")
    try:
        __import__("sitecustomize")
    except ImportError:
        sys.modules["sitecustomize"] = own


if os.environ.get("NUBBIN_TRACE"):
    _trace(os.fsencode(os.environ["NUBBIN_TRACE"]))
    _go_on()
