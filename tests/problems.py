"""Problems to minimise, and a driver that holds a minimizer to its contract."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st

from nubbin_core.minimizers import EMPTY, Minimizer, Query, Subset

Interesting = Callable[[Subset], bool]


@dataclass
class Trace:
    """What a minimizer did: every query with its answer, and where it ended."""

    kept: Subset = EMPTY
    queries: list[Query] = field(default_factory=list)
    answers: list[bool] = field(default_factory=list)

    @property
    def asked(self) -> list[list[int]]:
        return [list(query.kept) for query in self.queries]

    @property
    def kinds(self) -> list[str]:
        return [query.kind for query in self.queries]

    @property
    def outcomes(self) -> str:
        return "".join("FT"[answer] for answer in self.answers)


def drive(state: Minimizer, interesting: Interesting) -> Trace:
    """Run a minimizer to its end, checking each of its steps.

    Every question is a proper subset of the list, both asking and telling are pure, and what is
    kept next is kept already, or is smaller and was just found interesting.
    """
    trace, whole = Trace(), state.kept
    while wave := state.ask():
        assert state.ask() == wave
        assert all(query.kept < whole and query.kind for query in wave)
        assert all(query.chance is None or 0 <= query.chance <= 1 for query in wave)
        answers = tuple(interesting(query.kept) for query in wave)
        trace.queries.extend(wave)
        trace.answers.extend(answers)
        found = {query.kept for query, answer in zip(wave, answers, strict=True) if answer}
        after = state.tell(answers)
        again = state.tell(answers)
        assert (after.kept, after.ask()) == (again.kept, again.ask())
        assert after.kept == state.kept or after.kept in found
        assert len(after.kept) < len(state.kept) or after.kept == state.kept
        assert state.ask() == wave
        state = after
    trace.kept = state.kept
    return trace


@dataclass(frozen=True)
class Needs:
    """Interesting with all of any one of these sets: a monotone problem."""

    sets: tuple[frozenset[int], ...]

    def __call__(self, kept: Subset) -> bool:
        return any(needed <= set(kept) for needed in self.sets)


@dataclass(frozen=True)
class Chain:
    """Interesting while each element kept has the one it leans on, and the goal is kept."""

    leans_on: tuple[int, ...]
    goal: int

    def __call__(self, kept: Subset) -> bool:
        held = set(kept)
        return self.goal in held and all(self.leans_on[i] in held for i in held)


@dataclass(frozen=True)
class Noise:
    """Interesting at random, one time in `odds`; always in full, never empty."""

    size: int
    odds: int
    seed: int

    def __call__(self, kept: Subset) -> bool:
        mixed = (kept.digest ^ self.seed * 0x9E3779B97F4A7C15) % 0xFFFFFFFFFFFFFFC5
        return len(kept) == self.size or (bool(kept) and mixed % self.odds == 0)


Problem = tuple[int, Interesting]
sizes = st.integers(1, 14)


@st.composite
def unique(draw: st.DrawFn, sizes: st.SearchStrategy[int] = sizes) -> tuple[int, frozenset[int]]:
    """A number of elements and the essential ones among them."""
    size = draw(sizes)
    return size, draw(st.frozensets(st.integers(0, size - 1), min_size=1))


@st.composite
def monotone(draw: st.DrawFn) -> Problem:
    """Several minimal sets."""
    size = draw(sizes)
    some = st.frozensets(st.integers(0, size - 1), min_size=1)
    return size, Needs(tuple(draw(st.lists(some, min_size=1, max_size=4))))


@st.composite
def dependent(draw: st.DrawFn) -> Problem:
    """Every element leans on itself or one other, whichever way."""
    size = draw(sizes)
    index = st.integers(0, size - 1)
    return size, Chain(tuple(draw(st.lists(index, min_size=size, max_size=size))), draw(index))


@st.composite
def noisy(draw: st.DrawFn) -> Problem:
    """No structure at all."""
    size = draw(sizes)
    return size, Noise(size, draw(st.integers(2, 6)), draw(st.integers(0, 2**32)))


problems = st.one_of(monotone(), dependent(), noisy())
