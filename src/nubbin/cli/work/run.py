"""The work of `nubbin reduce`, and the display and the summary of every reduction."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from nubbin.cli.display import Display, write_result
from nubbin.cli.parameters import STANDARD_OUTPUT
from nubbin.cli.signals import ending_gently, standing_aside
from nubbin.cli.usage import INTERRUPTED, CliError, Interrupted, what_is_lacking
from nubbin.cli.which_test import GivenTest
from nubbin.disk import Folder, followed
from nubbin.journal.recorded_run import end_of
from nubbin.journal.run_folders import OUTPUT, kept_if_used, new_run
from nubbin.option import Group
from nubbin.oracles.commands.command_line import nubbin_line
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.events import Event, Observer, Started
from nubbin.reduction.options import Options
from nubbin.reduction.reduce import reduce as _reduce
from nubbin.reduction.result.output_path import backup_path
from nubbin.reduction.result.place import OutputChanged
from nubbin.reduction.run_job import Reduction
from nubbin.report.json_lines import JsonLines, as_json, write_stats
from nubbin.report.json_lines import stats as figures
from nubbin.report.progress import Progress
from nubbin.report.standard_streams import stderr_console
from nubbin.user_paths import STREAM_NAME, check_place, descriptor_of
from nubbin_core.errors import NubbinError, OptionError
from nubbin_core.late import late
from nubbin_core.waiting import join

_live = late("nubbin.report.live:Live")
_log_lines = late("nubbin.report.lines:LogLines")
_print_summary = late("nubbin.report.summary:print_summary")

_ANYWHERE: AbstractContextManager[Mapping[str, Any]] = nullcontext({})


def show_run(
    work: Callable[..., Reduction],
    title: str,
    display: Display,
    *,
    placed: AbstractContextManager[Mapping[str, Any]] = _ANYWHERE,
    original: Path | None = None,
) -> int:
    """Do the work, a reduction; report as `display` says, and return the exit code.

    The work gets `observers`, and the keyword arguments of `placed`, such as the place of the
    result. Raises `CliError` if the test or the input is wrong, and `Interrupted` after Ctrl-C.
    """
    console, progress = stderr_console(), Progress()

    def interrupting() -> None:
        progress.is_interrupted = True
        if not (display.json or display.quiet or _repaints(display, console)):
            console.print("nubbin: interrupting ...")

    with _errors_told(progress, display), ExitStack() as stack:
        stack.enter_context(late_warnings(console))
        stack.enter_context(ending_gently(interrupting))
        observers: list[Observer] = [progress]
        if display.json:
            events = JsonLines(sys.stdout.write, progress, verbose=display.verbose)
            observers.append(events)
        elif not display.quiet:
            observers += _shown(stack, display, progress, console, title)
        result = work(observers=observers, **stack.enter_context(placed))
        if display.stats is not None and not display.writes_stats:
            write_stats(display.stats, figures(progress, result))
    exit_code = INTERRUPTED if end_of(result.reason).is_broken_off else 0
    if display.json:
        events.result(result, exit_code)
    elif not display.quiet:
        _print_summary(console, progress, result, original=original)
    _write_output(display, progress, result)
    return exit_code


@contextmanager
def _errors_told(progress: Progress, display: Display) -> Iterator[None]:
    """Turn the errors that end a run into those of the command line, with how to continue."""
    try:
        yield
    except OptionError:
        raise
    except NubbinError as error:
        says_how = progress.started is None or isinstance(error, OutputChanged)
        raise CliError(str(error) if says_how else f"{error} {_how_to_go_on(progress)}") from None
    except (OSError, MemoryError) as error:
        why = what_is_lacking(error) or f"The run broke off: {error}."
        raise CliError(f"{why} {_how_to_go_on(progress)}") from error
    except KeyboardInterrupt:
        begun = progress.started is not None
        state = "the best so far is written" if begun else "nothing was written"
        raise Interrupted("" if display.quiet else f"interrupted; {state}.") from None


def reduce(
    *,
    paths: Sequence[Path],
    given: GivenTest,
    conditions: Conditions,
    run_dir: Path | None,
    options: Options,
    display: Display,
) -> int:
    """Reduce the inputs, and return the exit code."""
    display = replace(display, writes_result=options.output == STANDARD_OUTPUT)
    test, sources = given.test_and_inputs(paths, conditions)
    if (conditions.hangs or 0) >= (options.timeout or inf):
        raise click.UsageError("--timeout must be longer than --hangs. Use a longer --timeout.")
    _check_destinations(sources, options, display.stats)
    title = sources[0].resolve().name if len(sources) == 1 else f"{len(sources)} inputs"
    if descriptor_of(sources[0]) is not None:
        title = given.name or STREAM_NAME

    def work(**where: Any) -> Reduction:
        return _reduce(
            test(), sources, name=given.name, **{**options.values(Group.REDUCE), **where}
        )

    named = nullcontext({"record": run_dir or True, "output": options.output})
    placed = place_in_run(run_dir, title) if display.writes_result else named
    original = backup_path(sources[0]) if options.in_place else None
    return show_run(work, title, display, placed=placed, original=original)


def _check_destinations(sources: Sequence[Path], options: Options, stats: Path | None) -> None:
    """Raise a usage error if the result or the statistics cannot be written."""
    output = None if options.output is None else Path(options.output)
    is_folder = len(sources) > 1 or sources[0].is_dir()
    if output == STANDARD_OUTPUT and is_folder:
        raise click.UsageError("--output -: the result is a folder. Name one to write.")
    _check_destination("--output", output, sources, is_folder=is_folder)
    _check_destination("--stats", stats, sources, takes_devices=True)


def _check_destination(
    option: str, path: Path | None, sources: Sequence[Path], **kind: bool
) -> None:
    if path is None or path == STANDARD_OUTPUT:
        return
    try:
        check_place(path, **kind)
    except NubbinError as error:
        raise click.UsageError(f"{option}: {error}") from None
    if path.exists() and any(source.exists() and path.samefile(source) for source in sources):
        raise click.UsageError(
            f"{option} {path}: that is the input itself; --in-place replaces it and keeps a copy."
        )


def _write_output(display: Display, progress: Progress, result: Reduction) -> None:
    if display.writes_result:
        write_result(result.data)
    elif display.writes_stats:
        sys.stdout.write(as_json(figures(progress, result)))
    elif display.writes_path:
        sys.stdout.buffer.write(os.fsencode(result.output) + b"\n")


def _shown(
    stack: ExitStack, display: Display, progress: Progress, console: Console, title: str
) -> list[Observer]:
    """Show a run until the stack is closed; return the observers that this needs."""
    if not _repaints(display, console):
        return [_log_lines(console, progress, verbose=display.verbose)]
    live = stack.enter_context(_live(console, progress, name=title))
    stack.enter_context(standing_aside(live.hidden))
    return [stack.enter_context(_opened_view(live.lent))] if display.watch else []


def _how_to_go_on(progress: Progress) -> str:
    if progress.started is None:
        return "The run had not started. Fix this problem, then start again."
    kept, run = "The best candidate is kept.", progress.started.run
    if run is None:
        return kept
    return f"{kept} When you have fixed this problem, continue with: {nubbin_line('resume', run)}"


def _repaints(display: Display, console: Console) -> bool:
    can = sys.stderr.isatty() and not console.is_dumb_terminal and not console.legacy_windows
    return can and not display.verbose


@contextmanager
def place_in_run(run: Path | None, name: str) -> Iterator[Mapping[str, Any]]:
    """Make a folder for the record of a run, with a place for a result that has no other place.

    Yields both as keyword arguments, and removes them again if the block writes nothing to them.
    Raises OSError.
    """
    is_new = run is None or not run.exists()
    folder = new_run(Path.cwd(), name) if run is None else run
    place = folder / OUTPUT
    was_there = place.exists()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with kept_if_used(folder) if is_new else nullcontext():
        with Folder(followed(folder)) as ours:
            ours.folder(OUTPUT).close()
        try:
            yield {"record": folder, "output": place / name}
        finally:
            if not was_there:
                with suppress(OSError):  # it is not empty
                    place.rmdir()


@contextmanager
def late_warnings(console: Console) -> Iterator[None]:
    """Collect the warnings of all threads during the block, and print them at its end."""
    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        finally:
            for each in caught:
                console.print(
                    f"nubbin: {each.message}", markup=False, highlight=False, soft_wrap=True
                )


@contextmanager
def _opened_view(lent: Callable[[], AbstractContextManager[None]]) -> Iterator[Observer]:
    """Give an observer that opens the view of a run when it begins, in a process of its own.

    Meanwhile, `lent` hides any other display. The block ends when the user leaves the view, or when
    it raises.
    """
    open_views: list[tuple[subprocess.Popen[bytes], threading.Thread]] = []

    def wait(view: subprocess.Popen[bytes]) -> None:
        with lent():
            view.wait()

    def observer(event: Event) -> None:
        if isinstance(event, Started) and event.run is not None:
            line = [sys.executable, "-P", "-m", "nubbin", "watch", str(event.run.absolute())]
            view = subprocess.Popen(line)
            waiter = threading.Thread(target=wait, args=(view,), name="nubbin-view", daemon=True)
            waiter.start()
            open_views.append((view, waiter))

    try:
        yield observer
        for _, waiter in open_views:
            join(waiter)
    finally:
        for view, waiter in open_views:
            view.terminate()
            join(waiter)
