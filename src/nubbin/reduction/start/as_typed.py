"""Find out by runs where the path of an input belongs in a command line, and what is an output."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path

from nubbin.checks.case import Case
from nubbin.oracles.commands.command_line import quoted_word, shell_words
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest, ShellRunner
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.isolation.candidate_files import Copies
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.oracle import Runner
from nubbin.oracles.tracing.traced_test import has_strace
from nubbin.pattern import pattern
from nubbin.reduction.events import LeftOut
from nubbin.reduction.job import Job
from nubbin.reduction.start.failing import Failing, fails
from nubbin.reduction.start.known import Known
from nubbin.reduction.start.tracing import used_by
from nubbin_core.errors import NubbinError, OptionError
from nubbin_core.verdict import Answer, Verdict


def with_path_placed(known: Known) -> Known:
    """Return the job with its command line as typed, or with the path of the input appended.

    `pytest`, `make` and `npm test` find their input in the current folder. nubbin chooses the line
    that fails on the input, and differently on an empty one. For a folder, it tries the typed line
    first; for a file, the line with its path.

    Costs no run if the line has a place for the path; otherwise two or four, and one if it names
    none of several inputs. If the job has no conditions, the answers are known. Raises OptionError
    if the command opens none of several inputs.
    """
    job, test = known.job, known.job.test
    if not isinstance(test, RunTest) or not test.typed:
        return known
    if job.original.name == ".":
        _check_looks(job, test)
    behind, typed = replace(test, typed=""), test.as_typed(job.source)
    ways = [typed, behind] if job.source.is_dir() else [behind, typed]
    tried = (_tried(known.of_job(replace(job, test=way))) for way in ways)
    return next(filter(None, tried), known.of_job(replace(job, test=ways[0])))


def _check_looks(job: Job, test: RunTest) -> None:
    """Raise OptionError if a command neither names nor opens any of several inputs; costs a run."""
    packed = job.original.packed.contents
    named = {Path(word).name for _, word in shell_words(test.typed)}
    if not has_strace() or any(Path(each).name in named for each in packed):
        return
    conditions = Conditions(hangs=test.conditions.hangs)
    command = ProjectTest((test.typed,), test.folder, given=test.given, conditions=conditions)
    used = used_by(replace(job, test=command), job.original)
    if not packed.keys().isdisjoint(used.opened | used.looked_up):
        return
    line = test.naming_here(test.given).typed
    first, *_, last = (
        quoted_word(os.path.relpath(job.root / each, test.folder)) for each in packed
    )
    raise OptionError(
        f"{line} names none of the {len(packed)} inputs and opens none of them, so nothing in them "
        "can make it fail. To reduce one input for each failure:\n\n"
        f"    nubbin campaign --run {quoted_word(line)} {first} ... {last}\n\n"
        f"If {first} belongs to the command, put both in quotes:\n\n"
        f"    nubbin reduce --run {quoted_word(f'{line} {first}')} {last}\n\n"
        "If the command takes the folder of the inputs, write {} where its path belongs."
    )


def _tried(known: Known) -> Known | None:
    """Run a command line on the input; return what is known then, None if it is not meant so."""
    with known.examined() as case:
        answer = case.run(case.document)
        # A command that waits for a missing argument would not be stopped with a path.
        if case.test.conditions:
            is_meant = answer.verdict is Verdict.INTERESTING or answer.was_stopped
            return known if is_meant else None
        if stopped := case.stopped():
            raise NubbinError(stopped.text)  # not tried again: it costs the most time
        nothing = case.run(case.document.emptied())
    failing = Failing([answer], nothing, case.document.names_and_text)
    is_meant = fails(answer) and failing.depends_on_input
    return replace(known, answer=answer, nothing=nothing) if is_meant else None


# The first bytes of programs, object files and libraries, on Linux and macOS.
_COMPILED = (b"\x7fELF", b"!<arch>\n", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
# Text that differs from run to run: a folder, an address, a number.
_VARYING = pattern(rb"nubbin-\w{8}|0x[0-9a-fA-F]+|\d+")


def without_outputs(known: Known) -> Known:
    """Return the job without the files that its command writes itself.

    A run on the input has copies of all files of the user that the line names. For each file that
    the run writes, two more runs compare the exit status and the output with and without it. If
    these are the same, the file is an output, such as an old a.out, and candidates run without it.
    Otherwise the command needs the file, such as a database, and each run gets a copy. Programs and
    object files in the input are removed if a run without them makes them.

    Costs a run if the line names files of the user, two for each file that it writes, and one if
    there are programs in the input.
    """
    test = known.job.test
    if not isinstance(test, RunTest) or isinstance(test, ProjectTest):
        return known  # what the command of a project makes is in the project
    known = _without_programs(known)
    paths, whole = test.given, test
    if not paths:
        return known

    def written(test: RunTest) -> tuple[Answer, set[str]]:
        return _watched(known, test, lambda copies: copies.written(paths))

    answer, made = written(test)
    inputs = set[str]()
    while news := made - inputs - (set(paths) - set(test.given)):
        path = min(news)
        bare, beside = test.without({path}), test.naming_here({path})
        (ended, makes), (other, also) = written(bare), written(beside)
        if _outcome(ended) == _outcome(other):
            test, answer, made = bare, ended, makes
        else:
            inputs.add(path)
            test, answer, made = beside, other, also
    if test is whole and known.answer:
        return known
    is_first = not test.conditions and fails(answer)
    return known.of_job(replace(known.job, test=test), answer if is_first else None)


def _without_programs(known: Known) -> Known:
    job, document = known.job, known.job.original
    paths = [each.path for each in document.files if each.data.startswith(_COMPILED)]
    if document.is_single or not paths:
        return known

    def without(paths: Collection[str]) -> Known:
        files = tuple(each for each in document.files if each.path not in paths)
        return known.of_job(replace(job, original=replace(document, files=files)))

    assert isinstance(job.test, RunTest)
    _, made = _watched(without(paths), job.test, lambda copies: filter(copies.has, paths))
    if not made:
        return known
    if job.options.in_place:
        raise NubbinError(
            f"--in-place would replace {job.source} by a folder without the programs that "
            "the command makes in it. Remove these first, or leave out --in-place."
        )
    known.tell(LeftOut(tuple(f"{path} (the command makes it)" for path in sorted(made))))
    return without(made)


def _watched(
    known: Known, test: RunTest, looked_at: Callable[[Copies], Iterable[str]]
) -> tuple[Answer, set[str]]:
    """Run a test on the input, in this process; return its answer and what is found after it."""
    made = set[str]()

    def runner(folders: QueryFolders) -> Runner:
        line, given = test.words[0], test.given_files
        after = lambda copies: made.update(looked_at(copies))  # noqa: E731
        return ShellRunner(line, test.conditions, folders, given=given, after=after)

    job = replace(known.job, test=test)
    with LocalOracle(job.oracle_spec, job.limit, runner=runner) as oracle:
        case = Case(
            job.oracle_spec, job.original, job.root, oracle, timeout=job.limit, on_run=known.tell
        )
        answer = case.run(job.original)
        if not test.conditions and (stopped := case.stopped()):
            raise NubbinError(stopped.text)
    return answer, made


def _outcome(answer: Answer) -> tuple[object, ...]:
    return answer.exit_code, answer.timed_out, _VARYING.sub(b"", answer.output)
