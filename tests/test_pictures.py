"""The pictures of the screen show sentences that nubbin prints today."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRINTING = [*ROOT.glob("src/nubbin/**/*.py"), *ROOT.glob("demo/*.py"), ROOT / "docs/record.py"]


def pairs(text: str) -> set[tuple[str, str]]:
    """Return the words that follow each other in a text, with no mark or number between them."""
    found = re.split(r"[^a-z' -]+|  +", text.lower())
    return {pair for part in found for pair in pairwise(part.split())}


@cache
def literals() -> tuple[str, ...]:
    """Return the strings of the code, with `_` for values that only a run knows."""
    return tuple(each for file in PRINTING for each in _literals(file))


def _literals(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = [each.value if isinstance(each, ast.Constant) else "_" for each in node.values]
            yield "".join(map(str, parts))


@pytest.mark.parametrize("picture", ["progress.svg", "watch.svg"])
def test_each_text_of_a_picture_is_printed_by_the_code(picture: str) -> None:
    drawn = (ROOT / "docs" / picture).read_text()
    texts = [unescape(each) for each in re.findall(r">([^<>\n]+)</t", drawn)]
    assert len(texts) > 20
    code = literals()
    # The first letter of a tab is its key, and is drawn apart from the others.
    printed = {pair for text in code for pair in pairs(text) | pairs(text[1:])}
    words = [re.findall(r"_|[a-z'-]+", text.lower()) for text in code]
    joined = {(first, "_") for each in words for first, then in pairwise(each) if then == "_"}
    joined |= {("_", then) for each in words for first, then in pairwise(each) if first == "_"}
    starts, ends = {each[0] for each in words if each}, {each[-1] for each in words if each}
    for text in texts:
        ours = re.sub("the test prints: .*", "", text.replace("\xa0", " "))
        for first, then in pairs(ours) - printed:
            value_follows = (first, "_") in joined and then in starts | ends
            assert value_follows or (("_", then) in joined and first in ends), text
