"""Passes over several files: held to the rules of a pass, and what each of them proposes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Structure
from nubbin.passes.folders.entries import entries
from nubbin.passes.folders.files import files, merging, single_files
from nubbin.passes.nodes.subtrees import large_parts, long_lists
from nubbin.passes.proposal import Proposal, Proposals, next_proposal
from nubbin.passes.table import FileView
from nubbin.passes.words.names import names_across
from nubbin.reduction.pipeline import passes_for
from nubbin_core.minimizers import EMPTY, Subset

TABLE = b"colours = [\n" + b"".join(b"    'colour %d',\n" % i for i in range(20)) + b"]\n"
PROJECT = Document(
    "app",
    (
        File("app/README", b"An app, with brackets (here)\n"),
        File("app/main.py", b"import os\nimport shapes\n\nshapes.draw(width, os)\n"),
        File("app/shapes.py", b"import os\nimport tables\n\ndef draw(width, other):\n    pass\n"),
        File("app/tables.py", TABLE),
        File("app/x/__init__.py", b""),
        File("app/y/__init__.py", b"import x\n"),
        *(File(f"app/z/note-{each}.txt", b"100\n") for each in "abcdefghijkl"),
    ),
)
Propose = Callable[..., Proposals[Document]]
PASSES = (entries, files, large_parts, long_lists, merging, names_across, single_files)
every_pass = pytest.mark.parametrize("each", PASSES, ids=lambda each: each.__name__)


def structures(document: Document) -> Mapping[str, Structure]:
    views = [FileView(file) for file in document.files]
    return {view.file.path: view.syntax or view.outline for view in views}


def on(each: Propose, document: Document = PROJECT) -> Propose:
    return each if each is single_files else partial(each, structures=structures(document))


def lists(
    each: Propose, document: Document, seed: int
) -> Iterator[tuple[Document, Proposal[Document]]]:
    """Yield the proposals of a pass with the documents they were made for, chosen by chance."""
    chance = random.Random(seed)
    running = each(document)
    proposal = next_proposal(running)
    while proposal is not None:
        yield document, proposal
        out = proposal.render(some(proposal.size, chance))
        if chance.random() < 0.7 and out.extent < document.extent:
            document = out
        proposal = next_proposal(running, document)


def some(size: int, chance: random.Random) -> Subset:
    share = chance.random()
    return Subset.of([i for i in range(size) if chance.random() < share])


def is_longer(one: Document, other: Document) -> bool:
    """Tell whether a document is longer, and not only by spaces, which keep words apart."""
    spaces = [sum(file.data.count(b" ") for file in each.files) for each in (one, other)]
    return one.extent - other.extent > max(0, spaces[0] - spaces[1])


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """The project, with a file that is broken, and perhaps some that have gone."""
    gone = draw(st.sets(st.integers(0, len(PROJECT.files) - 1)))
    document = PROJECT.only(lambda file: PROJECT.files.index(file) not in gone)
    at, length = draw(st.integers(0, 60)), draw(st.integers(0, 8))
    junk = draw(st.binary(max_size=length))
    return document.each(
        lambda file: file.with_data(file.data[:at] + junk + file.data[at + length :])
    )


@every_pass
def test_each_proposes_something(each: Propose) -> None:
    assert next_proposal(on(each)(PROJECT))


@every_pass
@given(document=documents(), seed=st.integers(0, 99))
@example(document=Document("app", (File("app/x/__init__.py", b""),)), seed=0)
@examples(25)
def test_each_keeps_the_rules_of_a_pass(each: Propose, document: Document, seed: int) -> None:
    chance = random.Random(seed)
    for before, proposal in lists(on(each), document, seed):
        everything = Subset.full(proposal.size)
        assert proposal.size > 0
        assert proposal.render(everything) == before
        assert proposal.is_plausible(everything)
        assert proposal.render(EMPTY) != before
        assert len(proposal.weights) == proposal.size
        assert all(1 <= weight <= before.extent for weight in proposal.weights)
        for i in range(proposal.size):
            assert not is_longer(proposal.render(everything.without(i, i + 1)), before)
        left = proposal.render(some(proposal.size, chance))
        assert {file.path for file in left.files} <= {file.path for file in before.files}


@every_pass
@given(document=documents(), other=documents(), seed=st.integers(0, 99))
@examples(15)
def test_each_depends_on_the_documents_alone(
    each: Propose, document: Document, other: Document, seed: int
) -> None:
    seasoned = on(each)
    list(lists(seasoned, other, seed))
    again, first = lists(seasoned, document, seed), lists(on(each), document, seed)
    for (_, one), (_, two) in zip(again, first, strict=True):
        assert list(one.weights) == list(two.weights)
        assert one.render(EMPTY) == two.render(EMPTY)


def test_only_comments_are_of_a_single_file_too() -> None:
    alone = {each.name for each in passes_for(Document.single("a.py", TABLE * 2))}
    across = {each.name for each in passes_for(PROJECT) if each.row is None}
    assert len(across) > len(PASSES)
    assert alone & across == {"comments"}


def alone(each: Propose, document: Document, index: int, skipped: int = 0) -> dict[str, bytes]:
    """Return the files after one edit of the first list, or a later one, that skips nothing."""
    running = each(document)
    proposal = next_proposal(running)
    for _ in range(skipped):
        proposal = next_proposal(running, document)
    assert proposal
    return proposal.render(Subset.full(proposal.size).without(index, index + 1)).contents


def test_files_that_nobody_names_go_and_others_are_emptied() -> None:
    left = next(on(files)(PROJECT)).render(EMPTY).contents
    assert left == dict.fromkeys(["app/shapes.py", "app/tables.py", "app/x/__init__.py"], b"")


def test_empty_files_go_at_once_and_then_files_with_what_names_them() -> None:
    assert "app/x/__init__.py" not in alone(on(files), PROJECT, 0, skipped=1)
    left = alone(on(files), PROJECT, 2, skipped=2)
    assert "app/shapes.py" not in left
    assert left["app/main.py"].strip() == b"import os"


def test_a_file_is_written_where_it_is_named() -> None:
    left = alone(on(merging), PROJECT, 0)
    assert left["app/shapes.py"] == b"import os\n" + TABLE + PROJECT.contents["app/shapes.py"][24:]
    assert "app/tables.py" not in left


def test_a_name_gets_one_letter_in_all_files() -> None:
    renamed = next(on(names_across)(PROJECT)).render(EMPTY).contents
    assert renamed["app/main.py"].endswith(b"shapes.b(a, c)\n")
    assert b"def b(a, other)" in renamed["app/shapes.py"]


def test_the_elements_of_a_long_list_are_one_list() -> None:
    proposal = next(on(long_lists)(PROJECT))
    assert proposal.size == 20
    assert proposal.render(EMPTY).contents["app/tables.py"].split() == [
        b"colours",
        b"=",
        b"[",
        b"]",
    ]


def test_large_parts_are_large_for_the_folder() -> None:
    large = next(on(large_parts)(PROJECT)).render(EMPTY).contents
    assert large == {**PROJECT.contents, "app/tables.py": b""}
