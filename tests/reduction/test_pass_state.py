"""Passes are asked ahead of time, about what may never come: nothing shows that they were."""

from __future__ import annotations

import pytest

from nubbin.documents.document import Document
from nubbin.minimizers import Subset
from nubbin.passes.proposal import Pass, Proposal
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.schedule import PassState
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
