"""What a user puts into a reduction: passes and repairs of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nubbin.journal.pass_answers import PassAnswers
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.passes.grain import Grain
from nubbin.passes.guard import Guard
from nubbin.passes.proposal import FilePass, Pass
from nubbin.passes.repaired import repaired
from nubbin.passes.table import FileView, Row
from nubbin.reduction.doors.given_pass import Given, GivenPass
from nubbin.reduction.doors.other_reducer import OtherReducer, parted
from nubbin.reduction.options import Options


@dataclass(frozen=True, slots=True)
class Doors:
    """The rows of the user's passes, each with its place, and what repairs candidates."""

    rows: tuple[tuple[str, Row], ...] = ()
    repairs: tuple[GivenPass, ...] = ()
    answers: PassAnswers = field(default_factory=PassAnswers)

    def repaired(self, passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
        """Return passes whose candidates are repaired."""
        for each in self.repairs:
            passes = tuple(repaired(whole, each.repaired) for whole in passes)
        return passes

    def record(self, run: Path | None) -> None:
        """Keep what the passes answer in the folder of a run, and take from it what is there."""
        if run is not None and self.rows:
            self.answers.open(run)


CLOSED = Doors()


@contextmanager
def open_doors(
    options: Options, guard: Guard, width: Callable[[], int] | None = None
) -> Iterator[Doors]:
    """Start the passes of the user, and end with the block what runs for them and other reducers.

    `width` returns how many questions other reducers may ask at once. Without it, only repairs are
    started. Raises NubbinError if a pass cannot be loaded.
    """
    given = [Given.of(each) for each in options.passes]
    given = [each for each in given if each.repairs or width]
    others = list(map(parted, options.reduce_with))
    if not given and not (width and others):
        yield CLOSED
        return
    with ExitStack() as stack:
        answers = PassAnswers()
        stack.callback(answers.close)
        folders = QueryFolders()
        stack.callback(folders.close)
        rows, repairs = [], []
        for each in given:
            made = GivenPass(each, options.format or "", folders, answers, guard)
            stack.callback(made.close)
            if each.repairs:
                repairs.append(made)
            else:
                rows.append((each.when, _row(each.title, made.propose)))
        if width is not None:
            outside = (
                (when, OtherReducer(command, folders, width, guard)) for when, command in others
            )
            rows += [(when, _row(each.name, each.propose)) for when, each in outside]
        yield Doors(tuple(rows), tuple(repairs), answers)


def _row(name: str, propose: FilePass) -> Row:
    """Return the row of a pass that is for all files."""
    return Row(name, Grain.TREE, FileView.always, lambda view: propose)
