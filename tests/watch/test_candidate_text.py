"""A candidate is shown as it is, and commands nobody's terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.watch.candidate_text import candidate_text

files = st.dictionaries(
    st.sampled_from(["a.c", "b/c.py", "d\x1b]0;x\a.json", "e"]), st.binary(max_size=80), max_size=3
)


@given(files, files)
def test_nothing_in_it_commands_a_terminal(before: dict[str, bytes], now: dict[str, bytes]) -> None:
    text = candidate_text(before, now).plain
    assert all(char.isprintable() or char in "\n\t" for char in text)


def test_removed_text_is_struck_out_and_in_brackets() -> None:
    text = candidate_text({"a.c": b"int a; int b;\n"}, {"a.c": b"int a;\n"})
    assert text.plain == "int a;[- int b;-]\n"
    struck = [text.plain[s.start : s.end] for s in text.spans if "strike" in str(s.style)]
    assert struck == [" int b;"]


def test_new_text_is_in_brackets() -> None:
    text = candidate_text({"a": b"one two three"}, {"a": b"one 2 three"})
    assert text.plain == "one [-two-]{+2+} three"


def test_text_has_the_colours_of_its_language() -> None:
    files = {"a.py": b"def f(): return 'x'\n"}
    assert len({str(span.style) for span in candidate_text(files, files).spans}) > 1


def test_binary_is_shown_as_numbers() -> None:
    text = candidate_text({"a": b"\0\1Anubbin"}, {"a": b"\0\1nubbin"}).plain
    assert [line.split() for line in text.splitlines()] == [
        ["00000000", "00", "01", ".."],
        ["-00000002", "41", "A"],
        ["00000002", *(f"{byte:02x}" for byte in b"nubbin"), "nubbin"],
    ]


def test_of_several_files_one_that_has_changed_is_shown() -> None:
    before = {"a.txt": b"same", "b.txt": b"long", "c.txt": b"gone"}
    text = candidate_text(before, {"a.txt": b"same", "b.txt": b"short"}).plain
    assert text == "2 files; just changed: b.txt and c.txt\nb.txt\n[-long-]{+short+}"


def test_nothing_may_be_left() -> None:
    assert candidate_text({"a": b"x"}, {}).plain == "The result is empty."
    assert candidate_text({}, {}).plain == "The result is empty."
