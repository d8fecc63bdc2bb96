"""Which list comes after which: when passes are run again, and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.replacement import Replacement
from nubbin.minimizers import EMPTY
from nubbin.passes.folders.each_file import EachFile
from nubbin.passes.proposal import FilePass, Proposals
from nubbin.passes.syntactic import propose
from nubbin.reduction.schedule import Schedule


def deletes(mark: bytes) -> FilePass:
    def each(file: File) -> Proposals[File]:
        at = file.data.find(mark)
        if at >= 0:
            yield propose(file, None, [(Replacement(at, at + len(mark)),)])

    return each


def run_of(passes: Sequence[EachFile], text: str, allowed: Callable[[str], bool]) -> list[str]:
    """Return the names of the lists in order, each with the document that came out of it."""
    schedule = Schedule.begin(passes, Document.single("input", text.encode()))
    run = []
    while schedule is not None:
        name, edited = schedule.name, schedule.proposal.render(EMPTY)
        out = edited if allowed(edited.files[0].data.decode()) else schedule.document
        schedule = schedule.after(out)
        run.append(f"{name} {out.files[0].data.decode()}")
    return run


A = EachFile("a", {"input": deletes(b"-")})
B = EachFile("b", {"input": deletes(b"+")})
PROOF = EachFile("proof", {"input": deletes(b"*")}, piece="a mark")
LONG = "." * 32  # passes do not pay that delete a mark from so many


def test_what_coarser_passes_delete_is_no_reason_for_another_round() -> None:
    run = run_of([A, B, PROOF], f"--++*{LONG}", lambda data: "*" in data)
    assert run == [f"a -++*{LONG}", f"b -+*{LONG}", f"proof -+*{LONG}"]


def test_what_the_proof_deletes_is() -> None:
    run = run_of([A, PROOF], f"-*{LONG}", lambda data: "-" in data or "*" not in data)
    assert run == [f"a -*{LONG}", f"proof -{LONG}", f"a {LONG}"]


def test_a_proof_that_shortens_a_word_is_no_reason_for_another_round() -> None:
    shortens = EachFile("proof", {"input": deletes(b"w")}, piece="a mark")
    run = run_of([A, shortens], f"-word{LONG}", lambda data: "-" in data or "w" not in data)
    assert run == [f"a -word{LONG}", f"proof -ord{LONG}"]


def test_a_proof_that_comes_before_other_passes_is_asked_for_again() -> None:
    run = run_of([PROOF, A], f"-*{LONG}", lambda data: "*" in data)
    assert run == [f"proof -*{LONG}", f"a *{LONG}", f"proof *{LONG}"]


def test_a_pass_that_pays_is_run_again_at_once() -> None:
    pays = EachFile("a", {"input": deletes(b"--")})
    run = run_of([pays, B], "----+", lambda data: True)
    assert run == ["a --+", "a +", "b "]


def test_to_shorten_words_does_not_pay() -> None:
    shortens = EachFile("a", {"input": deletes(b"w")})
    assert run_of([shortens], "-www", lambda data: True) == ["a -ww"]
