"""A result that is called 1-minimal has no file that can go, and no container."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from containers import zipped
from examples import examples
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.passes.folders.files import files, single_files
from nubbin.passes.proposal import next_proposal
from nubbin.reduction.pass_problem import Plan
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.recorded.inspection import verify
from nubbin.reduction.reduce import reduce
from nubbin.reduction.reducer import Reducer
from nubbin.reduction.run_job import Reduction
from nubbin.report.page.markdown import markdown
from nubbin.report.page.recording import Recording
from nubbin.report.summary import outcome_of_result
from nubbin_core.minimizers import EMPTY, Subset
from nubbin_core.search.budget import Budget
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.search.search import Search
from nubbin_core.verdict import Answer, Verdict

Script = Callable[..., Path]

MAKEFILE = """\
OBJS = main.o
OBJS += aliens.o
OBJS += view.o
game: $(OBJS)
	$(CC) -o game $(OBJS)
main.o: main.c view.h
"""
#: Several files define `aliens`, as happened to many programs when compilers began to mind.
GAME = {
    "Makefile": MAKEFILE,
    "main.c": '#include "view.h"\nint main(void) { draw(); return 0; }\n',
    "aliens.h": "struct alien { int x; } aliens[9];\nvoid init_aliens(void);\n",
    "aliens.c": '#include "aliens.h"\nvoid init_aliens(void) { aliens[0].x = 1; }\n',
    "view.h": "void draw(void);\n",
    "view.c": '#include "view.h"\n#include "aliens.h"\nvoid draw(void) { init_aliens(); }\n',
}


def without_each(found: Reduction, test: Path) -> Mapping[str, bool]:
    """Delete each file of a result alone, and tell for which the test is interesting."""
    said: dict[str, bool] = {}
    for path in found.files:
        with tempfile.TemporaryDirectory() as folder:
            for other, data in found.files.items():
                place = Path(folder) / other
                place.parent.mkdir(parents=True, exist_ok=True)
                if other != path:
                    place.write_bytes(data)
            said[path] = subprocess.run([test], cwd=folder, check=False).returncode == 0
    return said


@pytest.mark.skipif(not (shutil.which("make") and shutil.which("cc")), reason="compiles C")
def test_no_file_of_a_program_in_c_can_go(script: Script, tmp_path: Path) -> None:
    project = tmp_path / "work" / "game"
    project.mkdir(parents=True)
    for name, text in GAME.items():
        (project / name).write_text(text)
    test = script("make -s -C game 2>&1 | grep -q 'multiple definition of .aliens'")
    run = tmp_path / "run"
    found = reduce(test, project, smallest="lines", record=run)
    assert found.minimal
    assert found.pieces == ("a file", "a line")
    assert without_each(found, test) == dict.fromkeys(found.files, False)
    assert verify(run).holds
    assert "without all of game/Makefile" in markdown(Recording.of(run), full=True)


def test_what_was_needed_only_for_its_name_goes_with_that(script: Script, tmp_path: Path) -> None:
    """Files are emptied while a list names them; by the time that it does not, they are empty."""
    folder = tmp_path / "p"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / name).write_text(f"What {name} says.\n")
    (folder / "list").write_text("core one two three\n")
    (folder / "core").write_text("a line of nothing\n" * 99 + "bug\n")  # so that it pays no more
    named = "for each in $(cat p/list); do [ -e p/$each ] || exit 1; done"
    found = reduce(script(f"grep -q bug p/core && grep -q core p/list && {named}"), folder)
    assert found.minimal
    assert found.files == {"p/core": b"bug", "p/list": b"core"}


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Document, Callable[[Mapping[str, bytes]], bool]]:
    """A folder, and a predicate by which a file may be needed as long as another says so."""
    names = [f"p/{letter}" for letter in "abcde"]
    text = st.lists(st.sampled_from([*names, "x", "y"]), max_size=4).map(" ".join)
    texts = {name: draw(text).encode() for name in names}
    root = draw(st.sampled_from(names))
    texts[root] += b" bug"
    exists = draw(st.booleans())

    def interesting(files: Mapping[str, bytes]) -> bool:
        """Whether there is the bug, and every file that a file names, as a compiler wants it."""
        if b"bug" not in files.get(root, b""):
            return False
        named = {word.decode() for data in files.values() for word in data.split() if b"/" in word}
        return named <= set(files) and (exists or names[0] in files or root not in files)

    return Document("p", tuple(File(*pair) for pair in texts.items())), interesting


def reduced(document: Document, interesting: Callable[[Mapping[str, bytes]], bool]) -> Document:
    """Reduce a document by a predicate, and check that the result is called 1-minimal."""

    def ask(candidate: Document) -> Answer:
        yes = interesting(candidate.contents)
        return Answer(Verdict.INTERESTING if yes else Verdict.UNINTERESTING, 0.0, None, False)

    test = FlakyAwareTest(ask, document, {}, sampled=False)
    search = Search(test, budget=Budget(5000))
    ended = Reducer(Plan(passes_for(document)), search, test, lambda event: None).run()
    assert (ended.reason, ended.minimal) == ("fixpoint", True)
    return ended.document


@given(world=worlds())
@examples(30)
def test_no_file_of_any_result_can_go(
    world: tuple[Document, Callable[[Mapping[str, bytes]], bool]],
) -> None:
    document, interesting = world
    if not interesting(document.data):
        return
    left = reduced(document, interesting)
    if len(left.files) > 1:
        for path in left.data:
            assert not interesting(
                {other: data for other, data in left.data.items() if other != path}
            )


def test_a_claim_says_what_it_covers(script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "a.txt").write_text("needle\n")
    found = reduce(script("grep -rq needle p"), folder)
    claim = "1-minimal: the test rejects the result with any single {} removed."
    assert outcome_of_result(found) == claim.format("token or file")
    alone = reduce(script("grep -q needle a.txt", "alone.sh"), folder / "a.txt", smallest="bytes")
    assert outcome_of_result(alone) == claim.format("byte")
    (folder / "b.zip").write_bytes(zipped({"b.txt": b"more\nneedles\n"}))
    test = "unzip -p p/b.zip | grep -q needles"
    both = reduce(script(test, "both.sh"), folder, output=tmp_path / "out", smallest="char")
    assert outcome_of_result(both) == claim.format("file, member of a container or character")
    only = reduce(script(test.replace("p/", ""), "only.sh"), folder / "b.zip", smallest="char")
    assert outcome_of_result(only) == claim.format("member of the container or character")


def test_a_proof_without_one_of_its_passes_is_none(script: Script, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p/a.txt").write_text("needle\n")
    for name in ("single files", "tokens"):
        found = reduce(
            script("grep -rq needle p"), tmp_path / "p", without=(name,), output=tmp_path / name
        )
        assert not found.minimal


ARCHIVES = Document(
    "p",
    (
        File("p/a.txt", b"see in.zip\n"),
        File("p/big.zip", zipped({f"{at}.txt": b"%d" % at for at in range(9)})),
        File("p/in.zip", zipped({"x.zip": zipped({"y": b"1", "z": b"2"}), "w": b"3"})),
    ),
).unpacked()


def test_a_container_is_one_file_until_it_is_known_to_stay() -> None:
    running = files(ARCHIVES, {})
    first = next_proposal(running)
    assert first is not None and first.size == 3
    assert first.render(Subset.of([0, 2])).contents.keys() == {"p/a.txt", "p/in.zip"}
    left = first.render(Subset.of([0, 2]))
    members = next_proposal(running, left)
    assert members is not None and members.size == 3
    assert "p/a.txt" in members.render(EMPTY).contents


def test_containers_are_among_the_files_that_go_alone() -> None:
    (only,) = single_files(ARCHIVES)
    # Each of three containers, and each file that is none.
    assert only.size == 3 + 1 + 9 + 3
    without = [only.render(Subset.full(only.size).without(at, at + 1)) for at in range(only.size)]
    assert [set(ARCHIVES.contents) - set(each.contents) for each in without[:4]] == [
        {"p/big.zip"},
        {"p/in.zip"},
        set(),
        {"p/a.txt"},
    ]


def test_empty_files_are_one_question() -> None:
    whole = Document("p", (File("p/a", b"x"), File("p/b", b""), File("p/c", b"")))
    running = single_files(whole)
    first = next_proposal(running)
    assert first is not None
    assert (first.size, first.render(EMPTY).contents) == (1, {"p/a": b"x"})
    each = next_proposal(running, whole)
    assert each is not None and each.size == 3
