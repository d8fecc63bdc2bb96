"""A test that is a command line with conditions."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from nubbin.documents.reading.from_disk import common_folder
from nubbin.oracles.commands.command_line import (
    PLACE,
    as_named_here,
    as_typed,
    files_in,
    only_run,
    placed,
    quoted_word,
    shell_words,
    with_path,
    with_path_behind,
)
from nubbin.oracles.commands.shell_runner import SHELL, ShellRunner
from nubbin.oracles.failures.conditions import UNCONDITIONAL, Conditions
from nubbin.oracles.isolation.given_files import GivenFiles
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.oracle import Runner
from nubbin.oracles.user_test import UserTest


@dataclass(frozen=True, slots=True)
class RunTest(UserTest):
    """A command line that the shell runs once per query, and the conditions that it must meet.

    `typed` is the user's line if it leaves open where the path of the candidate belongs. Either it
    has no `{}`, and the path was appended, or it contains the name of the input folder, which may
    also be a program in it. Otherwise `typed` is "". `given` are the user's files that the line
    names: each run has copies of them. Files that the command itself makes are left out
    (`reduction/start/as_typed.py`).
    """

    typed: str = ""
    given: tuple[str, ...] = ()
    kind = "run"
    has_server = False
    is_line = True
    _contract = (
        "The command must meet every condition on an input that still fails. It runs in a new "
        "folder that contains only {contents}. Give the absolute paths of other files that it "
        "needs."
    )

    @classmethod
    def of(
        cls,
        line: str,
        conditions: Conditions = UNCONDITIONAL,
        source: Path | Sequence[Path] | None = None,
    ) -> RunTest:
        """Return the test that runs a command line once per query and checks the conditions.

        The path of the candidate replaces `{}` or the name of the input `source`, or is appended.
        The names of several inputs become paths in the candidate. `nubbin.reduce` finds out whether
        the line runs without an appended path. If the conditions do not describe a failure, nubbin
        derives them from how the command fails on the input.
        """
        here = Path.cwd()
        inputs: tuple[str, ...] = ()
        if isinstance(source, Sequence):
            inputs = tuple(os.path.normpath(here / each) for each in source)
            source = Path(common_folder(inputs))
        asked = conditions.with_lines(
            lambda each: with_path_behind(placed(each, here, source, inputs))
        )
        run = placed(line, here, source, inputs)
        complete = with_path_behind(run)
        typed = "" if run == complete else run
        is_folder = source is not None and source.is_dir() and not inputs and not conditions
        name = source.name if source is not None and is_folder else PLACE
        if run != line == run.replace(PLACE, name):
            typed = line
        lines = [(run, line), *zip(asked.lines, conditions.lines, strict=True)]
        files = frozenset[str]().union(*(files_in(made, as_given) for made, as_given in lines))
        given = tuple(sorted(files))
        return cls((complete,), str(here), typed, given, conditions=asked)

    @property
    def line(self) -> str:
        """The command line that runs the command on a candidate, whose place is `{}`."""
        return self.words[0]

    @property
    def lines(self) -> tuple[str, ...]:
        """The line, and the lines of its conditions."""
        return (*self.words, *self.conditions.lines)

    def without(self, outputs: Collection[str]) -> Self:
        """Return the test without copies of the files that the command makes itself."""
        left = tuple(path for path in self.given if path not in outputs)
        return replace(self.naming_here(outputs), given=left)

    def naming_here(self, paths: Collection[str]) -> Self:
        """Return the test with some paths in its lines made relative to the user's folder."""
        here = partial(as_named_here, paths=paths, folder=self.folder)
        conditions = self.conditions.with_lines(here)
        return replace(
            self, words=tuple(map(here, self.words)), typed=here(self.typed), conditions=conditions
        )

    def as_typed(self, source: Path) -> Self:
        """Return the test without an appended path, to run where the candidate is."""
        line = as_typed(self.typed, Path(self.folder), source)
        return replace(self, words=(line,), typed="")

    def line_for(self, result: Path, name: str) -> str:
        """Return the line with the path of the result filled in, or run where the result is."""
        line, path = self.words[0], quoted_word(str(result))
        if PLACE in line:
            return with_path(line, result)
        if result.is_dir():
            return f"cd {path} && {line}"
        return f'cd "$(mktemp -d)" && cp {path} {quoted_word(name)} && {line}'

    @property
    def looking_for(self) -> str:
        return self.conditions.told

    @property
    def path(self) -> Path:
        """The shell, because the line itself is not a file."""
        return Path(SHELL)

    @property
    def programs(self) -> tuple[str, ...]:
        named = (
            word for line in self.lines for _, word in shell_words(line) if word.startswith("/")
        )
        return tuple(dict.fromkeys((*named, *self.given)))

    def to_json(self) -> dict[str, Any]:
        values = UserTest.to_json(self)
        del values["typed"]
        return values

    @property
    def given_files(self) -> GivenFiles:
        """Makes the copies for each run, except of files that the lines only run as programs."""
        named = {word for line in self.lines for _, word in shell_words(line)}.intersection(
            self.given
        )
        copied = {path for path in named if not only_run(path, self.lines)}
        beside = frozenset(self.given) - named
        return GivenFiles(self.folder, copied, beside, frozenset(self._folders_of_words()))

    def _folders_of_words(self) -> Iterator[str]:
        """Yield the user's folders in relative paths of the lines, such as `-o build/x`."""
        for line in self.lines:
            for _, word in shell_words(line):
                folder = os.path.normpath(os.path.dirname(word))
                is_below = not folder.startswith(("/", "..")) and folder != "."
                if is_below and Path(self.folder, folder).is_dir():
                    yield folder

    def runner(self, folders: QueryFolders) -> Runner:
        return ShellRunner(self.line, self.conditions, folders, given=self.given_files)
