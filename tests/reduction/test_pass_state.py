"""Passes are asked ahead of time, about what may never come: nothing shows that they were."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.passes.proposal import Pass, Proposal
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.schedule import PassState
from nubbin_core.minimizers import Subset
from snippets import SNIPPETS

ORIGINAL = Document.single("input", SNIPPETS["c"])
PASSES = [
    each.name
    for each in passes_for(ORIGINAL, language="c")
    if PassState.begin(each, ORIGINAL).proposal is not None
]


def the_pass(name: str) -> Pass:
    """Return a pass that has seen nothing yet."""
    (found,) = (each for each in passes_for(ORIGINAL, language="c") if each.name == name)
    return found


def singles(proposal: Proposal[Document] | None) -> list[Document]:
    """Return what each edit of a list alone makes of its document; nothing of no list."""
    if proposal is None:
        return []
    everything = Subset.full(proposal.size)
    return [proposal.render(everything.without(at, at + 1)) for at in range(proposal.size)]


@pytest.mark.parametrize("name", PASSES)
def test_a_turn_goes_on_from_any_outcome(name: str) -> None:
    turn = PassState.begin(the_pass(name), ORIGINAL)
    outcomes = [ORIGINAL, *singles(turn.proposal)[:2]]
    for outcome in outcomes * 2:
        again = PassState.begin(the_pass(name), ORIGINAL)
        assert singles(turn.tell(outcome).proposal) == singles(again.tell(outcome).proposal)


@pytest.mark.parametrize("name", PASSES)
def test_what_a_pass_has_seen_changes_nothing(name: str) -> None:
    seasoned = the_pass(name)
    for language in ("c", "cpp", "java"):
        PassState.begin(seasoned, Document.single("input", SNIPPETS[language]))
    begun = PassState.begin(seasoned, ORIGINAL)
    assert singles(begun.proposal) == singles(PassState.begin(the_pass(name), ORIGINAL).proposal)


FOLDER = Document(
    "p",
    (
        File("p/main.c", b'#include "a.h"\n' + SNIPPETS["c"]),
        File("p/a.h", b"int a(int b) { return b + 1; } // why\n"),
        File("p/read.json", SNIPPETS["json"]),
        *(File(f"p/{n}.py", b"import p.%d\n" % (n + 1) + SNIPPETS["python"]) for n in range(6)),
    ),
)


@given(st.integers(0, 1 << 32))
@examples(10)
def test_a_pass_over_a_folder_goes_on_when_other_passes_removed_files(seed: int) -> None:
    chance = random.Random(seed)
    for each in passes_for(FOLDER):
        document, lists = FOLDER, 0
        state = PassState.begin(each, document)
        while state.proposal is not None and lists < 50:
            document = document.only(lambda file: chance.random() < 0.8)
            kept = [at for at in range(state.proposal.size) if chance.random() < 0.5]
            state.proposal.render(Subset.of(kept))
            state, lists = state.tell(document), lists + 1
        assert lists < 50
