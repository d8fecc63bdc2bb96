"""The sentences and figures of a report, for HTML and for Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from nubbin.checks.in_words import called
from nubbin.option import Group
from nubbin.oracles.commands.command_line import quoted_path, quoted_word
from nubbin.reduction.job import Job
from nubbin.report.lines import outcome_in_words, rate_in_words
from nubbin.report.page.recording import Recording
from nubbin.report.runs_table import sessions_in_words
from nubbin.runs.recorded_run import end_of
from nubbin.text.figures import count, counted, duration, printable, share, visible

#: Longer test scripts are not shown.
_MAX_TEST_BYTES = 64 << 10


def title(recording: Recording) -> str:
    """Return a short name of the input."""
    return printable(recording.original.title)


def looking_for(recording: Recording) -> str:
    """Return what the test looks for."""
    return printable(recording.job.test.looking_for)


def failure(recording: Recording) -> str:
    """Return the line that the test printed about the failure of the input; "" if none."""
    known = recording.run.facts.failure
    return "" if known is None else printable(known[0])


def is_proven(recording: Recording) -> bool:
    """Tell whether the journal proves that the result is 1-minimal."""
    found = recording.proof
    return end_of(recording.run.state).is_done and found is not None and found.holds


def outcome_of_run(recording: Recording) -> str:
    """Return a sentence that says whether the journal proves the result 1-minimal, or why not."""
    found = recording.proof if end_of(recording.run.state).is_done else None
    if found and not found.holds and not found.whole:
        return "Done. The result is too large to look up every single removal here."
    return outcome_in_words(recording.run.state, found.pieces if found and found.holds else None)


def proof_in_words(recording: Recording) -> str:
    """Return a sentence about the removals that the journal has recorded."""
    found = recording.proof
    if found is None or not found.removals:
        return "The result has no single piece that could be removed."
    refused = sum(each.is_refused for each in found.removals)
    number = counted(len(found.removals), "single removal")
    if not end_of(recording.run.state).is_done:
        first = "" if found.whole else "the first "
        return (
            f"The run has not come to its end: of {first}{number}, {count(refused)} were tried and "
            "refused."
        )
    if not found.whole:
        return f"The result is large: the test rejected {count(refused)} of its first {number}."
    if refused < len(found.removals):
        return f"The proof is not whole: of {number}, {count(refused)} were tried and refused."
    if refused == 1:
        return "The only single removal was tried and refused."
    return f"Each of the {number} was tried and refused."


def sizes(recording: Recording) -> list[tuple[str, ...]]:
    """Return rows: a unit, the sizes of the input and the result, and the share removed."""
    before, after = recording.original.sizes, recording.result.sizes
    pairs = (("bytes", before.bytes, after.bytes), ("lines", before.lines, after.lines))
    rows = [*pairs, ("tokens", before.tokens, after.tokens)]
    if len(recording.original.files) > 1:
        rows.append(("files", len(recording.original.files), len(recording.result.files)))
    return [
        (unit, count(old), count(new), share(old - new, old) if new <= old else "more")
        for unit, old, new in rows
    ]


def cost(recording: Recording) -> str:
    """Return the number of queries and the time of the reduction."""
    return f"{counted(recording.run.queries, 'query')} in {duration(recording.run.seconds)}"


def answers(recording: Recording) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each fact about the answers of the test."""
    verdicts = Counter(each.verdict.value for each in recording.ran)
    yield "candidates tested", count(len(recording.ran))
    for name, number in sorted(verdicts.items()):
        yield (
            f"of these {printable(name)}",
            f"{count(number)} ({share(number, len(recording.ran))})",
        )
    if timed_out := sum(each.timed_out for each in recording.ran):
        yield "stopped by a time limit", count(timed_out)
    yield "runs of the test", count(sum(each.runs for each in recording.ran))
    yield "time in the test", duration(sum(each.seconds for each in recording.ran))


def circumstances(recording: Recording) -> Iterator[tuple[str, str]]:
    """Yield the name and the value of each fact that is needed to get the same result again."""
    job, told = recording.job, recording.run.facts
    yield "input", printable(job.source)
    yield "test", printable(job.test.in_full)
    yield "digest of the test", printable(told.test_digest)
    if told.flaky:
        rate = rate_in_words(told.original)
        yield "the test is flaky", f"it accepts the input in {rate}"
    chosen = {"seed": [job.options.seed], **job.options.chosen(Group.RECORDED)}
    yield from ((name, printable(", ".join(map(str, given)))) for name, given in chosen.items())
    yield from sessions_in_words(told)
    yield "recorded in", printable(recording.run.folder.absolute())


def again(recording: Recording) -> Sequence[tuple[str, str]]:
    """Return what a user can repeat, each with its command line."""
    done = end_of(recording.run.state).is_done
    lines = commands_again(recording.job, recording.run.folder.absolute(), is_done=done)
    return [(words, printable(line)) for words, line in lines]


def contract(recording: Recording, quoted: Callable[[str], str] = str) -> str:
    """Return how the test is called and what it must answer, with the quoted name of the input."""
    contents, argument = called(recording.original)
    return recording.job.test.contract(quoted(printable(contents)), argument)


def script(recording: Recording) -> str | None:
    """Return the text of the test if it is a script that has not changed since the run."""
    test, digest = recording.job.test, recording.run.facts.test_digest
    if test.as_options is None:
        return None  # it is not in a file
    with suppress(OSError, UnicodeDecodeError):
        path = test.path
        is_small = path.is_file() and path.stat().st_size <= _MAX_TEST_BYTES
        if is_small and test.digest() == digest and (text := path.read_text("utf-8")).strip():
            return visible(text)
    return None


#: The most inputs that a command line names.
_MAX_INPUTS = 20


def commands_again(job: Job, run: Path, *, is_done: bool) -> list[tuple[str, str]]:
    """Return what a user can repeat, each with its command line.

    Paths are relative to the folder in which the user was. If no command accepts the test, for
    example of commits, the lines run the test on the result and verify it.
    """
    verify = (
        "Run the test again on the result and on each removal",
        f"nubbin verify {quoted_path(run, job.test.folder)}",
    )
    test = job.test.as_options
    if test is None:
        line = None
        with suppress(OSError):  # the result does not exist yet, or was removed
            line = job.line(is_done=is_done)
        return [("Run the result", line), verify] if line else [verify]
    inputs = list(job.original.contents) if job.original.name == "." else [job.original.name]
    words = [test, *job.options.as_words(Group.RECORDED, " ", quoted_word)]
    words += [quoted_path(job.root / each, job.test.folder) for each in inputs[:_MAX_INPUTS]]
    words += ["..."] * (len(inputs) > _MAX_INPUTS)
    return [("Reduce the input again", f"nubbin reduce {' '.join(words)}"), verify]
