"""Cuts across the structure: echoes keep brackets paired; windows grow while they pay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.file import File
from nubbin.documents.outline import Outline
from nubbin.minimizers import Subset
from nubbin.passes.cuts import cuts
from nubbin.passes.proposal import Proposal, next_proposal

_OPENED_BY = {")": "(", "]": "[", "}": "{"}
texts = st.lists(st.sampled_from([*"()[]{};", "a", "b"]), max_size=24).map(" ".join)


def echoes(text: str) -> Proposal[File] | None:
    return next_proposal(cuts(File("a.txt", text.encode()), Outline()))


def alone(proposal: Proposal[File]) -> set[str]:
    """Return what becomes of the file by each of the edits alone."""
    everything = Subset.full(proposal.size)
    each = (proposal.render(everything.without(i, i + 1)) for i in range(proposal.size))
    return {file.data.decode() for file in each}


def unpaired(text: str) -> int:
    """Return the number of brackets without a partner: a closing one is skipped."""
    open_, alone_ = list[str](), 0
    for token in text:
        if token in _OPENED_BY.values():
            open_.append(token)
        elif token in _OPENED_BY:
            if open_ and open_[-1] == _OPENED_BY[token]:
                open_.pop()
            else:
                alone_ += 1
    return alone_ + len(open_)


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


def widths(accept: int) -> list[int]:
    """Return the number of tokens of the windows, when the first of so many lists is accepted."""
    file = File("a.txt", b"a b c d e f g h i j k l m n o p")
    running = cuts(file, Outline())
    proposal, found = next_proposal(running), list[int]()
    while proposal is not None:
        tokens = len(file.data.split())
        found.append(tokens - proposal.size + 1)
        if len(found) <= accept:
            file = proposal.render(Subset.full(proposal.size).without(0, 1))
        proposal = next_proposal(running, file)
    return found


def test_windows_wider_than_four_tokens_come_as_long_as_the_last_ones_paid() -> None:
    assert widths(accept=0) == [2, 3, 4]
    assert widths(accept=2) == [2, 3, 4]
    assert widths(accept=3) == [2, 3, 4, 5]


def test_large_files_are_left_alone() -> None:
    assert echoes("a b " * 2000) is None
