"""Tables: of the recorded runs of a folder, and of the passes and steps of one run."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence

from nubbin.journal.recorded_run import ListedRun, RecordedRun, end_of, gains_of
from nubbin.journal.run_facts import RunFacts, Tally
from nubbin.option import Group
from nubbin.oracles.commands.command_line import quoted_word
from nubbin.reduction.job import Job
from nubbin.report.lines import step_line
from nubbin.text.figures import count, duration, printable, share

#: The columns of a table of passes, and of one of the kinds of queries.
PASS_COLUMNS = (
    *("pass", "queries", "removed", "accepted"),
    *("bytes removed", "test time", "steps", "lists"),
)
KIND_COLUMNS = ("kind of query", "asked", "accepted")
_HEADER = ("run", "begun", "state", "bytes", "", "queries")


def runs_table(runs: Sequence[ListedRun]) -> list[str]:
    """Return a header and a line for each run, in aligned columns."""
    return aligned([_HEADER, *map(_row, runs)], right={3, 5})


def aligned(rows: Sequence[Sequence[str]], right: Collection[int]) -> list[str]:
    """Return a line for each row, in columns of which some are aligned on the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = (
        [text.rjust(width) if at in right else text.ljust(width) for at, (text, width) in row]
        for row in (enumerate(zip(each, widths, strict=True)) for each in rows)
    )
    return ["  ".join(each).rstrip() for each in cells]


def moment(seconds: float) -> str:
    """Return the local date and time, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def sessions_in_words(facts: RunFacts) -> Iterator[tuple[str, str]]:
    """Yield the start of each session of a run, and the versions that it used."""
    for part in facts.sessions:
        made = f"nubbin {part.nubbin}, Python {part.python}, {part.platform}"
        yield f"from {moment(part.begun)} on", printable(made)


def _row(run: ListedRun) -> tuple[str, ...]:
    return (
        printable(run.folder.name),
        moment(run.begun),
        end_of(run.state).words,
        count(run.before),
        f"-> {count(run.after)}",
        count(run.queries),
    )


def pass_rows(run: RecordedRun) -> Iterator[tuple[str, ...]]:
    """Yield a row for each pass, see `PASS_COLUMNS`; cells without a tally are empty."""
    tallies = {each.name: each for each in run.tally.passes} if run.tally else {}
    gained, whole = gains_of(run.steps), run.steps[0].bytes
    for name in dict.fromkeys([*tallies, *gained]):
        of, gains = tallies.get(name), gained.get(name, ())
        removed = sum(gains)
        yield (
            printable(name),
            count(of.queries) if of else "",
            share(removed, whole) if 0 < removed <= whole else "",
            share(of.interesting, of.queries) if of else "",
            count(removed),
            duration(of.seconds) if of else "",
            count(len(gains)),
            count(of.lists) if of else "",
        )


def kind_rows(tally: Tally | None) -> list[tuple[str, ...]]:
    """Return a row for each kind of query, the most frequent first; see `KIND_COLUMNS`."""
    kinds = sorted(tally.kinds.items(), key=lambda each: -each[1][0]) if tally else []
    return [(printable(kind), count(asked), share(yes, asked)) for kind, (asked, yes) in kinds]


def lines_about_run(run: RecordedRun) -> Iterator[str]:
    """Yield the options, versions and steps of a run; raises NubbinError for damaged facts."""
    facts, job = run.facts, Job.of(run.facts, {})
    yield f"input: {printable(job.source)}"
    yield f"test: {printable(job.test.in_full)}, with the digest {facts.test_digest}"
    options = job.options.as_words(Group.RECORDED, " ", quoted_word)
    yield f"options: {printable(' '.join(options)) or 'none'}"
    yield from map(": ".join, sessions_in_words(facts))
    yield from map(step_line, run.steps)
