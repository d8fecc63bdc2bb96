"""A reduction with its display and its summary. Imported only when there is work to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console

from nubbin.cli.display import Display, late_warnings, write_result
from nubbin.cli.signals import INTERRUPTED, ending_gently, standing_aside
from nubbin.cli.usage import CliError, print_error, what_is_lacking
from nubbin.reduction.events import Observer
from nubbin.reduction.reduction import BROKEN_OFF, Reduction
from nubbin.reduction.result.best import OutputChanged
from nubbin.report.console import stderr_console
from nubbin.report.progress import Progress
from nubbin.report.stats import as_text, write_stats
from nubbin.report.stats import stats as figures
from nubbin_core.errors import NubbinError, OptionError


def run(
    work: Callable[[Sequence[Observer]], Reduction],
    title: str,
    display: Display,
    *,
    original: Path | None = None,
) -> int:
    """Do the work, a reduction, report as `display` says, and return the exit code.

    With `--watch`, the full-screen view is opened, and after it the usual display is shown.
    When standard output is not a terminal, the path of the result is printed there, so that a
    script can read it, unless something else has standard output. Raises `CliError` when the test
    or the input is wrong, and a usage error when an option is.
    """
    console = stderr_console()
    progress = Progress()

    def interrupting() -> None:
        progress.is_interrupted = True
        if not (display.json or display.quiet or _repaints(display, console)):
            console.print("nubbin: interrupting ...")

    try:
        with ExitStack() as stack:
            stack.enter_context(late_warnings(console))
            stack.enter_context(ending_gently(interrupting))
            observers: list[Observer] = [progress]
            if display.json:
                from nubbin.report.json_lines import JsonLines  # noqa: PLC0415

                events = JsonLines(sys.stdout.write, progress, verbose=display.verbose)
                observers = [events]
            elif not display.quiet:
                observers = _shown(stack, display, progress, console, title)
            result = work(observers)
            if display.stats is not None and not display.writes_stats:
                write_stats(display.stats, figures(progress, result))
    except OptionError as error:
        raise click.UsageError(str(error)) from None
    except NubbinError as error:
        says_how = progress.started is None or isinstance(error, OutputChanged)
        raise CliError(str(error) if says_how else f"{error} {_how_to_go_on(progress)}") from None
    except (OSError, MemoryError) as error:
        why = what_is_lacking(error) or f"The run broke off: {error}."
        raise CliError(f"{why} {_how_to_go_on(progress)}") from error
    except KeyboardInterrupt:
        begun = progress.started is not None
        state = "the best so far is written" if begun else "nothing was written"
        if display.json:
            print_error(f"interrupted; {state}", INTERRUPTED)
        elif not display.quiet:
            console.print(f"nubbin: interrupted; {state}.")
        return INTERRUPTED
    exit_code = INTERRUPTED if result.reason in BROKEN_OFF else 0
    if display.json:
        events.result(result, exit_code)
    elif not display.quiet:
        from nubbin.report.summary import print_summary  # noqa: PLC0415

        print_summary(console, progress, result, original=original)
    _write_output(display, progress, result)
    return exit_code


def _write_output(display: Display, progress: Progress, result: Reduction) -> None:
    if display.writes_result:
        write_result(result.data)
    elif display.writes_stats:
        sys.stdout.write(as_text(figures(progress, result)))
    elif display.writes_path:
        sys.stdout.buffer.write(os.fsencode(result.output) + b"\n")


def _shown(
    stack: ExitStack, display: Display, progress: Progress, console: Console, title: str
) -> list[Observer]:
    """Show a run until the stack is closed; return what has to observe it for that."""
    if not _repaints(display, console):
        from nubbin.report.log_lines import LogLines  # noqa: PLC0415

        return [LogLines(console, progress, verbose=display.verbose)]
    from nubbin.report.live import Live  # noqa: PLC0415

    live = stack.enter_context(Live(console, progress, name=title))
    stack.enter_context(standing_aside(live.hidden))
    if not display.watch:
        return [progress]
    from nubbin.cli.watch_command import OpenedView  # noqa: PLC0415 - few runs need it

    return [progress, stack.enter_context(OpenedView(live.lent))]


def _how_to_go_on(progress: Progress) -> str:
    if progress.started is None:
        return "The run had not started. Fix this problem, then start again."
    kept = "The best candidate is kept."
    run = progress.started.run
    return (
        f"{kept} When you have fixed this problem, continue with: nubbin resume {run}"
        if run
        else kept
    )


def _repaints(display: Display, console: Console) -> bool:
    can = sys.stderr.isatty() and not console.is_dumb_terminal and not console.legacy_windows
    return can and not display.verbose
