"""The outcome of a reduction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.sizes import Sizes
from nubbin.reduction.result.drift import Printed
from nubbin_core.search.trials import Trials
from nubbin_core.search.verdict_cache import Count

#: Reasons for an end before the test was run on the result again: that is only the best so far.
BROKEN_OFF = frozenset({"interrupted", "workers-lost"})


@dataclass(frozen=True, slots=True, repr=False)
class Reduction:
    """The outcome of a reduction.

    `files` are the contents of the result by path, as written to `output`. `queries` counts the
    answers that a minimizer needed, `by_kind` counts them by kind; `runs` counts all executions of
    the test, with those of the checks and of speculation. `reason` is `fixpoint`, `max-queries`,
    `max-time`, `target-size`, `stopped`, `interrupted` or `workers-lost`. `minimal` is True when
    every single removal from the result was really run and refused: of each file of a folder and
    member of a container, and of each piece at the finest level asked for; `pieces` names these
    (`("a file", "a character")`). In `files` a symbolic link is a `Link`, the bytes of its target.

    `flaky` tells whether the test was seen to answer the same question differently. `reproduced` is
    what the last runs of all said of the result. `others` counts the other bugs in the folder
    `other` of the run. `pretty` is the path of the readable copy, if there is one. `printed` is
    what the test prints of the failure; None if that is nothing for the input, or if the test is
    flaky. `line` is the command line that shows it, if the test is one. `shown` is the text of a
    small result with line breaks, for a screen; the test was not asked about these. Of a reduction
    that was broken off, or whose time was over by then, `reproduced`, `pretty` and `printed` are
    None, and `shown` may be. `run` is the folder of the journal, if there is one. `cause` says what
    became of workers that are lost. The result is `unbalanced` if its brackets do not balance, and
    those of the input do. `words` is the path of the table of an obfuscated result, None if nothing
    was replaced; the result is `exposed` if the run ended before all was tried that can be.
    """

    output: Path
    files: dict[str, bytes]
    before: Sizes
    after: Sizes
    queries: int
    runs: int
    by_kind: dict[str, Count]
    seconds: float
    algorithm: str
    reason: str
    minimal: bool
    pieces: tuple[str, ...]
    flaky: bool
    reproduced: Trials | None
    others: int
    pretty: Path | None
    printed: Printed | None
    line: str | None
    shown: str | None
    run: Path | None
    cause: str | None = None
    unbalanced: bool = False
    words: Path | None = None
    exposed: bool = False

    def __repr__(self) -> str:
        """Fit a line or two, however large the result is."""
        return (
            f"Reduction(output={str(self.output)!r}, bytes={self.before.bytes} -> "
            f"{self.after.bytes}, queries={self.queries}, reason={self.reason!r}, "
            f"minimal={self.minimal})"
        )

    @property
    def data(self) -> bytes:
        """The bytes of the result if it is one file; ValueError if it is not."""
        (data,) = self.files.values()
        return data
