"""What tools show of the place in the input, and what is kept of it."""

from __future__ import annotations

import re

import pytest

from nubbin.oracles.failures.details import with_excerpt, with_marks
from nubbin.oracles.failures.transcript import Transcript

SOURCE = "let a = 1;\nimport type * as scan from 'scan';\nx = [10 20]\n"


def kept(output: str, line: str = "error: no") -> str | None:
    said = Transcript.of([with_marks(output.encode())])
    more = with_excerpt(line, line, said, SOURCE)
    assert more is None or re.search(more, said.text)
    return more


@pytest.mark.parametrize(
    ("shown", "mark"),
    [
        ("import type * as scan from 'scan';", "            ^"),
        ("[error] > 2 | import type * as scan from 'scan';", "[error]     |             ^~~"),
        ("   2 | import type * as scan", "      |             ^"),
        ("import type * as", "  here ---> ^"),
    ],
)
def test_the_token_at_the_mark_and_two_before_it(shown: str, mark: str) -> None:
    assert kept(f"error: no\n{shown}\n{mark}\n") == r"error: no(?s:.*)import\s+type\s*\*"
    assert kept(f"{shown}\n{mark}\nerror: no\n") == r"import\s+type\s*\*(?s:.*)error: no"


@pytest.mark.parametrize("how", ["4", "1;4", "4;31"])
def test_a_token_that_is_underlined(how: str) -> None:
    shown = f"\x1b[2mimport\x1b[0m type \x1b[{how}m*\x1b[0m as scan from 'scan';"
    expected = r"error: no(?s:.*)import\s+type\s*\*"
    assert kept(f"error: no\n\x1b[31mlet a\x1b[0m = 1;\n{shown}\n") == expected
    assert kept(f"error: no\n{shown}\n".replace(f"[{how}m", "[34m")) is None


def test_a_number_may_be_another_and_what_is_not_of_the_input_is_left_out() -> None:
    assert (
        kept("error: no\n9 | x = [10 20]\n            ^") == r"error: no(?s:.*)\[\s*[\d.]+\s+[\d.]+"
    )
    assert kept("error: no\n2 | import\n    ^") == "error: no(?s:.*)import"


def test_nothing_if_no_place_is_shown() -> None:
    assert kept("error: no\nimport type\n") is None
    assert kept("error: no\n    raise ValueError()\n    ^^^^^\n") is None
    assert kept("error: no\n" + "\n" * 20 + "import type\n       ^\n") is None
