"""The outcome of a reduction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nubbin.documents.sizes import Sizes
from nubbin.reduction.result.drift import Printed
from nubbin_core.search.trials import Trials
from nubbin_core.search.verdict_cache import Count


@dataclass(frozen=True, slots=True, repr=False)
class Reduction:
    """The outcome of a reduction.

    `files` are the contents of the result by path, as written to `output`; a symbolic link is a
    `Link`, the bytes of its target. `queries` counts the answers that a minimizer needed, `by_kind`
    by their kinds, and `runs` all executions of the test. `reason` is that of `Finished`. `minimal`
    is True if the test really ran on every single removal from the result, and rejected it; the
    removals were of `pieces`, such as `("a file", "a character")`. `cause` says what became of lost
    workers.

    `flaky` tells whether runs on the same candidate disagreed, and `reproduced` has the last runs
    on the result. `others` counts the other bugs in the folder `other` of the run, which is in
    `run`. `pretty` is the path of the readable copy. `printed` compares the failures that the test
    prints; None if it prints none for the input, or is flaky. `line` is the command line that shows
    the failure. `shown` is the text of a small result with line breaks. If the reduction was broken
    off or its time was over, `reproduced`, `pretty` and `printed` are None, and `shown` may be.

    The result is `unbalanced` if its brackets do not balance, and those of the input do. `words` is
    the path of the table of an obfuscated result; `exposed`: the run ended before it was finished.
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
