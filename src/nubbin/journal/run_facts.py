"""The facts that a journal has about its run, besides answers and candidates."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Final, Self

import msgspec
from msgspec import Meta

from nubbin.documents.trace import Trace
from nubbin.journal.schema import AbsolutePath, AnyPath, Natural, Number, Seconds, Unreadable
from nubbin_core.search.trials import REJECTED_ONCE, Trials


@dataclass(frozen=True, slots=True)
class Session:
    """A session of a run: when it began, in seconds since 1970, and the versions used.

    `seconds` is how long the run was under way before this session.
    """

    begun: Seconds
    seconds: Seconds
    nubbin: str = ""
    python: str = ""
    platform: str = ""


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """A command that the run carried out `at` a time in seconds since 1970, after `queries`."""

    at: Seconds
    queries: Natural
    name: str
    value: str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What is known of the test before the first query.

    `original` and `nothing` are the trials of the input and of an empty one; the last of the latter
    rejected it. `said` are texts that the test printed: the lines that stand alone, then all.
    `failure` is the line that describes the failure, and expressions that match it; `frames` are
    the functions in its stacks.
    """

    original: Trials
    nothing: Trials = REJECTED_ONCE
    failure: Annotated[tuple[str, ...], Meta(min_length=2)] | None = None
    frames: tuple[str, ...] = ()
    said: tuple[str, ...] = ()

    def facts(self) -> dict[str, Any]:
        """Return these as facts for `Journal.tell`."""
        return {each.name: getattr(self, each.name) for each in fields(Baseline)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts(Baseline):
    """The facts about a run, with their types.

    The input is `name` in the folder `root`, and the result is written to `target`. The test finds
    the `reachable` folders of the input by links. `nubbin.reduction.job.Job` reads `test` and
    `options`. `test_digest` is None if the answers of the test cannot be reused. `algorithm_source`
    identifies an algorithm that is not nubbin's own, and `pass_sources` passes that are not.

    `trace` is what a traced run on the input used. `start` is the number of the candidate from
    which the reduction was restarted; None if it was not. `failures` are tracebacks of passes.
    `ended` is the reason for the end. `pretty` is an option, replaced by the key of the copy for
    reading once there is one, in hexadecimal digits. `mark` is for `nubbin.journal.mark`.
    """

    name: AnyPath
    root: AbsolutePath
    target: AbsolutePath
    executables: frozenset[AnyPath]
    reachable: frozenset[AnyPath] = frozenset()
    trace: Trace | None = None
    depth: Annotated[int, Meta(ge=0, le=100)]
    test: dict[str, Any]
    test_digest: str | None
    algorithm_source: str = ""
    pass_sources: tuple[str, ...] = ()
    options: dict[str, Any]
    flaky: bool = False
    one_job: bool = False
    start: Number | None = None
    sessions: tuple[Session, ...] = ()
    commands: tuple[RecordedCommand, ...] = ()
    failures: tuple[str, ...] = ()
    ended: str | None = None
    minimal: bool = False
    pretty: bool | str = False
    mark: str | None = None

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return the facts from the JSON values of a journal; raises Unreadable for others.

        Values that are no facts are options.
        """
        facts = {name: value for name, value in values.items() if name in FACTS}
        options = {name: value for name, value in values.items() if name not in FACTS}
        if "pretty" in facts:
            options["pretty"] = bool(facts["pretty"])
        try:
            os.fsencode(json.dumps(values, ensure_ascii=False))  # a file's name may not be text
            made = msgspec.convert({**facts, "options": options}, cls)
        except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as error:
            raise Unreadable(f"the facts of the run in it are damaged ({error})") from None
        if not all(0 <= each.yes <= each.runs > 0 for each in (made.original, made.nothing)):
            raise Unreadable("the facts of the run in it are damaged (trials)")
        return made

    @property
    def first(self) -> int:
        """The number of the candidate from which the reduction starts."""
        return 1 if self.start is None else self.start

    @property
    def is_undisturbed(self) -> bool:
        """Whether nothing changed the number of queries: no restart, and no command of a user."""
        return self.start is None and not self.commands

    def is_same_job(self, other: RunFacts) -> bool:
        """Tell whether another run of the same input has the same test and options."""
        mine, theirs = ((each.test_digest, each.depth, each.options) for each in (self, other))
        return mine == theirs


#: The names of the facts; a journal has the options beside them.
FACTS: Final = frozenset(each.name for each in fields(RunFacts)) - {"options"}
