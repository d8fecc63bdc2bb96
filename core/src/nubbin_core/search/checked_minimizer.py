"""A foreign algorithm, checked against the contract of minimizers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, NoReturn

from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import Belief, Minimizer, Query, Settings, Start, Subset, learned

#: An algorithm may repeat a query. If this many waves in a row, and this many more for each element
#: of the list, only repeat queries, the algorithm never ends.
_MAX_REPEATED_WAVES = 1_000
_MAX_REPEATED_WAVES_PER_ELEMENT = 100


class AlgorithmError(NubbinError):
    """A foreign algorithm cannot be loaded, or breaks the contract."""


@contextmanager
def blaming(title: str, doing: str) -> Iterator[None]:
    """Raise AlgorithmError for any error that foreign code raises in the block.

    The message names the last line of the foreign code; the error's cause has the traceback.
    """
    try:
        yield
    except AlgorithmError:
        raise
    except (Exception, SystemExit) as error:
        import traceback  # noqa: PLC0415 - only here
        from pathlib import Path  # noqa: PLC0415 - only here

        nubbin = Path(__file__).parents[1]
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [
            each
            for each in frames
            if not Path(each.filename).is_relative_to(nubbin) and "importlib" not in each.filename
        ]
        place = f" ({theirs[-1].filename}, line {theirs[-1].lineno})" if theirs else ""
        raise AlgorithmError(
            f"The algorithm {title} fails when {doing}: {type(error).__name__}: {error}{place}"
        ) from error


class CheckedMinimizer(NamedTuple):
    """Passes on the queries and subsets of a foreign algorithm, and checks each.

    Raises AlgorithmError if the algorithm

    - raises any error,
    - asks something else than queries about subsets of its list,
    - keeps something else than the last subset or a smaller one that was interesting, or
    - does not end although it asks nothing new.
    """

    title: str
    everything: Subset
    state: Minimizer
    kept: Subset
    #: Digests of the subsets of all queries so far; each set is larger than the next.
    asked: tuple[frozenset[int], ...] = ()
    repeated: int = 0  # the waves in a row that asked nothing new

    @classmethod
    def start(
        cls, title: str, begin: Start, everything: Subset, settings: Settings
    ) -> CheckedMinimizer:
        """Start an algorithm on a list."""
        with blaming(title, "it starts"):
            state = begin(everything, settings)
            checked = cls(title, everything, state, everything)
            if state.kept != everything:
                checked._blame(f"at first it keeps {_shown(state.kept)}, not the whole list")
        return checked

    @property
    def learned(self) -> Belief | None:
        """The algorithm's belief about similar lists, if it has one."""
        return learned(self.state)

    def ask(self) -> tuple[Query, ...]:
        """Return the algorithm's queries."""
        with blaming(self.title, "it chooses queries"):
            wave = self.state.ask()
            if not isinstance(wave, tuple) or not all(isinstance(each, Query) for each in wave):
                self._blame(f"ask() returns {_shown(wave)}, not a tuple of queries")
            for each in wave:
                if not isinstance(each.kept, Subset) or not each.kept <= self.everything:
                    self._blame(
                        f"it asks about {_shown(each.kept)}, not about a subset of its list"
                    )
                if not isinstance(each.kind, str):
                    self._blame(f"the kind of a query is {_shown(each.kind)}, not a str")
                if each.chance is not None and not 0 <= each.chance <= 1:
                    self._blame(f"the chance of a query is {_shown(each.chance)}, not from 0 to 1")
        return wave

    def tell(self, answers: tuple[bool, ...]) -> CheckedMinimizer:
        """Pass on the answers, and check the subset that the algorithm keeps."""
        wave = self.ask()
        asked, new = self.asked, False
        for query in wave:
            if not any(query.kept.digest in each for each in asked):
                asked, new = _added(asked, query.kept.digest), True
        repeated = 0 if new else self.repeated + 1
        limit = _MAX_REPEATED_WAVES + _MAX_REPEATED_WAVES_PER_ELEMENT * len(self.everything)
        if repeated > limit:
            self._blame(
                f"it does not end: the last {limit:,} times it asked nothing that it had not asked "
                f"before of its {len(self.everything):,} elements"
            )
        with blaming(self.title, "it reads the answers"):
            state = self.state.tell(answers)
            kept = state.kept
            interesting = [each.kept for each, yes in zip(wave, answers, strict=True) if yes]
            if kept != self.kept and (kept not in interesting or len(kept) >= len(self.kept)):
                self._blame(
                    f"it keeps {_shown(kept)} after {len(self.kept):,}, not the subset of before "
                    "or a smaller one that these answers found interesting"
                )
        return self._replace(state=state, kept=kept, asked=asked, repeated=repeated)

    def _blame(self, fault: str) -> NoReturn:
        raise AlgorithmError(
            f"The algorithm {self.title} breaks the contract of minimizers: {fault}. See "
            "docs/new-algorithm.md."
        )


def _added(sets: tuple[frozenset[int], ...], digest: int) -> tuple[frozenset[int], ...]:
    """Add a digest to the sets; each digest is copied a logarithmic number of times."""
    last = frozenset({digest})
    while sets and len(sets[-1]) <= len(last):
        *rest, smaller = sets
        sets, last = tuple(rest), last | smaller
    return (*sets, last)


def _shown(value: object) -> str:
    if isinstance(value, Subset):
        return f"{len(value):,} elements"
    return repr(value)[:80]
