"""What a journal says of its run, besides answers and candidates: read here, and nowhere else."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta

from nubbin.documents.trace import Trace
from nubbin.journal.schema import Unreadable
from nubbin.journal.values import AbsolutePath, AnyPath, Count, Number, Seconds
from nubbin_core.search.trials import REFUSED_ONCE, Trials


@dataclass(frozen=True, slots=True)
class Session:
    """A part of a run: when it began, in seconds since 1970, and in which versions.

    `seconds` are those that the run was under way before it.
    """

    begun: Seconds
    seconds: Seconds
    nubbin: str = ""
    python: str = ""
    platform: str = ""


@dataclass(frozen=True, slots=True)
class RecordedCommand:
    """A command that was carried out `at` a time in seconds since 1970, after some queries."""

    at: Seconds
    queries: Count
    name: str
    value: str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """The facts about a run, each of its type.

    `name` is that of the input in the folder `root`, `target` the place of the result; `test` and
    `options` are for `nubbin.reduction.job.Job`, which knows what they may be; `test_digest` is
    None for a test that must be asked again. `algorithm_source` tells the version of an algorithm
    that is not nubbin's own. `original` and `nothing` are the trials of the input and of an empty
    one, `failure` the line that tells it and expressions for it, `frames` the functions in
    its stacks. `start` is the number of the
    candidate that the reduction began again with; None if it never did. `failures` are tracebacks
    of passes. `ended` is the reason for the end. `pretty` is an option; as soon as there is a copy
    for reading, the key of that, in hexadecimal digits, takes its place. The test finds `reachable`
    folders of the input by links.
    `trace` is what a run on the input used, if one was traced.
    `mark` is for `nubbin.journal.mark`.
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
    options: dict[str, Any]
    original: Trials
    nothing: Trials = REFUSED_ONCE
    failure: Annotated[tuple[str, ...], Meta(min_length=2)] | None = None
    frames: tuple[str, ...] = ()
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
        """Return the facts that a journal has as JSON values; raises Unreadable for others.

        What is not among the facts are the options.
        """
        names = {each.name for each in fields(cls)} - {"options"}
        facts = {name: value for name, value in values.items() if name in names}
        options = {name: value for name, value in values.items() if name not in names}
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
        """The number of the candidate that the reduction begins with."""
        return 1 if self.start is None else self.start

    @property
    def is_undisturbed(self) -> bool:
        """Whether the run takes its usual queries and time: not started over, and not steered."""
        return self.start is None and not self.commands

    def is_same_job(self, other: RunFacts) -> bool:
        """Whether another run of the same input asks the same test, with the same options."""
        mine, theirs = ((each.test_digest, each.depth, each.options) for each in (self, other))
        return mine == theirs

    def with_command(self, command: RecordedCommand) -> list[dict[str, Any]]:
        """Return the commands and another one, as JSON values."""
        return [asdict(each) for each in (*self.commands, command)]

    def with_session(self, session: Session) -> list[dict[str, Any]]:
        """Return the sessions and another one, as JSON values."""
        return [asdict(each) for each in (*self.sessions, session)]
