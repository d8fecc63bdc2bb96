"""What differs between runs on an input is marked, wherever it stands, and nothing else is."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.failures.masking import escaped, masked
from nubbin.oracles.failures.transcript import VARYING, Transcript, standing_out


def marked(*outputs: str) -> str:
    """Return what is marked of the first output, with a question mark for each character."""
    return Transcript.of([each.encode() for each in outputs]).marked.replace(VARYING, "?")


def test_what_differs_is_marked_whatever_it_looks_like() -> None:
    one = "job qwerty in /home/a/x7\nfine\nValueError: bad row\n"
    other = "job asdf in /home/a/y8\nfine\nValueError: bad row\n"
    assert marked(one, other) == "job ?????? in /home/a/??\nfine\nValueError: bad row\n"
    assert marked(one, one) == one
    assert marked("3 of 10 ms", "3 of 9 ms", "4 of 10 ms") == "? of ?? ms"


def test_threads_may_print_in_any_order() -> None:
    assert marked("a 1\nb 2\nc 3", "c 3\na 1\nb 2") == "a 1\nb 2\nc 3"
    assert marked("worker 17: no row\nend", "end\nworker 9: no row") == "worker ??: no row\nend"


def test_a_line_that_only_one_run_prints_is_marked_as_a_whole() -> None:
    assert marked("warming up\nbad row", "bad row") == "??????????\nbad row"


def test_colours_are_gone() -> None:
    assert marked("\x1b[31merror\x1b[0m: no") == "error: no"


LINES = st.lists(st.text(st.characters(categories=("L", "N", "P", "Zs")), max_size=20), max_size=5)


@given(st.lists(LINES, min_size=1, max_size=3))
def test_both_texts_have_the_same_length_and_lines(outputs: list[list[str]]) -> None:
    transcript = Transcript.of(["\n".join(lines).encode() for lines in outputs])
    assert transcript.text == "\n".join(outputs[0])
    assert len(transcript.marked) == len(transcript.text)
    assert [line for line, _ in transcript.lines()] == transcript.text.split("\n")


@given(st.text(st.characters(categories=("L", "N")), min_size=1), st.text(min_size=1))
def test_what_is_learned_of_a_marked_line_matches_that_of_each_run(one: str, other: str) -> None:
    lines = [f"error in {each}: bad row" for each in (one, other.replace("\n", " "))]
    transcript = Transcript.of([each.encode() for each in lines])
    for pattern in (masked(transcript.marked, ""), escaped(transcript.marked)):
        assert re.search(pattern, lines[0])


def test_lines_of_a_list_do_not_stand_out() -> None:
    listed = [f"test_{number}.py PASSED" for number in range(9)]
    frames = [f"a.py:{number}: in {name}" for number, name in enumerate("fgh")]
    said = "\n".join([*listed, "test_9.py FAILED", *frames])
    alone, whole = standing_out(said.encode())
    assert alone.splitlines() == ["test_9.py FAILED", *frames]
    assert whole == said
