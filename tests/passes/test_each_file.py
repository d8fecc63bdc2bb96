"""A joint list: edits of different files are one list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.outlines import pieces
from nubbin.passes.each_file import each_file, propose_across
from nubbin.passes.flat import flat
from nubbin.passes.proposal import Proposals, next_proposal
from nubbin_core.minimizers import EMPTY, Subset

DOCUMENT = Document(
    "p", (File("p/a/b/1", b"one\ntwo\n"), File("p/a/2", b""), File("p/c/3", b"x\ny\nz\n"))
)


@given(st.data())
def test_a_joint_list_edits_each_file_as_its_own_would(data: st.DataObject) -> None:
    lines = each_file("lines", {file.path: flat(pieces.lines) for file in DOCUMENT.files})
    proposal = next(lines.propose(DOCUMENT))
    assert proposal.size == 5
    kept = data.draw(st.sets(st.integers(0, 4)))
    left = proposal.render(Subset.of(kept)).contents
    assert left["p/a/b/1"] == b"".join(
        line for i, line in enumerate([b"one\n", b"two\n"]) if i in kept
    )
    assert left["p/c/3"] == b"".join(
        line for i, line in enumerate([b"x\n", b"y\n", b"z\n"], 2) if i in kept
    )


def test_a_list_without_edits_is_passed_over() -> None:
    def deletes(document: Document) -> Proposals[Document]:
        for edits in ([], [{"p/a/2": None}], [], [{"p/c/3": None}], []):
            sent.append(document)
            document = yield propose_across(document, {}, edits)

    sent: list[Document] = []
    running = deletes(DOCUMENT)
    first = next_proposal(running)
    assert first is not None
    second = next_proposal(running, came_out := first.render(EMPTY))
    assert second is not None
    assert [*second.render(EMPTY).data] == ["p/a/b/1"]
    assert next_proposal(running, came_out) is None
    assert sent == [DOCUMENT, DOCUMENT, came_out, came_out, came_out]
