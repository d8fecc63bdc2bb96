"""`nubbin`, and `python -m nubbin`: where the command starts.

Imports next to nothing, so that Ctrl-C has its meaning before the rest is there.
"""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Run the command line.

    Until there is something to end gently, and again when it has ended, Ctrl-C leaves on the
    spot: an exception would be shown as a traceback, or be lost where Python imports a module.
    Where it is ignored, as in a script's background, it stays so.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(128 + signal.SIGINT))
    from nubbin.cli import main as command_line  # noqa: PLC0415

    command_line(prog_name="nubbin")


if __name__ == "__main__":
    main()
