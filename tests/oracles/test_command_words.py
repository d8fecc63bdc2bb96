"""Words for a shell, as a person copies them."""

from __future__ import annotations

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.commands.command_line import quoted_word, sayable


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("SIGSEGV", "SIGSEGV"),
        (r"a\.b $x", r"'a\.b $x'"),
        ("KeyError: '.*'", """ "KeyError: '.*'" """.strip()),
    ],
)
def test_quotes(text: str, word: str) -> None:
    assert quoted_word(text) == word


def test_single_quotes_that_would_be_in_the_way_match_anything() -> None:
    assert sayable("'a'") == "'a'"
    assert sayable("`a'") == "`a."
    assert quoted_word(sayable("`a'")) == "'`a.'"


_WORDS = st.text(st.sampled_from("a'`\"\\$!\n *"), max_size=8)


@given(st.lists(_WORDS, min_size=1, max_size=20))
def test_a_shell_reads_them_back(texts: list[str]) -> None:
    words = " ".join(map(quoted_word, texts))
    read = subprocess.run(["sh", "-c", f"printf '%s\\0' {words}"], capture_output=True, check=True)
    assert read.stdout.decode().split("\0")[:-1] == texts


@given(_WORDS)
def test_what_can_be_said_matches_the_same_text(text: str) -> None:
    assert re.search(sayable(re.escape(text)), text)
