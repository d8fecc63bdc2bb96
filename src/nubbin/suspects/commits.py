"""Find the commit, and the lines of it, that make a command fail; read git, and never write it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from nubbin.checks.case import run_in_words
from nubbin.documents.document import Document
from nubbin.documents.patch import Patch
from nubbin.documents.reading.from_disk import Inputs
from nubbin.journal.recorded_run import RecordedRun, end_of
from nubbin.oracles.commands.checkout import environment
from nubbin.oracles.commands.project_test import BlameTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.output import quoted_output
from nubbin.reduction.events import Observer
from nubbin.reduction.options import Options
from nubbin.reduction.reduce import reduce_inputs
from nubbin.reduction.run_job import Reduction
from nubbin.reduction.start.known import Known
from nubbin.reduction.start.learning import learned_conditions
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import CANNOT_SAY, Verdict
from nubbin_core.waiting import run

#: The number of parents of a merge.
_MERGE = 2


@dataclass(frozen=True, slots=True)
class Stage:
    """A reduction of `nubbin blame`: of a list of commits, or of a patch.

    `run` takes the folder for the `record`, the place of the `output`, and `observers`.
    """

    name: str
    is_last: bool
    run: Callable[..., Reduction]


class Blame:
    """Finds the first commit in a range, and the lines of it, with which a command fails.

    `span` is `GOOD..BAD`, as for git, and the shell runs `command`. The `conditions` describe the
    failure; if they are empty, the first stage learns it, for all stages. Raises NubbinError for
    commits that do not exist.
    """

    def __init__(self, span: str, command: str, conditions: Conditions, options: Options) -> None:
        good, dots, bad = span.partition("..")
        if not good or not dots or bad.startswith("."):
            raise NubbinError(f"{span!r} is not a range of commits: give GOOD..BAD, as v1.0..main.")
        bad = bad or "HEAD"
        history = Repository.here()
        self._commits = history.between(history.commit(good), history.commit(bad))
        if not self._commits:
            raise NubbinError(
                f"There is no commit in {span}: {bad} is {good}, or in its history. Name first "
                "the commit that does not fail."
            )
        if not self._commits[-1].parents:
            raise NubbinError(
                f"{good} and {bad} have no history in common that is here. If this is a shallow "
                "clone, fetch the rest: git fetch --unshallow"
            )
        self._span, self._history, self._options = span, history, options
        words = (command, history.objects, self._commits[-1].parents[0])
        self._test = BlameTest(words, str(history.folder), conditions=conditions)
        self._known: Known | None = None

    def find(self, reduce: Callable[[Stage], Reduction | None]) -> None:
        """Let `reduce` run each stage; end after one that is broken off, or has no result (None).

        1. The commits on the line of first parents.
        2. If the commit found is a merge, the commits that it merged.
        3. The changes of the commit found.

        Skips commits in which the command neither succeeds nor fails with the failure. Their
        changes are searched together with those of the next commit. Costs a run for the commit
        before all others, four or more runs to learn the failure, and in each stage one more run,
        besides its queries and its end.
        """
        commits, good, merges = self._commits, self._test.base, set[str]()
        while True:
            if len(commits) > 1:
                name = f"merge-{commits[0].name[:12]}" if merges else self._span
                lines = b"".join(each.line for each in commits)
                result = reduce(self._stage(name, "commits", lines, good))
                if result is None or not end_of(result.reason).is_done:
                    return
                commits, good = _after(result, commits, good)
                if len(commits) > 1:
                    continue
            (found,) = commits
            if found.name in merges:
                good = found.parents[0]
                break
            brought = []
            if len(found.parents) == _MERGE and good == found.parents[0]:
                brought = self._history.between(*found.parents)
            if not brought or not brought[-1].parents:
                break
            merges.add(found.name)
            commits, good = [found, *brought], brought[-1].parents[0]
        patch = self._history.patch(good, found)
        if Patch.of(patch).parts:
            reduce(self._stage(f"{found.name[:12]}.patch", "changes", patch, good))

    def _stage(self, name: str, unit: str, data: bytes, good: str) -> Stage:
        name = name.replace("/", "-")
        document = Document.single(name, data)
        algorithm = "bisect" if unit == "commits" else "auto"

        def run(record: StrPath, output: StrPath, observers: Sequence[Observer]) -> Reduction:
            test = replace(self._test, words=(*self._test.words[:2], good))
            return reduce_inputs(
                lambda: (test, Inputs(document, self._history.folder)),
                self._learn,
                record=record,
                observers=observers,
                options=replace(self._options, smallest=unit, algorithm=algorithm, output=output),
            )

        return Stage(name, unit == "changes", run)

    def _learn(self, known: Known) -> Known:
        """Learn the failure in the first stage; return the job with a test for it.

        Raises NubbinError if the command fails in the commit before all others, or in none.
        """
        if self._known is not None:
            return replace(self._known, job=known.job, tell=known.tell)
        with known.examined() as case:
            nothing = case.run(case.document.emptied())
        test, is_described = self._test, bool(self._test.conditions)
        fails = nothing.verdict is Verdict.INTERESTING if is_described else nothing.exit_code != 0
        if fails or nothing.timed_out or nothing.exit_code in {None, CANNOT_SAY}:
            raise NubbinError(
                f"{test} {run_in_words(nothing)} in {test.base[:12]}, the commit just before "
                f"{self._span}. It must not fail in that commit. It runs in a fresh checkout, "
                f"without files that are built, installed or ignored. {PARTIAL}"
                + quoted_output(nothing.output)
            )
        test = replace(test, good=nothing.exit_code or 0)
        known = replace(known, job=replace(known.job, test=test), nothing=nothing)
        if not is_described:
            known = learned_conditions(known)
        self._test = test.with_conditions(known.job.test.conditions)
        self._known = replace(known, nothing=nothing._replace(verdict=Verdict.UNINTERESTING))
        return self._known


def _after(result: Reduction, commits: list[Commit], good: str) -> tuple[list[Commit], str]:
    """Return the first commit that is known to fail, and the last that is known not to.

    Commits between the two follow the first one: those that were not run, or are unresolved.
    """
    assert result.run is not None
    ran = RecordedRun.open(result.run).ran()
    name = result.output.name
    at = next(at for at, each in enumerate(commits) if each.line == result.data)
    first, doubtful = commits[at], list[Commit]()
    for each in commits[at + 1 :]:
        found = ran.get(Document.single(name, each.line).key)
        if found is None:
            doubtful.append(each)
        elif found.verdict is Verdict.UNINTERESTING:
            good = each.name
            break
        elif found.verdict is Verdict.INTERESTING:  # by speculation
            first, doubtful = each, []
    return [first, *doubtful], good


#: Without the file monitor, a program that the settings of the repository can name.
_GIT = ("git", "-c", "core.fsmonitor=false")
#: Without refreshing or fetching: a partial clone can name a program that fetches.
_ONLY_READS = {"GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOW_PROTOCOL": "none"}
#: Advice if an object is missing.
PARTIAL = "If this is a partial clone, fetch the rest: git fetch --refetch --no-filter."
#: Makes a patch in the format of `nubbin.documents.patch`, with any configuration of the user.
_DIFF = (
    *("diff-tree", "-p", "-U0", "--binary", "--full-index", "--no-renames", "--no-color"),
    *("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    *("--src-prefix=a/", "--dst-prefix=b/"),
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its full name, its parents, and the first line of its message."""

    name: str
    parents: tuple[str, ...]
    subject: str

    @property
    def line(self) -> bytes:
        """The commit as a line of a list."""
        return os.fsencode(f"{self.name} {self.subject}\n")


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of a folder, and the folder of its `objects`."""

    folder: Path
    objects: str

    @classmethod
    def here(cls) -> Self:
        """Return the repository of the current folder; raises NubbinError if there is none."""
        folder = Path.cwd()
        words = ("rev-parse", "--path-format=absolute", "--git-path", "objects")
        where = _git(
            folder,
            *words,
            hint="nubbin blame searches the history of the git repository that it is called in. ",
        )
        return cls(folder, os.fsdecode(where).removesuffix("\n"))

    def commit(self, name: str) -> str:
        """Return the full name of a commit; raises NubbinError if there is none."""
        words = ("rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}")
        hint = f"There is no commit {name!r} in {self.folder}: git log lists those that there are. "
        found = _git(self.folder, *words, hint=hint)
        return found.decode().strip()

    def between(self, good: str, bad: str) -> list[Commit]:
        """Return the commits of `bad` and not of `good`, newest first, along first parents."""
        shape = "--format=%H%x00%P%x00%s"
        # Verifies no signature, because the configuration names the program for that.
        words = ("log", "--first-parent", "--no-show-signature", "-z", shape)
        listed = _git(self.folder, *words, bad, f"^{good}", "--")
        texts = os.fsdecode(listed).split("\0")[:-1]
        fields = zip(texts[::3], texts[1::3], texts[2::3], strict=True)
        return [Commit(name, tuple(parents.split()), subject) for name, parents, subject in fields]

    def patch(self, old: str, new: Commit) -> bytes:
        """Return the patch from an old commit to a new one, after a line with the new one."""
        words = (*_DIFF, old, new.name, "--")
        return b"commit " + new.line + _git(self.folder, *words, hint=f"{PARTIAL} ")


def _git(folder: Path, *words: str, hint: str = "") -> bytes:
    """Return the output of git; raises NubbinError, which begins with the hint, if git fails."""
    try:
        ran = run([*_GIT, *words], cwd=folder, env={**environment(), **_ONLY_READS})
    except FileNotFoundError:
        raise NubbinError("nubbin blame needs git, which is not on the PATH.") from None
    if ran.returncode:
        raise NubbinError(f"{hint}git {words[0]} failed in {folder}." + quoted_output(ran.stderr))
    return ran.stdout
