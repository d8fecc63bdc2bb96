"""A reduction with its display and its summary. Imported only when there is work to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console

from nubbin.cli.late_warnings import late_warnings
from nubbin.cli.signals import INTERRUPTED, ending_gently, standing_aside
from nubbin.cli.usage import CliError
from nubbin.oracles.errors import NubbinError, OptionError
from nubbin.reduction.events import Observer
from nubbin.reduction.reduction import BROKEN_OFF, Reduction
from nubbin.report.console import stderr_console
from nubbin.report.live import Live
from nubbin.report.log_lines import LogLines
from nubbin.report.progress import Progress
from nubbin.report.stats import stats as figures
from nubbin.report.stats import write_stats
from nubbin.report.summary import print_summary


def run(
    work: Callable[[Sequence[Observer]], Reduction],
    title: str,
    *,
    stats: Path | None,
    quiet: bool,
    verbose: bool,
    original: Path | None = None,
) -> int:
    """Do the work, a reduction, report on stderr, and return the exit code.

    When standard output is no terminal, the path of the result is printed there, so that a
    script can read it. Raises `CliError` when the test or the input is wrong, and a usage error
    when an option is.
    """
    console = stderr_console()
    progress = Progress()
    observers: list[Observer] = [progress]
    try:
        with ExitStack() as stack:
            stack.enter_context(late_warnings(console))
            stack.enter_context(ending_gently())
            if not quiet and not verbose and _can_repaint(console):
                live = stack.enter_context(Live(console, progress, name=title))
                stack.enter_context(standing_aside(live.hidden))
            elif not quiet:
                observers.append(LogLines(console, progress, verbose=verbose))
            result = work(observers)
            if stats is not None:
                write_stats(stats, figures(progress, result))
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    except NubbinError as error:
        raise CliError(
            f"{error} {_how_to_go_on(progress)}" if progress.started else str(error)
        ) from None
    except OSError as error:
        raise CliError(f"The run broke off: {error}. {_how_to_go_on(progress)}") from error
    except KeyboardInterrupt:
        if not quiet:
            begun = progress.started is not None
            state = "the best so far is written" if begun else "nothing was written"
            console.print(f"nubbin: interrupted; {state}.")
        return INTERRUPTED
    if not quiet:
        print_summary(console, progress, result, original=original)
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(os.fsencode(result.output) + b"\n")
    return INTERRUPTED if result.reason in BROKEN_OFF else 0


def _how_to_go_on(progress: Progress) -> str:
    if progress.started is None:
        return "Nothing had begun. When that is mended, start again."
    kept = "What was best is kept."
    run = progress.started.run
    return f"{kept} When that is mended, go on with: nubbin resume {run}" if run else kept


def _can_repaint(console: Console) -> bool:
    return sys.stderr.isatty() and not console.is_dumb_terminal and not console.legacy_windows
