"""The user's own passes and repairs: functions, each in a process of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from nubbin.documents.edits import Edit, File
from nubbin.documents.recent import Recent
from nubbin.documents.spans import Replacement
from nubbin.journal.run_folders import KeptAnswers
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.processes.line_child import BadLine, LineChild, NoLine
from nubbin.passes.grain import Grain
from nubbin.passes.guard import UNGUARDED, Guard, PassFailed, repaired
from nubbin.passes.proposal import FilePass, Pass, Proposals
from nubbin.passes.syntactic import propose
from nubbin.passes.table import PLACES, FileView, Row
from nubbin.reduction.options import Options, word_for_pass
from nubbin_core.errors import OptionError
from nubbin_core.late import late
from nubbin_core.search.algorithm import IN_FILE, foreign

_other_reducer = late("nubbin.reduction.doors.other_reducer:OtherReducer")
_interpreter_for = late("nubbin.oracles.servers.python_test:interpreter_for")
_server_command = late("nubbin.oracles.servers.python_test:server_command")

#: The entry points by which installed packages offer passes.
GROUP = "nubbin.passes"

#: The word before @ for a function that repairs candidates, and does not propose edits.
_REPAIR = "repair"
_LIMIT_S = 300.0  # of an answer
_MAX_ANSWER_BYTES = 256 << 20
_MAX_REPAIRED_BYTES = 1 << 24  # of the candidates that are remembered with their repairs
#: The number of candidates on which a repair raises, before it repairs any, to be left out.
_MAX_RAISED = 32


def parted(given: str, usual: str, *others: str) -> tuple[str, str]:
    """Return the two parts of WHEN@WHAT, the value of an option; WHEN may be left out."""
    when, at, what = given.partition("@")
    return (when, what) if at and when in {*PLACES, *others} else (usual, given)


class GivenFunction(NamedTuple):
    """A value of --pass: when nubbin asks a function, and which one; see `Algorithm`."""

    when: str
    name: str
    title: str
    source: str

    @classmethod
    def of(cls, given: str | Callable[..., Any]) -> Self:
        """Return the meaning of a value; raises NubbinError if there is no such function."""
        when, name = parted(word_for_pass(given), "with", _REPAIR)
        try:
            return cls(when, *foreign(name, "pass", GROUP))
        except ValueError as error:
            raise OptionError(f"--pass: there is {error}.") from None

    @property
    def word(self) -> str:
        """The value with an absolute path, which is valid in any folder."""
        return f"{self.when}@{self.name}"


class _Answer(msgspec.Struct):
    edits: list[list[tuple[int, int, bytes]]] = []
    text: bytes | None = None
    error: str = ""


@dataclass
class GivenPass:
    """A pass of the user's own, in its process.

    The function is called once for each text. If it raises, takes too long or prints nonsense, the
    guard notes that, and nubbin does not call it again. Raises OptionError if it cannot be loaded.
    """

    given: GivenFunction
    language: str
    folders: QueryFolders
    answers: KeptAnswers
    guard: Guard
    is_off: bool = False
    _raised: int = 0
    _has_repaired: bool = False
    _repaired: Recent[bytes | None] = field(default_factory=lambda: Recent(_MAX_REPAIRED_BYTES))

    def __post_init__(self) -> None:
        name, folder = self.given.name, self.folders.workspace.new_folder()
        file = Path(name.rpartition(":")[0])
        python = _interpreter_for(file.parent, None) if IN_FILE in name else None
        try:
            self._child = LineChild(
                _server_command(python, "given_function", (name, self.language)),
                folder=os.getcwd(),  # noqa: PTH109 - as the user has it
                environment={**os.environb, b"TMPDIR": os.fsencode(folder)},
                max_bytes=_MAX_ANSWER_BYTES,
                start=partial(self.folders.supervisors.start, folder),
            )
        except OSError as error:
            raise OptionError(f"--pass: {self.given.title} cannot be loaded: {error}.") from None
        if why := self._ask().error:
            raise OptionError(f"--pass: {self.given.title} cannot be loaded: {why}.")

    def propose(self, file: File) -> Proposals[File]:
        """Yield the edits as one list, and those of the new text as long as some are accepted."""
        before = None
        while file != before and (edits := self._edits(file)):
            before = file
            file = yield propose(file, None, edits, tidy=False)

    def repaired(self, file: File) -> File | None:
        """Return the repaired file: as it was if the function raises, None if its process ended."""
        data = self._repaired.of(file.data, lambda data: self._repair(file))
        return file if data == file.data else None if data is None else file.with_data(data)

    def close(self) -> None:
        """End the process."""
        self.is_off = True
        self._child.close()

    def _edits(self, file: File) -> list[Edit]:
        told = f"{self.given.source}{self.given.title}\0{file.path}\0"
        key = sha256(os.fsencode(told) + file.data).hexdigest()
        line = self.answers.get(key)
        if line is None:
            answer = self._ask(path=file.path, data=file.data)
            self.answers.keep(key, msgspec.json.encode(answer))
        else:
            answer = msgspec.json.decode(line, type=_Answer)
        if answer.error:
            self.close()
            self._note(file, f"{answer.error}; it is not asked again")
        edits = [tuple(Replacement(*part) for part in group) for group in answer.edits]
        return [each for each in edits if sum(b - a - len(text) for a, b, text in each) > 0]

    def _repair(self, file: File) -> bytes | None:
        answer = self._ask(data=file.data, repair=True)
        self._has_repaired |= answer.text is not None
        self._raised += bool(answer.error)
        if self._raised == _MAX_RAISED and not self._has_repaired:
            self.close()
        self.guard.can_prove &= not self.is_off
        if answer.error:
            then = "the run ends" if self.is_off else "such candidates are tried as they are"
            self._note(file, f"{answer.error}; {then}", is_end=self.is_off)
        return None if self.is_off else file.data if answer.text is None else answer.text

    def _ask(self, **question: Any) -> _Answer:
        """Return the answer to a question, or an error, after which the process has ended."""
        if self.is_off:
            return _Answer()
        why = f"did not answer within {_LIMIT_S:g} s"
        try:
            line = self._child.ask(msgspec.json.encode(question), _LIMIT_S)
            if line is not None:
                return msgspec.json.decode(line, type=_Answer)
        except NoLine:
            why = "ended its process"
        except (BadLine, msgspec.DecodeError) as error:
            why = str(error)
        self.close()
        return _Answer(error=why)

    def _note(self, file: File, why: str, *, is_end: bool = False) -> None:
        self.guard.note(PassFailed(self.given.title, file.path, why, ""), is_end=is_end)


@dataclass(frozen=True, slots=True)
class Doors:
    """The rows of the user's passes, each with its place, and the user's repairs.

    The `guard` notes the errors of all passes.
    """

    guard: Guard = UNGUARDED
    rows: tuple[tuple[str, Row], ...] = ()
    repairs: tuple[GivenPass, ...] = ()
    answers: KeptAnswers = field(default_factory=KeptAnswers)

    def repaired(self, passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
        """Return passes that repair their candidates."""
        for each in self.repairs:
            passes = tuple(repaired(whole, each.repaired) for whole in passes)
        return passes

    def record(self, run: Path | None) -> None:
        """Keep the answers of the passes in the folder of a run, and use those that it has."""
        if run is not None and self.rows:
            self.answers.open(run)


CLOSED = Doors()


@contextmanager
def open_doors(options: Options, width: Callable[[], int] | None = None) -> Iterator[Doors]:
    """Start the user's passes for the block; end their processes, and other reducers, after it.

    `width` returns how many queries other reducers may ask at once. Without it, only repairs are
    started. Raises NubbinError if a pass cannot be loaded.
    """
    given = [GivenFunction.of(each) for each in options.passes]
    given = [each for each in given if width or each.when == _REPAIR]
    others = options.reduce_with if width else ()
    guard = Guard()
    if not given and not others:
        yield Doors(guard)
        return
    with ExitStack() as stack:
        answers = KeptAnswers()
        stack.callback(answers.close)
        folders = QueryFolders()
        stack.callback(folders.close)
        rows, repairs = [], []
        for each in given:
            made = GivenPass(each, options.format or "", folders, answers, guard)
            stack.callback(made.close)
            if each.when == _REPAIR:
                repairs.append(made)
            else:
                rows.append((each.when, _row(each.title, made.propose)))
        for when, command in (parted(each, "last") for each in others):
            assert width is not None
            other = _other_reducer(command, folders, width, guard)
            rows.append(("first", _row(other.name, other.propose, waits=when != "first")))
        yield Doors(guard, tuple(rows), tuple(repairs), answers)


def _row(name: str, propose: FilePass, *, waits: bool = False) -> Row:
    return Row(name, Grain.TREE, FileView.always, lambda view: propose, waits=waits)
