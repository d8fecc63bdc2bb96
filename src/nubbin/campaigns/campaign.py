"""`nubbin.campaign`: from many inputs that make a command fail to the smallest of each failure."""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Unpack

from msgspec.json import decode, encode

from nubbin.campaigns.failure_groups import Failed, FailureGroup, Similar, grouped, reduce_groups
from nubbin.disk import Folder, write_whole
from nubbin.documents.document import Document
from nubbin.documents.reading.from_disk import Inputs
from nubbin.journal.reading import candidate
from nubbin.journal.recorded_run import RecordedRun, end_of
from nubbin.journal.run_folders import RUNS, KeptAnswers, reduced_path
from nubbin.option import Group
from nubbin.oracles.commands.command_line import (
    nubbin_line,
    quoted_word,
    with_path,
    with_path_behind,
)
from nubbin.oracles.failures.conditions import Conditions, Ended
from nubbin.oracles.failures.regex import Regex
from nubbin.oracles.output import excerpt
from nubbin.oracles.user_test import from_json, of_kind
from nubbin.reduction.job import Job
from nubbin.reduction.keywords import CampaignKeywords, options_given, takes
from nubbin.reduction.options import Options
from nubbin.reduction.result.output_path import check_outside, check_result_place
from nubbin.reduction.start.failing import fails
from nubbin.reduction.start.inputs import read_inputs
from nubbin.reduction.start.known import Known
from nubbin.reduction.start.learning import learned_conditions
from nubbin.reduction.start.open_job import open_workers, shared_workers
from nubbin.text.figures import counted
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError, OptionError
from nubbin_core.verdict import Answer

#: Seconds for the run on an input, if the user gives no limit.
_LIMIT_S = 30.0
#: The most inputs of a group that are compared to learn how the command fails on all of them, and
#: the most that are tried if the command does not fail again on the first.
_MAX_COMPARED, _MAX_TRIED = 8, 3


@dataclass(frozen=True)
class Campaign:
    """What a campaign came to: a folder, the groups, and the inputs that are in none.

    The largest group is the first. The command does not fail on those that `passed`, and those that
    were `stopped` took too long, or too much of something. `runs` counts the runs of the command
    that this call made and that belong to no reduction.
    """

    output: Path
    groups: tuple[FailureGroup, ...]
    passed: tuple[Path, ...]
    stopped: tuple[Path, ...]
    runs: int


#: Is told the campaign once the inputs are sorted, and then each group when its reduction ends.
CampaignObserver = Callable[[Campaign | FailureGroup], None]


@takes(Group.CAMPAIGN)
def campaign(
    run: str,
    inputs: StrPath | Sequence[StrPath],
    *,
    output: StrPath | None = None,
    observers: Sequence[CampaignObserver] = (),
    **options: Unpack[CampaignKeywords],
) -> Campaign:
    """Sort inputs by how a command fails on them, and reduce the smallest of each group.

    `run` is a command line that gets the path of an input in the place of `{}`, or behind it, and
    the input itself as its standard input. Each of the `inputs` is a file, or a folder of files. A
    group has the inputs with the same masked message and the same innermost function of the
    program. What differs in the messages of a group is no part of its test. Groups are reduced at
    the same time, each in a process of its own, and share the workers. The result of each is run
    once more: two groups are one if the test of each accepts the result of the other.

    All is written into the folder `output`, by default NAME.reduced beside the inputs: a folder for
    each group, and the runs in `.nubbin`, which `nubbin.resume` and all commands take. The same
    call continues where an earlier one ended: no input is run again, nor a finished group. The
    limits of queries and time are for each group.

    Costs a run for each input, one for each result, one on an empty input; for each group two or
    more to learn its conditions, and the reduction. Raises NubbinError, a paragraph for the user,
    if the command fails on no input, or if something cannot be read or written; and the errors of
    `reduce` for options. What is wrong with one group is its `error`.
    """
    chosen = options_given(options, Group.CAMPAIGN)
    if chosen.executor is not None:
        raise OptionError("Groups are reduced in processes of their own: pass a cluster instead.")
    found = read_inputs(inputs, all_files=chosen.all_files)
    place = _place(found, output)
    with shared_workers(chosen) as (shared, width), closing(KeptAnswers()) as kept:
        command = _Command(with_path_behind(run), place, kept, shared)
        failed, passed, stopped = command.try_inputs(found)
        similar = {FailureGroup.of(each, place / RUNS): each for each in grouped(failed)}
        begun = Campaign(place, tuple(similar), tuple(passed), tuple(stopped), command.runs)
        for tell in observers:
            tell(begun)
        groups = _Reductions(command, similar, place, shared).reduce(width, observers)
        return replace(begun, groups=tuple(groups), runs=command.runs)


def _place(found: Inputs, output: StrPath | None) -> Path:
    """Return the folder of a campaign, and make it."""
    name = "nubbin" if found.document.name == "." else found.document.name
    place = (found.root / f"{name}.reduced" if output is None else Path(output)).absolute()
    check_outside(place, found.paths)
    check_result_place(place, is_folder=True)
    if place.exists() and not (place / RUNS).is_dir() and (place.is_file() or any(place.iterdir())):
        raise NubbinError(
            f"There is something else at {place}, where the results would be written. Name another "
            "folder, by --output."
        )
    place.mkdir(exist_ok=True)
    Folder.made(place / RUNS).close()
    return place


class _Command:
    """Runs a command, once on each input in all calls; `runs` counts the runs of this call."""

    def __init__(self, line: str, place: Path, kept: KeptAnswers, options: Options):
        test = of_kind("run", line)
        limited = replace(options, timeout=options.timeout or _LIMIT_S)
        nothing = Document.single("input", b"")
        self.line, self.runs, self._kept = line, 0, kept
        self.job = Job(nothing, place, place, test, frozenset(), limited, depth=0)
        self._digest = test.digest()
        kept.open(place / RUNS, "answers")

    def try_inputs(self, found: Inputs) -> tuple[list[Failed], list[Path], list[Path]]:
        """Return what failed, passed and was stopped; raises NubbinError if nothing failed."""
        paths = defaultdict[Document, list[Path]](list)
        for file in found.document.files:
            paths[_as_input(Path(file.path), file.data)].append(found.root / file.path)
        failed, passed, stopped = list[Failed](), list[Path](), list[Path]()
        for document, answer in self.answers(paths).items():
            if answer.was_stopped:
                stopped += paths[document]
            elif fails(answer):
                failed += (Failed(path, document, answer) for path in paths[document])
            else:
                passed += paths[document]
        if not failed:
            raise NubbinError(
                f"{self.line} fails on none of {counted(len(passed) + len(stopped), 'input')}: it "
                f"accepts {len(passed)}, and took too long or too much on {len(stopped)}."
            )
        return failed, passed, stopped

    def answers(self, documents: Iterable[Document]) -> dict[Document, Answer]:
        """Return the answer of the command on each document, from an earlier run if there is one.

        An answer is on disk before it is used, and survives the end of this process at any instant.
        A run that was stopped is made again if the limits are others.
        """
        found = {each: self._kept_answer(each) for each in documents}
        left = [each for each, answer in found.items() if answer is None]
        for name in dict.fromkeys(each.name for each in left):
            named = [each for each in left if each.name == name]
            with open_workers(replace(self.job, original=named[0].emptied())) as (oracle, pool):
                answers = pool.each(oracle.explain, [each.contents for each in named])
                for document, answer in zip(named, answers, strict=True):
                    ended = Ended.of(answer)
                    errors = excerpt(ended.stderr)
                    short = answer._replace(output=excerpt(ended.stdout) + errors, errors=errors)
                    key, key_if_stopped = self._keys(document)
                    self._kept.keep(key_if_stopped if answer.was_stopped else key, encode(short))
                    found[document] = short
                    self.runs += 1
        return {each: answer for each, answer in found.items() if answer}

    def _kept_answer(self, document: Document) -> Answer | None:
        lines = filter(None, map(self._kept.get, self._keys(document)))
        return next((decode(line, type=Answer) for line in lines), None)

    def _keys(self, document: Document) -> tuple[str, str]:
        """Return the key of an answer, and the key if the limits stopped the run."""
        key = f"{self._digest}-{document.key.hex()}"
        return key, f"{key}-{self.job.options.timeout}-{self.job.options.memory}"


@dataclass(frozen=True)
class _Reductions:
    """Reduces each group of `similar` inputs, and writes the results into a folder at `place`."""

    command: _Command
    similar: Mapping[FailureGroup, Similar]
    place: Path
    options: Options

    def reduce(
        self, width: Callable[[], int], observers: Iterable[CampaignObserver]
    ) -> list[FailureGroup]:
        """Reduce each group, find those that are the same failure, and describe each in a file."""
        for group in self.similar:
            (self.place / group.name).mkdir(exist_ok=True)
        ended = dict[str, FailureGroup]()
        for group in reduce_groups(self.similar, width, self._prepare):
            ended[group.name] = group
            for tell in observers:
                tell(group)
        groups = self._compared([ended[each.name] for each in self.similar])
        for group in groups:
            text = "\n".join(self._about(group))
            write_whole(self.place / group.name / "README.txt", os.fsencode(text))
        return groups

    def _prepare(self, group: FailureGroup, jobs: int) -> list[str] | None:
        """Return the arguments of nubbin that begin or continue a reduction; None if it has ended.

        Before it begins, learns how the command fails; raises NubbinError if it no longer does.
        """
        limits = replace(self.options, jobs=jobs).as_words(Group.LIMITS)
        with suppress(NubbinError):  # it has not begun
            end = end_of(RecordedRun.open(group.run).state)
            return None if end.is_enough else ["resume", "--quiet", *limits, str(group.run)]
        failed, conditions = self._learn(group)
        output = self.place / group.name / reduced_path(failed.path).name
        places = [f"--output={output}", f"--run-dir={group.run}", f"--run={self.command.line}"]
        learned = shlex.split(conditions.as_options())
        options = self.options.as_words(Group.RECORDED)
        return ["reduce", "--quiet", *places, *learned, *options, *limits, str(failed.path)]

    def _learn(self, group: FailureGroup) -> tuple[Failed, Conditions]:
        """Return the smallest input that fails again, and how the command fails on the group."""
        *others, last = self.similar[group].members[:_MAX_TRIED]
        for failed in others:
            with suppress(NubbinError):  # the command does not fail on it again
                return failed, self._learn_on(failed, group)
        return last, self._learn_on(last, group)

    def _learn_on(self, failed: Failed, group: FailureGroup) -> Conditions:
        """Return how the command fails on an input and on the others of its group.

        What tells another group from this one is excluded: a function may also be on the stack
        where another one fails, and with the same message.
        """
        (nothing,) = self.command.answers([failed.document.emptied()]).values()
        own = [each.answer for each in self.similar[group].members if each is not failed]
        job = replace(self.command.job, original=failed.document)
        known = Known(job, answer=failed.answer, nothing=nothing)
        conditions = learned_conditions(known, own[:_MAX_COMPARED]).job.test.conditions
        outputs = [each.output for each in (failed.answer, *own)]
        alike = (
            kind.pattern
            for other, (kind, members) in self.similar.items()
            if other != group and not conditions.refusal(Ended.of(members[0].answer))
        )
        barred = [each for each in alike if not Regex("", each).is_soon_in(*outputs)]
        return replace(conditions, no_prints="|".join(barred) or None)

    def _compared(self, groups: Sequence[FailureGroup]) -> list[FailureGroup]:
        """Return the groups, each with the one that is the same failure; runs each result once."""
        results = {each.name: _result(each) for each in groups if each.result}
        answers = self.command.answers(results.values())
        same_as = dict[str, str]()
        ordered = sorted(groups, key=lambda group: (group.after, group.name))
        for pair in combinations([each for each in ordered if each.result], 2):
            smaller, larger = pair
            if not {smaller.name, larger.name} & same_as.keys() and not any(
                _conditions(one).refusal(Ended.of(answers[results[other.name]]))
                for one, other in (pair, pair[::-1])
            ):
                same_as[larger.name] = smaller.name
        return [replace(each, same_as=same_as.get(each.name, "")) for each in groups]

    def _about(self, group: FailureGroup) -> list[str]:
        lines, line = [group.title], self.command.line
        if group.result is not None:
            lines += [
                f"smallest input: {group.result}, {counted(group.after, 'byte')}",
                f"shows it: {with_path(line, group.result)}",
                f"test: --run {quoted_word(line)} {_conditions(group).as_options()}",
                f"more: {nubbin_line('report', group.run)}",
            ]
        lines += [f"same failure as: {group.same_as}"] if group.same_as else []
        lines += [group.error] if group.error else []
        return [*lines, "", f"{counted(len(group.inputs), 'input')}:", *map(str, group.inputs), ""]


def _as_input(path: Path, data: bytes) -> Document:
    return Document.single(f"input{path.suffix if path.suffix[1:].isidentifier() else ''}", data)


def _result(group: FailureGroup) -> Document:
    ((name, data),) = candidate(group.run, None).items()
    return _as_input(Path(name), data)


def _conditions(group: FailureGroup) -> Conditions:
    return from_json(RecordedRun.open(group.run).facts.test).conditions
