"""Start the command `nubbin`, which is also `python -m nubbin`.

Imports almost nothing, so that Ctrl-C works before the rest is imported.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

#: Objects made between two garbage collections. There is little garbage, and with Python's own
#: limit of 700, looking for it takes a twentieth of a short reduction.
_OBJECTS_TO_COLLECT = 50_000
_NO_WINDOWS = """\
nubbin: Windows is not supported: the limits of a test, and the end of all that it starts, rest on
process groups and signals of Linux and macOS. Install nubbin in WSL, the Windows Subsystem for
Linux (wsl --install), and call it there. Files of Windows are in /mnt/c, and a test can call
programs of Windows by their full names (cl.exe, python.exe)."""


def main() -> None:
    """Run the command line.

    Before and after a command that can end gently, Ctrl-C ends the process at once: an exception
    would be shown as a traceback, or be lost while Python imports a module. If Ctrl-C is ignored,
    as in a script's background, it still is.

    If standard output cannot be written, for example to a full disk, a run without another error
    exits with 1. A reader that closes the pipe changes nothing.
    """
    if os.name == "nt":
        sys.exit(_NO_WINDOWS)
    gc.set_threshold(_OBJECTS_TO_COLLECT)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(128 + signal.SIGINT))
    from nubbin.report import standard_streams  # noqa: PLC0415

    standard_streams.set_up()
    from nubbin.cli import main as command_line  # noqa: PLC0415

    try:
        command_line(prog_name="nubbin")
    except SystemExit as end:
        if error := standard_streams.unwritten():
            print(f"nubbin: Standard output cannot be written: {error.strerror}.", file=sys.stderr)
            sys.exit(end.code or 1)
        raise


if __name__ == "__main__":
    main()
