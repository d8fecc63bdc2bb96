"""`nubbin watch`, and the view that --watch opens."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from nubbin.cli.display import is_screen
from nubbin.cli.parameters import SectionCommand
from nubbin.cli.recorded_commands import find_run, log_command, run_argument
from nubbin_core.waiting import join

if TYPE_CHECKING:
    from nubbin.reduction.events import Event


@click.command(cls=SectionCommand)
@run_argument
@click.pass_context
def watch_command(ctx: click.Context, run: Path | None) -> None:
    """Watch and steer a run.

    RUN is a folder, the name of one in .nubbin, or `last`. Without RUN, nubbin lists the runs here,
    and Enter opens one. The key ? explains all keys: they pause the run, skip a pass, or change its
    jobs and limits. q leaves the view, and the run continues. If standard output is no terminal,
    nubbin prints the current state of the run.
    """
    from nubbin.journal.reading import facts_of  # noqa: PLC0415

    folder = None if run is None else find_run(run)
    if folder is not None:
        facts_of(folder)  # raises if there is no such run
    if is_screen():
        from nubbin.watch.app import WatchApp  # noqa: PLC0415 - takes half a second

        WatchApp(folder).run()
    elif folder is not None:
        from nubbin.watch.headline import plain_lines  # noqa: PLC0415

        click.echo("\n".join(plain_lines(folder)))
    else:
        ctx.invoke(log_command)


class OpenedView:
    """Opens the view of a run as soon as it has begun, in a process of its own: an observer.

    Whatever else has the terminal is `lent` meanwhile. A context manager: at the end it waits until
    the user leaves the view, unless the block raises.
    """

    def __init__(self, lent: Callable[[], AbstractContextManager[None]]):
        self._lent = lent
        self._view: subprocess.Popen[bytes] | None = None
        self._waiter = threading.Thread(target=self._wait, name="nubbin-view", daemon=True)

    def __enter__(self) -> Self:
        return self

    def __call__(self, event: Event) -> None:
        """Open the view when the run begins."""
        from nubbin.reduction.events import Started  # noqa: PLC0415 - imports numpy

        if isinstance(event, Started) and event.run is not None:
            line = [sys.executable, "-P", "-m", "nubbin", "watch", str(event.run.absolute())]
            self._view = subprocess.Popen(line)
            self._waiter.start()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._view is None:
            return
        try:
            if kind is None:
                join(self._waiter)
        finally:
            self._view.terminate()
            join(self._waiter)

    def _wait(self) -> None:
        assert self._view is not None
        with self._lent():
            self._view.wait()
