"""The sentences that several reports share, and the log, which prints them as plain lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from nubbin.checks.case import Checking
from nubbin.checks.trust import DISTURBED
from nubbin.documents.document import Sizes
from nubbin.journal.command_box import SteeringCommand
from nubbin.journal.recorded_run import Step, end_of
from nubbin.passes.guard import PassFailed
from nubbin.reduction import events
from nubbin.reduction.events import Event
from nubbin.report.progress import Progress
from nubbin.text.figures import count, counted, duration, listed, printable
from nubbin_core.search.problem import Answered
from nubbin_core.search.trials import Trials
from nubbin_core.verdict import Verdict

#: The most names that are shown of the files that nubbin ignores.
_MAX_NAMES = 8

_MIN_LIST_PERIOD_S = 1.0  # between two lines about lists
_MIN_IMPROVED_PERIOD_S = 5.0  # between two lines about improvements
_MAX_SILENCE_S = 10.0  # without a line, even if nothing improves

_STYLES = {Verdict.INTERESTING: "green", Verdict.UNINTERESTING: "dim", Verdict.UNRESOLVED: "yellow"}


def query_line(event: Answered, number: int) -> Text:
    """Return a line for a query: its number and kind, the elements kept, verdict and time."""
    return Text.assemble(
        (f"{count(number):>9}", "dim"),
        f"  {event.kind:<16}",
        f"{counted(event.size, 'element'):>16}  ",
        (f"{event.verdict.value:<13}", _STYLES[event.verdict]),
        (f"{duration(event.seconds):>9}", "dim"),
    )


def lines_known(progress: Progress) -> list[str]:
    """Return a line about the failure, and lines about the test."""
    lines = [line for event in progress.about_test for line in lines_about(event)]
    if progress.started is not None and progress.started.looking_for:
        lines.insert(0, looking_for_line(progress.started.looking_for))
    return list(dict.fromkeys(lines))


def looking_for_line(wanted: str) -> str:
    """Return the line that describes the failure."""
    return f"looking for: {printable(wanted)}"


def lines_about(event: Event) -> Iterator[str]:
    """Yield what a user is told when an event occurs, a line each; nothing for most events."""
    match event:
        case events.AboutTest():
            yield from _lines_about_test(event)
        case PassFailed(name, path, error, traceback=""):
            yield f"{printable(name)}, on {printable(path)}: {printable(error)}"
        case PassFailed(name, path, error):
            yield (
                f"the pass {name!r} failed on {printable(path)} and is skipped there; this is an "
                f"error in nubbin, please report it: {printable(error)}. The recorded run has the "
                "traceback."
            )
        case events.FoundFlaky((yes, runs), nothing):
            empty = f", an empty one in {nothing.yes} of {nothing.runs}" if nothing.yes else ""
            yield (
                f"the test is flaky: it accepted the input in {yes} of {runs} runs{empty}. nubbin "
                "repeats each candidate until it is clear whether it fails as often"
            )
        case events.Steered(SteeringCommand(name, value)):
            yield f"from `nubbin watch`: {name}" + ("" if value is None else f" {printable(value)}")
        case events.RolledBack():
            yield f"the best did not hold; back to {sizes_in_words(event.sizes)}"


def _lines_about_test(event: events.AboutTest) -> Iterator[str]:
    match event:
        case events.RunsIn(interpreter):
            yield f"the test runs in {printable(interpreter)}"
        case events.NoGrammar():
            yield _grammar_line(event)
        case events.Unmarked(why):
            yield (
                "this run is recorded without your mark, so resuming it needs --trust: "
                f"{printable(why)}"
            )
        case events.ChangedTest():
            yield (
                "the test has changed since this run was recorded: nubbin continues from the best "
                "candidate and ignores the recorded answers"
            )
        case events.Learned(conditions, run, doubt):
            yield looking_for_line(conditions.told)
            yield (
                "no condition given: nubbin learned it from the failure. Pass your own conditions "
                f"to override. Run on each candidate: {printable(run)}"
            )
            if doubt:
                yield f"in doubt: {printable(doubt)}"
        case events.Traced():
            yield _trace_line(event)
        case events.Warmed(modules, seconds, cold):
            yield (
                f"runs are forks of a Python that has imported {counted(modules, 'module')}: "
                f"{duration(seconds)} instead of {duration(cold)} each; --cold starts Python for "
                "each run"
            )
        case events.OtherErrorsAllowed(refused):
            yield (
                f"nubbin allows other kinds of error from now on: the test rejected {refused} "
                "candidates for these alone, and accepted none"
            )
        case events.Disturbed():
            yield f"{DISTURBED} One run at a time is made from then on."
        case events.LeftOut(names):
            yield f"left out of the input: {listed([*map(printable, names)], _MAX_NAMES)}"
        case events.TakenApart():
            yield _packing_line(event)


def _grammar_line(event: events.NoGrammar) -> str:
    if event.has_parser:
        return (
            f"no grammar of {event.language} is installed, so nubbin follows brackets, indentation "
            "and lines. For grammars of 170 languages: pip install 'nubbin[languages]'"
        )
    return (
        "tree-sitter is not installed, so nubbin follows brackets, indentation and lines instead "
        f"of the grammar of {event.language}. If it supports this Python: pip install tree-sitter"
    )


def _packing_line(event: events.TakenApart) -> str:
    if not event.files:
        return "reduced as raw bytes: the test rejects the repacked input"
    held = f"{counted(event.files, 'file')} of {counted(event.bytes, 'byte')}"
    only = "; the test rejects the others when they are repacked" if event.refused else ""
    return f"taken apart, and packed again for the test: containers with {held}{only}"


def _trace_line(event: events.Traced) -> str:
    said = f"a run in a copy opens {event.opened} of {counted(event.files, 'file')}"
    if event.imports:
        folders = ", ".join(map(printable, event.imports))
        said += f"; Python imports the project from the copy (PYTHONPATH={folders})"
    if event.released:
        said += (
            f"; its own package is {printable(event.released)} as released, file by file: a copy "
            "without it imports the release"
        )
    if event.outside:
        more = len(event.outside) - 1
        others = f" and {counted(more, 'other file')}" if more else ""
        said += (
            f"; it also uses {printable(event.outside[0])}{others} of your own folder, which no "
            "candidate changes: let it name files by relative paths"
        )
    return said


def checking_line(event: Checking | None) -> str:
    """Return what nubbin waits for before the reduction begins, and the time limit."""
    if event is None:
        return "reading the input ..."
    if event.waited is not None:
        return (
            f"run {event.run} of the test still runs after {duration(event.waited)}. "
            "For a hang: Ctrl-C, add --hangs 5"
        )
    if event.run == 1:
        return "checking the test ..."
    limit = "" if event.limit is None else f", at most {duration(event.limit)}"
    took = "" if event.took is None else f"; a run on the input took {duration(event.took)}"
    return f"checking the test: run {event.run}{limit}{took} ..."


def step_line(step: Step) -> str:
    """Return a line for a candidate that a run accepted: its number, its size and its origin."""
    found = f"{step.pass_name}, query {count(step.queries)}" if step.pass_name else "the input"
    return f"{step.number:6}  {counted(step.bytes, 'byte'):>19}  {printable(found)}"


def sizes_in_words(sizes: Sizes, items: str = "") -> str:
    """Return sizes in words: `1,204 bytes, 31 lines, 210 tokens`; `31 tests` of these items."""
    if items:
        return counted(sizes.lines, items.removesuffix("s"))
    units = ((sizes.bytes, "byte"), (sizes.lines, "line"), (sizes.tokens, "token"))
    return ", ".join(counted(*each) for each in units)


def rate_in_words(trials: Trials) -> str:
    """Return a rate and its 95 % confidence interval: `19 of 20 runs (76 % to 99 %)`."""
    low, high = trials.interval()
    return f"{trials.yes} of {counted(trials.runs, 'run')} ({low:.0%} to {high:.0%})"


def cost_in_words(queries: int, seconds: float) -> str:
    """Return what a reduction has cost so far."""
    return f"{counted(queries, 'query')} in {duration(seconds)}"


def progress_line(progress: Progress) -> str:
    """Return the state of the reduction: sizes, percentage removed, queries and time."""
    queries = cost_in_words(progress.queries, progress.seconds)
    if progress.items:
        all_ = sizes_in_words(progress.before, progress.items)
        return f"{all_}, {count(progress.sizes.lines)} left; {queries}"
    return f"{sizes_in_words(progress.sizes)} ({progress.removed} removed); {queries}"


def outcome_in_words(state: str, pieces: Sequence[str] | None, cause: str | None = None) -> str:
    """Return a sentence that says whether a result is 1-minimal, or why not.

    `pieces` are the units of the removals that prove it; None if it is not proven. `cause` says
    what became of the workers.
    """
    if pieces is not None:
        one = listed([piece.removeprefix("a ") for piece in pieces], last="or")
        return f"1-minimal: the test rejects the result with any single {one} removed."
    end = end_of(state)
    if end.is_done:
        return "Not proven 1-minimal: this algorithm does not try every single removal."
    if not end.is_known:
        return "It ended in a way that this version of nubbin does not know."
    then = "a longer run may remove more" if end.is_limited else "this is the best so far"
    why = f" ({cause})" if cause else ""
    return f"{end.words.capitalize()}{why}: {then}."


class LogLines:
    """An observer that writes a line at the start, and then from time to time.

    It writes a line for a new list if the size has changed and a second has passed since the last
    line, for an improvement after five seconds, and for any query after ten. With `verbose`, it
    writes a line for each query and each improvement. `progress` observes the same events before.
    """

    def __init__(self, console: Console, progress: Progress, *, verbose: bool = False) -> None:
        self._console = console
        self._progress = progress
        self._verbose = verbose
        self._last = 0.0  # time of the last line, in seconds
        self._last_sizes: Sizes | None = None  # in the last line that had some
        self._checking = ""  # the last line about a run before the start

    def __call__(self, event: Event) -> None:
        """Write a line if the event needs one."""
        match event:
            case Answered():
                if self._verbose:
                    self._console.print(query_line(event, self._progress.queries), soft_wrap=True)
                elif self._since() >= _MAX_SILENCE_S:
                    self._say_sizes()
            case events.Improved():
                if self._verbose or self._since() >= _MIN_IMPROVED_PERIOD_S:
                    self._say_sizes()
            case events.ListStarted():
                if self._is_news():
                    self._say_sizes(f"{event.name}: {counted(event.elements, 'element')}; ")
            case Checking(run=1, took=None):
                self._say_checking(checking_line(event))
            case events.Started():
                self._say_start(event)
            case _:
                self._say(*lines_about(event))

    def _say_start(self, event: events.Started) -> None:
        is_told = any(isinstance(each, events.Learned) for each in self._progress.about_test)
        if event.looking_for and not is_told:
            self._say(looking_for_line(event.looking_for))
        start = f"{sizes_in_words(event.sizes, event.items)}; {event.algorithm}"
        start += f", {counted(event.jobs, 'job')}"
        checked = self._progress.checking
        took = checked.took if checked else None
        each_run = "" if took is None else f", {duration(took)} a run of the test"
        self._last_sizes = event.sizes
        self._say(f"{printable(event.name)}: {start}{each_run}")

    def _say_checking(self, line: str) -> None:
        if line != self._checking:  # several phases of the start have a first run
            self._checking = line
            self._say(line)

    def _is_news(self) -> bool:
        return self._since() >= _MIN_LIST_PERIOD_S and self._progress.sizes != self._last_sizes

    def _say_sizes(self, before: str = "") -> None:
        self._last_sizes = self._progress.sizes
        self._say(before + progress_line(self._progress))

    def _since(self) -> float:
        return self._progress.seconds - self._last

    def _say(self, *lines: str) -> None:
        self._last = self._progress.seconds
        for line in lines:
            self._console.print(Text(f"nubbin: {line}"), soft_wrap=True)
