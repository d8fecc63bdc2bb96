"""Equal edits are one query, then halves of them."""

from __future__ import annotations

from collections.abc import Callable

from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.nodes.bodies import bodies
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import Subset

MEMBERS = b"".join(
    b"template <class T> A<T>::A() : n(%d) { n += 2; n += 3; }\n" % n for n in range(40)
)
CONSTANTS = b"".join(b"constexpr int c%d() { return 1000 + 1000; }\n" % n for n in range(40))


def groups(text: bytes, language: str, accepts: Callable[[bytes], bool]) -> tuple[int, bytes]:
    """Return how many groups are tried one by one until single bodies are, and what came out."""
    file, tried = File("input", text), 0
    running = bodies(file, Gate(Syntax(language)))
    proposal = next_proposal(running)
    while proposal is not None and proposal.size < 32:
        kept = Subset.full(proposal.size)
        for at in reversed(range(proposal.size)):
            tried += 1
            less = kept - Subset.of([at])
            kept = less if accepts(proposal.render(less).data) else kept
        file = proposal.render(kept)
        proposal = next_proposal(running, file)
    return tried, file.data


def test_members_outside_of_their_class_are_removed_in_one_query() -> None:
    assert groups(MEMBERS, "cpp", lambda data: True) == (1, b"")


def test_a_definition_becomes_a_declaration_without_its_initializers() -> None:
    text = MEMBERS.replace(b"A<T>::A", b"A")
    _, left = groups(text, "cpp", lambda data: True)
    assert left == b"template <class T> A() ;\n" * 40


def test_of_a_kind_that_is_needed_parts_are_removed() -> None:
    needed = b"c7() { return"
    tried, left = groups(CONSTANTS, "cpp", lambda data: needed in data)
    assert tried <= 16  # two groups for each halving, down to one of 40
    assert left.count(b"{") == 1
