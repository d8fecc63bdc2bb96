"""Which list comes after which: when passes are run again, and when it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.spans import Replacement
from nubbin.executors.threads import Threads
from nubbin.passes.each_file import each_file
from nubbin.passes.proposal import FilePass, Pass, Proposals
from nubbin.passes.syntactic import propose
from nubbin.reduction.pass_problem import PassProblem
from nubbin.reduction.schedule import Schedule
from nubbin_core.minimizers import ALGORITHMS, EMPTY, Minimizer, Query
from nubbin_core.minimizers.minimizer import Turn
from nubbin_core.search.problem import Answered
from nubbin_core.search.search import Search
from nubbin_core.verdict import Verdict


def deletes(mark: bytes) -> FilePass:
    def each(file: File) -> Proposals[File]:
        at = file.data.find(mark)
        if at >= 0:
            yield propose(file, None, [(Replacement(at, at + len(mark)),)])

    return each


def run_of(passes: Sequence[Pass], text: str, allowed: Callable[[str], bool]) -> list[str]:
    """Return the names of the lists in order, each with the document that came out of it."""
    schedule = Schedule.begin(passes, Document.single("input", text.encode()))
    run = []
    while schedule is not None:
        name, edited = schedule.pass_.name, schedule.proposal.render(EMPTY)
        out = edited if allowed(edited.files[0].data.decode()) else schedule.document
        schedule = schedule.after(out, Turn(_Answered(), 1, asked=1))
        run.append(f"{name} {out.files[0].data.decode()}")
    return run


class _Answered:
    """An algorithm with nothing more to ask."""

    kept = EMPTY

    def ask(self) -> tuple[Query, ...]:
        return ()

    def tell(self, answers: tuple[bool, ...]) -> _Answered:
        return self


A = each_file("a", {"input": deletes(b"-")})
B = each_file("b", {"input": deletes(b"+")})
PROOF = each_file("proof", {"input": deletes(b"*")}, piece="a mark")
LONG = "." * 32  # passes do not pay that delete a mark from so many


def test_what_coarser_passes_delete_is_no_reason_for_another_round() -> None:
    run = run_of([A, B, PROOF], f"--++*{LONG}", lambda data: "*" in data)
    assert run == [f"a -++*{LONG}", f"b -+*{LONG}", f"proof -+*{LONG}"]


def test_what_the_proof_deletes_is() -> None:
    run = run_of([A, PROOF], f"-*{LONG}", lambda data: "-" in data or "*" not in data)
    assert run == [f"a -*{LONG}", f"proof -{LONG}", f"a {LONG}"]


def test_a_proof_that_shortens_a_word_is_no_reason_for_another_round() -> None:
    shortens = each_file("proof", {"input": deletes(b"w")}, piece="a mark")
    run = run_of([A, shortens], f"-word{LONG}", lambda data: "-" in data or "w" not in data)
    assert run == [f"a -word{LONG}", f"proof -ord{LONG}"]


def test_a_proof_that_comes_before_other_passes_is_asked_for_again() -> None:
    run = run_of([PROOF, A], f"-*{LONG}", lambda data: "*" in data)
    assert run == [f"proof -*{LONG}", f"a *{LONG}", f"proof *{LONG}"]


def test_a_pass_that_pays_is_run_again_at_once() -> None:
    pays = each_file("a", {"input": deletes(b"--")})
    run = run_of([pays, B], "----+", lambda data: True)
    assert run == ["a --+", "a +", "b "]


def test_to_shorten_words_does_not_pay() -> None:
    shortens = each_file("a", {"input": deletes(b"w")})
    assert run_of([shortens], "-www", lambda data: True) == ["a -ww"]


def each_letter(file: File) -> Proposals[File]:
    """Propose one list: to delete each letter, with the end of its line."""
    at = range(0, len(file.data) - 1, 2)
    yield propose(file, None, [(Replacement(start, start + 2),) for start in at])


def no_line(file: File) -> Proposals[File]:
    """Propose four lists that delete the first byte."""
    for _ in range(4):
        yield propose(file, None, [(Replacement(0, 1),)])


def test_a_pass_that_removes_nothing_gives_way_and_comes_back() -> None:
    passes = [each_file("vain", {"input": no_line}), A, B]
    schedule = Schedule.begin(passes, Document.single("input", f"v-+{LONG}".encode()))
    names = []
    while schedule is not None:
        names.append(schedule.pass_.name)
        is_vain = schedule.pass_.name == "vain"
        out = schedule.document if is_vain else schedule.proposal.render(EMPTY)
        schedule = schedule.after(out, Turn(_Answered(), 1, asked=40 if is_vain else 1))
    assert names == ["vain", "a", "b", "vain", "vain", "vain"]


def test_a_reducer_that_ended_begins_again_when_others_removed_much() -> None:
    def other(file: File) -> Proposals[File]:
        if b"o" in file.data:
            yield replace(next(deletes(b"o")(file)), on_answers=lambda answers: None)

    for mark, again in (b"-", 0), (b"-" * 8, 1):
        passes = [
            replace(each_file("other", {"input": other}), waits=True),
            each_file("vain", {"input": no_line}),
            each_file("a", {"input": deletes(mark)}),
        ]
        text = b"oo" + mark + LONG.encode() * 3
        schedule = Schedule.begin(passes, Document.single("input", text))
        names = []
        while schedule is not None:
            names.append(schedule.pass_.name)
            is_vain = schedule.pass_.name == "vain"
            out = schedule.document if is_vain else schedule.proposal.render(EMPTY)
            schedule = schedule.after(out, Turn(_Answered(), 1, asked=40 if is_vain else 1))
        assert names[:3] == ["vain", "other", "a"]
        assert names[3 : 4 + again].count("other") == again


def asked_of(passes: Sequence[Pass], text: bytes, needed: bytes) -> list[tuple[str, bytes]]:
    """Return each query as the pass that made it and its candidate; accepted without `needed`."""
    schedule = Schedule.begin(passes, Document.single("input", text))
    assert schedule is not None
    problem: PassProblem | None = PassProblem(schedule, ALGORITHMS["linear"])
    asked = []
    while problem is not None:
        state: Minimizer = problem.start()
        while wave := state.ask():
            found = [problem.render(query.kept).data["input"] for query in wave]
            asked += [(problem.schedule.pass_.name, data) for data in found]
            state = state.tell(tuple(needed in data for data in found))
        problem = problem.after(state)
    return asked


LETTERS = b"".join(b"%c\n" % letter for letter in range(48, 122))


def test_a_list_that_paused_continues_where_it_was() -> None:
    passes = [each_file("letters", {"input": each_letter}), each_file("vain", {"input": no_line})]
    asked = asked_of(passes, LETTERS, LETTERS)
    names = [name for name, _ in asked]
    assert names[32] == "vain"
    of_letters = [data for name, data in asked if name == "letters"]
    assert len(of_letters) == len({*of_letters}) == len(LETTERS) // 2


def test_a_list_that_paused_is_made_anew_if_another_pass_removed_something() -> None:
    passes = [each_file("letters", {"input": each_letter}), A]
    asked = asked_of(passes, LETTERS + b"-", LETTERS)
    of_letters = [data for name, data in asked if name == "letters"]
    assert asked[32] == ("a", LETTERS)
    assert of_letters[32:] == []  # the pass has one list only, and that was of another document


def test_a_proof_is_not_interrupted() -> None:
    passes = [each_file("letters", {"input": each_letter}, piece="a letter"), A]
    asked = asked_of(passes, LETTERS + b"-", LETTERS)
    assert [name for name, _ in asked][:74] == ["letters"] * 74


def answered_of(jobs: int) -> list[bytes]:
    """Return the candidates whose answers decide, in order: of passes that give way in turn."""
    vain = each_file("vain", {"input": deletes(b"0\n1\n")})
    passes = [each_file("letters", {"input": each_letter}), vain]
    schedule = Schedule.begin(passes, Document.single("input", LETTERS))
    problem = PassProblem(schedule, ALGORITHMS["linear"]) if schedule else None
    answered: list[bytes] = []

    def verdict(candidate: Document) -> Verdict:
        is_whole = LETTERS[:100] in candidate.data["input"]
        return Verdict.INTERESTING if is_whole else Verdict.UNINTERESTING

    def note(query: Query, answer: Answered, candidate: Callable[[], Document]) -> None:
        answered.append(candidate().data["input"])

    with Threads(jobs) as pool:
        search = Search(verdict, pool=pool)
        while problem is not None:
            problem = search.minimize(problem, on_answered=note).then
    return answered


def test_the_order_is_the_same_for_any_number_of_jobs() -> None:
    assert len(answered_of(1)) > 50
    assert answered_of(3) == answered_of(1)
