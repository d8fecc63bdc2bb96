"""Read everything that a page shows of a recorded run, and say it for HTML and for Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from nubbin.checks.case import called
from nubbin.documents.document import Document
from nubbin.documents.edits import Link
from nubbin.journal import reading
from nubbin.journal.recorded_run import RecordedRun, end_of
from nubbin.journal.run_facts import INPUT, SAID, DifferentFailure, different_failures_in
from nubbin.journal.schema import Ran, never_began
from nubbin.option import Group
from nubbin.oracles.commands.command_line import quoted_path, quoted_word
from nubbin.oracles.processes.process import exit_in_words
from nubbin.reduction.job import Job
from nubbin.reduction.recorded.inspection import Proof, Removal, proof
from nubbin.reduction.result.output_path import Contents, contents_at
from nubbin.report.lines import cost_in_words, outcome_in_words, rate_in_words
from nubbin.report.page.weave import Texts
from nubbin.report.runs_table import sessions_in_words
from nubbin.text.figures import count, counted, duration, printable, share, visible
from nubbin_core.errors import NubbinError

#: Longer test scripts are not shown.
_MAX_TEST_BYTES = 64 << 10
#: The most inputs that a command line names.
_MAX_INPUTS = 20


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded run at an instant, with all that a page shows of it.

    `job` has the document from which the reduction started, and `result` is the best. `ran` are the
    runs of the test, as `RecordedRun.ran` returns them. `proof` is None if the journal's options do
    not fit its document.
    """

    run: RecordedRun
    job: Job
    result: Document
    texts: Texts
    ran: Collection[Ran]
    proof: Proof | None
    different_failures: Sequence[DifferentFailure]

    @property
    def original(self) -> Document:
        """The document from which the reduction started."""
        return self.job.original

    @classmethod
    def of(cls, folder: Path) -> Recording:
        """Read a run, under way or ended, in linear time; raises NubbinError if that fails."""
        run = RecordedRun.open(folder)
        texts, job, result = Texts(), None, None
        with reading.reading(folder) as store:
            for row, files in reading.candidates(store, folder):
                if len(run.steps) < row.number or run.steps[row.number - 1].key != row.key:
                    break  # the run was continued in the meantime
                if job is None or row.number == run.facts.first:
                    job = Job.of(run.facts, files)
                result = job.document(files).unpacked(job.depth)
                texts.add(row.number, result.data)
        if job is None or result is None:
            raise never_began(folder)
        ran, found = run.ran(), None
        with suppress(NubbinError):
            found = proof(job, result, ran)
        others = map(_with_files, different_failures_in(folder))
        failures = sorted(others, key=lambda each: (each.size, each.line))
        return cls(run, job, result, texts, ran.values(), found, failures)

    @property
    def title(self) -> str:
        """A short name of the input."""
        return printable(self.original.title)

    @property
    def looking_for(self) -> str:
        """What the test looks for."""
        return printable(self.job.test.looking_for)

    @property
    def failure(self) -> str:
        """The line that the test printed about the failure of the input; "" if none."""
        known = self.run.facts.failure
        return "" if known is None else printable(known[0])

    @property
    def is_proven(self) -> bool:
        """Whether the journal proves that the result is 1-minimal."""
        found = self.proof
        return end_of(self.run.state).is_done and found is not None and found.holds

    @property
    def outcome(self) -> str:
        """A sentence that says whether the journal proves the result 1-minimal, or why not."""
        found = self.proof if end_of(self.run.state).is_done else None
        if found and not found.holds and not found.whole:
            return "Done. The result is too large to look up every single removal here."
        return outcome_in_words(self.run.state, found.pieces if found and found.holds else None)

    @property
    def proof_in_words(self) -> str:
        """A sentence about the removals that the journal has recorded."""
        found = self.proof
        if found is None or not found.removals:
            return "The result has no single piece that could be removed."
        rejected = sum(each.is_rejected for each in found.removals)
        number = counted(len(found.removals), "single removal")
        if not end_of(self.run.state).is_done:
            first = "" if found.whole else "the first "
            return (
                f"The run has not ended yet: of {first}{number}, the test rejected "
                f"{count(rejected)}."
            )
        if not found.whole:
            return (
                f"The result is large: the test rejected {count(rejected)} of its first {number}."
            )
        if rejected < len(found.removals):
            return f"The proof is not complete: of {number}, the test rejected {count(rejected)}."
        if rejected == 1:
            return "The test rejected the only single removal."
        return f"The test rejected each of the {number}."

    @property
    def sizes(self) -> list[tuple[str, ...]]:
        """Rows: a unit, the sizes of the input and the result, and the share removed."""
        before, after = self.original.sizes, self.result.sizes
        pairs = (("bytes", before.bytes, after.bytes), ("lines", before.lines, after.lines))
        rows = [*pairs, ("tokens", before.tokens, after.tokens)]
        if len(self.original.files) > 1:
            rows.append(("files", len(self.original.files), len(self.result.files)))
        return [
            (unit, count(old), count(new), share(old - new, old) if new <= old else "more")
            for unit, old, new in rows
        ]

    @property
    def cost(self) -> str:
        """The number of queries and the time of the reduction."""
        return cost_in_words(self.run.queries, self.run.seconds)

    @property
    def answers(self) -> Iterator[tuple[str, str]]:
        """The name and the value of each fact about the answers of the test."""
        verdicts = Counter(each.verdict.value for each in self.ran)
        yield "candidates tested", count(len(self.ran))
        for name, number in sorted(verdicts.items()):
            yield (
                f"of these {printable(name)}",
                f"{count(number)} ({share(number, len(self.ran))})",
            )
        if timed_out := sum(each.timed_out for each in self.ran):
            yield "stopped by a time limit", count(timed_out)
        yield "runs of the test", count(sum(each.runs for each in self.ran))
        yield "time in the test", duration(sum(each.seconds for each in self.ran))

    @property
    def circumstances(self) -> Iterator[tuple[str, str]]:
        """The name and the value of each fact that is needed to get the same result again."""
        job, told = self.job, self.run.facts
        yield "input", printable(job.source)
        yield "test", printable(job.test.in_full)
        yield "digest of the test", printable(told.test_digest)
        if told.flaky:
            rate = rate_in_words(told.original)
            yield "the test is flaky", f"it accepts the input in {rate}"
        chosen = {"seed": [job.options.seed], **job.options.chosen(Group.RECORDED)}
        yield from ((name, printable(", ".join(map(str, given)))) for name, given in chosen.items())
        yield from sessions_in_words(told)
        yield "recorded in", printable(self.run.folder.absolute())

    @property
    def again(self) -> Sequence[tuple[str, str]]:
        """What a user can repeat, each with its command line."""
        done = end_of(self.run.state).is_done
        lines = commands_again(self.job, self.run.folder.absolute(), is_done=done)
        return [(words, printable(line)) for words, line in lines]

    def contract(self, quoted: Callable[[str], str] = str) -> str:
        """Return how the test is called and what it must answer, with the input's quoted name."""
        contents, argument = called(self.original)
        return self.job.test.contract(quoted(printable(contents)), argument)

    @property
    def script(self) -> str | None:
        """The text of the test if it is a script that has not changed since the run."""
        test, digest = self.job.test, self.run.facts.test_digest
        if test.as_options is None:
            return None  # it is not in a file
        with suppress(OSError, UnicodeDecodeError):
            path = test.path
            is_small = path.is_file() and path.stat().st_size <= _MAX_TEST_BYTES
            if is_small and test.digest() == digest and (text := path.read_text("utf-8")).strip():
                return visible(text)
        return None


def _with_files(failure: DifferentFailure) -> DifferentFailure:
    """Return a different failure with its files; they may have been replaced in the meantime."""
    found: Contents = {}
    with suppress(OSError):
        found = contents_at(failure.folder) or {}
    files = {
        path.removeprefix(f"{INPUT}/"): data
        for path, data in sorted(found.items())
        if path.startswith(f"{INPUT}/") and data is not None
    }
    # The output of the first one in a run is not kept.
    line = failure.line or "it is not known what the test printed"
    return replace(failure, line=line, files=files, output=found.get(SAID) or b"")


def titled(path: str, data: bytes) -> str:
    """Return the heading of an excerpt: a path, and whether the contents are those of a link."""
    return printable(path) + (" (a link)" if isinstance(data, Link) else "")


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


def outcome_of(removal: Removal) -> str:
    """Return the answer of the test to a removal in words, without the time."""
    ran = removal.ran
    if ran is None:
        return "not asked" if removal.needs_run else "not allowed, or cannot be packed"
    if ran.timed_out:
        return f"{ran.verdict.value}: stopped by a time limit"
    end = "" if ran.exit_code is None else f", the test {exit_in_words(ran.exit_code)}"
    several = f", {ran.yes} of {ran.runs} runs accepted" if ran.runs > 1 else ""
    return printable(f"{ran.verdict.value}{end}{several}")
