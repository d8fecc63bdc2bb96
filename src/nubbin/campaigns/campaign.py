"""`nubbin.campaign`: from many inputs that make a command fail to the smallest of each failure."""

from __future__ import annotations

import os
import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Unpack

import msgspec

from nubbin.campaigns.failure_groups import Failed, FailureGroup, grouped, reduce_groups
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
from nubbin.oracles.failures.failure import FailureKind
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
#: So many inputs of a group are compared to learn how the command fails on all of them, and so many
#: are tried if the command does not fail on the first again.
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
    line, place = with_path_behind(run), _place(found, output)
    with shared_workers(chosen) as shared, closing(KeptAnswers()) as kept:
        return _CampaignRun(line, place, kept, *shared).run(found, observers)


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


class _CampaignRun:
    """One call of `campaign`: `width` returns how many queries the workers answer at once.

    `_alike` has the kind and the inputs of each group by name; `_kept` the answers of all calls.
    """

    def __init__(
        self, line: str, place: Path, kept: KeptAnswers, options: Options, width: Callable[[], int]
    ):
        self._line, self._place, self._options, self._width = line, place, options, width
        self._runs, self._kept = 0, kept
        test = of_kind("run", line)
        limited = replace(options, timeout=options.timeout or _LIMIT_S)
        nothing = Document.single("input", b"")
        self._job = Job(nothing, place, place, test, frozenset(), limited, depth=0)
        self._digest = test.digest()
        kept.open(place / RUNS, "answers")
        self._alike: dict[str, tuple[FailureKind, list[Failed]]] = {}

    def run(self, found: Inputs, observers: Sequence[CampaignObserver]) -> Campaign:
        """Sort the inputs, reduce each group, and merge those that are alike."""

        def tell(what: Campaign | FailureGroup) -> None:
            for each in observers:
                each(what)

        came_to = self._sorted(found)
        tell(came_to)
        for group in reduce_groups(came_to.groups, self._width, self._words):
            group.read()
            tell(group)
        self._merge([group for group in came_to.groups if group.result])
        for group in came_to.groups:
            about = "\n".join([*self._about(group), *map(str, group.inputs), ""])
            write_whole(self._folder(group) / "README.txt", os.fsencode(about))
        return replace(came_to, runs=self._runs)

    def _sorted(self, found: Inputs) -> Campaign:
        """Return the campaign before a reduction; raises NubbinError if there is no group."""
        paths = defaultdict[Document, list[Path]](list)
        for file in found.document.files:
            paths[_as_input(Path(file.path), file.data)].append(found.root / file.path)
        failed, passed, stopped = list[Failed](), list[Path](), list[Path]()
        for document, answer in self._answers(paths).items():
            if answer.timed_out or answer.exceeded:
                stopped += paths[document]
            elif fails(answer):
                failed += (Failed(path, document, answer) for path in paths[document])
            else:
                passed += paths[document]
        if not failed:
            raise NubbinError(
                f"{self._line} fails on none of {counted(len(passed) + len(stopped), 'input')}: it "
                f"accepts {len(passed)}, and took too long or too much on {len(stopped)}."
            )
        groups = list[FailureGroup]()
        for kind, members in grouped(failed):
            groups.append(FailureGroup.of(kind, members, self._place / RUNS))
            self._alike[groups[-1].name] = kind, members
        return Campaign(self._place, tuple(groups), tuple(passed), tuple(stopped), self._runs)

    def _answers(self, documents: Iterable[Document]) -> dict[Document, Answer]:
        """Return the answer of the command on each document, each run at most once for all calls.

        An answer is on disk before it is used, and survives the end of this process at any instant.
        A run that was stopped is made again if the limits are others.
        """
        kept = {each: self._kept_answer(each) for each in documents}
        left = [each for each, answer in kept.items() if answer is None]
        for name in dict.fromkeys(each.name for each in left):
            named = [each for each in left if each.name == name]
            with open_workers(replace(self._job, original=named[0].emptied())) as (oracle, pool):
                answers = pool.each(oracle.explain, [each.contents for each in named])
                for document, answer in zip(named, answers, strict=True):
                    ended = Ended.of(answer)
                    errors = excerpt(ended.stderr)
                    short = answer._replace(output=excerpt(ended.stdout) + errors, errors=errors)
                    was_stopped = answer.timed_out or bool(answer.exceeded)
                    key = self._key(document, was_stopped=was_stopped)
                    self._kept.keep(key, msgspec.json.encode(short))
                    kept[document] = short
                    self._runs += 1
        return {each: answer for each, answer in kept.items() if answer}

    def _kept_answer(self, document: Document) -> Answer | None:
        keys = [self._key(document, was_stopped=each) for each in (False, True)]
        lines = filter(None, map(self._kept.get, keys))
        return next((msgspec.json.decode(line, type=Answer) for line in lines), None)

    def _key(self, document: Document, *, was_stopped: bool) -> str:
        """Return the key of an answer; the limits are part of it if they stopped the run."""
        key = f"{self._digest}-{document.key.hex()}"
        limits = f"-{self._job.options.timeout}-{self._job.options.memory}"
        return key + limits if was_stopped else key

    def _words(self, group: FailureGroup, jobs: int) -> list[str] | None:
        """Return the arguments of nubbin for what is left to do of a group; None for nothing."""
        limits = replace(self._options, jobs=jobs).as_words(Group.LIMITS)
        with suppress(NubbinError):  # it has not begun
            end = end_of(RecordedRun.open(group.run).state)
            return None if end.is_enough else ["resume", "--quiet", *limits, str(group.run)]
        _, members = self._alike[group.name]
        for failed in members[:_MAX_TRIED]:
            try:
                conditions = self._learned(failed, group)
            except NubbinError as error:
                group.error = str(error)
                continue
            group.error = ""
            place = self._folder(group) / reduced_path(failed.path).name
            places = [f"--output={place}", f"--run-dir={group.run}", f"--run={self._line}"]
            learned = shlex.split(conditions.as_options())
            options = self._options.as_words(Group.RECORDED)
            return ["reduce", "--quiet", *places, *learned, *options, *limits, str(failed.path)]
        return None

    def _learned(self, failed: Failed, group: FailureGroup) -> Conditions:
        """Return how the command fails on an input and on the others of its group.

        What tells another group from this one is excluded: a function may also be on the stack
        where another one fails, and with the same message.
        """
        (nothing,) = self._answers([failed.document.emptied()]).values()
        own = [each.answer for each in self._alike[group.name][1] if each is not failed]
        job = replace(self._job, original=failed.document)
        known = Known(job, answer=failed.answer, nothing=nothing)
        conditions = learned_conditions(known, own[:_MAX_COMPARED]).job.test.conditions
        outputs = [each.output for each in (failed.answer, *own)]
        alike = (
            kind.pattern
            for name, (kind, members) in self._alike.items()
            if name != group.name and not conditions.refusal(Ended.of(members[0].answer))
        )
        barred = [each for each in alike if not Regex("", each).is_soon_in(*outputs)]
        return replace(conditions, no_prints="|".join(barred) or None)

    def _merge(self, groups: Sequence[FailureGroup]) -> None:
        """Find groups whose tests accept each other's results; costs a run for each result."""
        results = {}
        for group in groups:
            ((name, data),) = candidate(group.run, None).items()
            results[group.name] = _as_input(Path(name), data)
        answers = self._answers(results.values())
        ordered = sorted(groups, key=lambda group: (group.after, group.name))
        for pair in combinations(ordered, 2):
            kept, group = pair
            if not (kept.same_as or group.same_as) and not any(
                _conditions(one).refusal(Ended.of(answers[results[other.name]]))
                for one, other in (pair, pair[::-1])
            ):
                group.same_as = kept.name

    def _folder(self, group: FailureGroup) -> Path:
        folder = self._place / group.name
        folder.mkdir(exist_ok=True)
        return folder

    def _about(self, group: FailureGroup) -> list[str]:
        lines = [group.title]
        if group.result is not None:
            lines += [
                f"smallest input: {group.result}, {counted(group.after, 'byte')}",
                f"shows it: {with_path(self._line, group.result)}",
                f"test: --run {quoted_word(self._line)} {_conditions(group).as_options()}",
                f"more: {nubbin_line('report', group.run)}",
            ]
        lines += [f"same failure as: {group.same_as}"] if group.same_as else []
        return [*lines, *filter(None, [group.error]), "", f"{counted(len(group.inputs), 'input')}:"]


def _as_input(path: Path, data: bytes) -> Document:
    return Document.single(f"input{path.suffix if path.suffix[1:].isidentifier() else ''}", data)


def _conditions(group: FailureGroup) -> Conditions:
    return from_json(RecordedRun.open(group.run).facts.test).conditions
