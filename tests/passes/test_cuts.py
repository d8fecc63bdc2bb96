"""Cuts across the structure: echoes keep brackets paired, windows are of a few tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.edits import File
from nubbin.documents.outlines.lexis import lexed
from nubbin.documents.outlines.outline import Outline
from nubbin.passes.cuts import cuts, phrases
from nubbin.passes.proposal import Proposal, next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import ALGORITHMS, LastElement, Settings, Subset

texts = st.lists(st.sampled_from([*"()[]{};", "a", "b"]), max_size=24).map(" ".join)


def echoes(text: str) -> Proposal[File] | None:
    return next_proposal(cuts(File("a.txt", text.encode()), Gate(Outline())))


def alone(proposal: Proposal[File]) -> set[str]:
    """Return what becomes of the file by each of the edits alone."""
    everything = Subset.full(proposal.size)
    each = (proposal.render(everything.without(i, i + 1)) for i in range(proposal.size))
    return {file.data.decode() for file in each}


def unpaired(text: str) -> int:
    """Return the number of brackets without a partner."""
    return sum(map(text.count, "()[]{}")) - len(lexed(text.encode()).partners)


def test_an_echo_goes_from_a_token_to_the_next_equal_one() -> None:
    proposal = echoes("type a=1;type b=2;")
    assert proposal is not None
    assert alone(proposal) == {"type b=2;", "type a=2;", "type a=1;"}


def test_an_echo_does_not_leave_its_brackets() -> None:
    proposal = echoes("x{a b}a x c")
    assert proposal is not None
    assert alone(proposal) == {"x c"}


@given(texts)
def test_no_echo_leaves_more_brackets_without_a_partner(text: str) -> None:
    text = f"x x {text}"  # one echo at least
    proposal = echoes(text)
    assert proposal is not None
    assert all(unpaired(one) <= unpaired(text) for one in alone(proposal))


def test_then_come_windows_of_two_to_four_tokens() -> None:
    file = File("a.txt", b"a b c d e")
    running = cuts(file, Gate(Outline()))
    proposals = [next_proposal(running), *(next_proposal(running, file) for _ in range(3))]
    assert [each and alone(each) for each in proposals] == [
        {"c d e", "a d e", "a b e", "a b c"},
        {"d e", "a e", "a b"},
        {"e", "a"},
        None,
    ]


def test_a_short_quoted_text_is_one_token() -> None:
    file = File("a.y", b"a%b'?'c")
    running = cuts(file, Gate(Outline()))
    proposals = [next_proposal(running), *(next_proposal(running, file) for _ in range(4))]
    assert [each and alone(each) for each in proposals] == [
        {"a%b c"},
        {"b'?'c", "a'?'c", "a%c", "a%b"},
        {"'?'c", "a c", "a%"},
        {"c", "a"},
        None,
    ]


def test_windows_of_binary_data_are_of_text() -> None:
    file = File("a.bin", b"ab cd\0\1ef gh i")
    running = cuts(file, Gate(Outline()))
    proposals = [next_proposal(running), *(next_proposal(running, file) for _ in range(2))]
    assert [each and alone(each) for each in proposals] == [
        {"\0\1ef gh i", "ab cd\0\1 i", "ab cd\0\1ef"},
        {"ab cd\0\1"},
        None,
    ]


def test_large_files_are_left_alone() -> None:
    assert echoes("a b " * 2000) is None


def test_a_phrase_is_brackets_with_the_words_before_them_or_a_clause() -> None:
    data = b"with s as(a)from t join u using(k)group by x.y.z"
    proposal = next_proposal(phrases(File("a.txt", data), Gate(Outline())))
    assert proposal is not None
    left = alone(proposal)
    assert {"from t join u using(k)group by x.y.z", "with s as(a)from t group by x.y.z"} <= left
    assert "with s as(a)from t join u using(k)group" in left


def test_an_element_of_a_list_goes_with_a_comma() -> None:
    proposal = next_proposal(phrases(File("a.txt", b"a b(c), d e(f), g"), Gate(Outline())))
    assert proposal is not None
    assert {"d e(f), g", "a b(c), g"} <= alone(proposal)


@given(st.lists(st.sampled_from([*"()[]{},;", "a", "bcd"]), max_size=400).map(" ".join))
def test_where_no_phrase_goes_each_is_asked_for_and_at_most_a_hundred_queries(text: str) -> None:
    proposal = next_proposal(phrases(File("a.txt", text.encode()), Gate(Outline())))
    if proposal is None:
        return
    settings = Settings(weights=proposal.weights, proves=False)
    state = LastElement.of(ALGORITHMS["auto"])(Subset.full(proposal.size), settings)
    asked = list[Subset]()
    while wave := state.ask():
        asked += [query.kept for query in wave]
        state = state.tell((False,) * len(wave))
    single = {Subset.full(proposal.size).without(at, at + 1) for at in range(proposal.size)}
    assert single <= set(asked)
    assert len(asked) <= 100
