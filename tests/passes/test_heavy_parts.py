"""Parts by weight: only after the end of a long level had to stay, and the heaviest first."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.nodes.heavy_parts import heavy_parts
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import Subset

FUNCTIONS = 600


def function(i: int) -> str:
    """Return a function; the larger `i`, the longer."""
    return f"int f{i}(int a) {{ {'g(a); ' * (1 + i // 8)}return {i}; }}\n"


PROGRAM = File("a.c", "".join(map(function, range(FUNCTIONS))).encode())


def driven(file: File, interesting: Callable[[bytes], bool]) -> tuple[list[int], File]:
    """Run the pass, and delete one element after the other; return the sizes of its lists."""
    running = heavy_parts(file, Gate(Syntax("c")))
    sizes: list[int] = []
    proposal = next_proposal(running)
    while proposal is not None:
        sizes.append(proposal.size)
        kept = Subset.full(proposal.size)
        for i in reversed(range(proposal.size)):
            fewer = kept.without(kept.rank(i), kept.rank(i + 1))
            kept = fewer if interesting(proposal.render(fewer).data) else kept
        file = proposal.render(kept)
        proposal = next_proposal(running, file)
    return sizes, file


def test_a_level_that_can_go_is_left_to_the_levels() -> None:
    sizes, file = driven(PROGRAM, lambda data: b"f17(" in data)
    assert sizes == [64]
    assert file.data.count(b"int f") == FUNCTIONS - 64


def test_a_short_level_is_not_asked_about() -> None:
    assert driven(File("a.c", function(1).encode() * 511), lambda _: True)[0] == []


def test_bodies_go_by_weight_if_functions_have_to_stay() -> None:
    left = [len(PROGRAM.data)]

    def interesting(data: bytes) -> bool:
        holds = data.count(b"int f") == FUNCTIONS and b"return 599;" in data
        left.extend([len(data)] if holds else [])
        return holds

    _, file = driven(PROGRAM, interesting)
    assert file.data.count(b"{}") > FUNCTIONS * 9 // 10
    gone = [before - after for before, after in pairwise(left)]
    assert all(later < 2 * earlier for earlier, later in pairwise(gone))
    assert gone[0] > 4 * gone[-1]


@pytest.mark.nightly
def test_what_holds_a_body_that_has_to_stay_is_not_asked_about() -> None:
    asked: list[bytes] = []

    def interesting(data: bytes) -> bool:
        asked.append(data)
        return data.count(b"return") == FUNCTIONS

    driven(PROGRAM, interesting)
    assert all(data.count(b"int f") == FUNCTIONS for data in asked[64:])
