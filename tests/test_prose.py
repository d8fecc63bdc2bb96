"""What people read keeps the rules of style that an expression can judge.

Pages break none, and so does each line of a string in the code: errors, findings, help, reports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from nubbin_core.version import __version__

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
MAX_WORDS = 30
MAX_LINES_OF_A_RELEASE = 12

RULES = {
    "preposition before which": r"\b(of|by|in|to|from|at|on|for|with|after|into) (which|whom)\b",
    "what instead of a noun": r"\b[Ww]hat (is|are|was|were|it|they|has|had|goes|comes)\b",
    "that of": r"\b(that|those|ones) of\b",
    "nobody acts": r"\b(is|are|was|were|be|been) "
    r"(said|told|asked|taken|held|seen|meant|looked|refused|noticed|left)\b",
    "chain of semicolons": r"[^.;:]{15,};[^.;]{15,};",
    "also at the end": r", (also|too|as well)\b(?! few)|\b(too|as well|besides)[.,;:)]",
    "else as a ladder": r"\bor else\b|\belse (it|the|one|that|if|what|in)\b",
    "as for such as": r", as (by|in|of|for|from|with|the|a|an|if|to|where|on)\b",
    "long sentence": rf"(?:\S+\s+){{{MAX_WORDS},}}\S",
}


def sentences_of_page(text: str) -> Iterator[str]:
    """Yield the sentences, cells of tables and headings of a page, without code."""
    text = re.sub(r"<!--(?s:.*?)-->|^```(?s:.*?)^```$|^    .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"(`+)(?s:.*?)\1", "CODE", text)
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n|^\s*(?:[-*#]+|\d+\.) |\|", text, flags=re.MULTILINE):
        yield from sentences(block)


def sentences_of_source(text: str) -> Iterator[str]:
    """Yield the sentences in the strings of a module: errors, findings, help, lines of a report.

    Docstrings are for developers, and a value that only a run knows is `CODE`.
    """
    waiting: list[ast.AST] = [ast.parse(text)]
    found: list[str] = []
    while waiting:
        match waiting.pop():
            case ast.Expr(value=ast.Constant()):
                pass  # a docstring
            case ast.Constant(value=str(words)):
                found += words.splitlines()
            case ast.JoinedStr(values=parts):
                shown = (each.value if isinstance(each, ast.Constant) else "CODE" for each in parts)
                found += "".join(map(str, shown)).splitlines()
            case node:
                waiting += ast.iter_child_nodes(node)
    for line in found:
        yield from sentences(line)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, each on one line."""
    for each in re.split(r"(?<=[.?!])\**\s+|:\n", text):
        if " " in (line := " ".join(each.split())):
            yield line


def hits(found: Iterator[str]) -> dict[str, list[str]]:
    """Return the sentences that break each rule, once for each time."""
    lines = list(found)
    return {
        rule: [line for line in lines for _ in re.finditer(expression, line)]
        for rule, expression in RULES.items()
    }


def pages() -> Iterator[str]:
    """Yield the sentences of all pages for readers."""
    for page in PAGES:
        yield from sentences_of_page(page.read_text())


def source() -> Iterator[str]:
    """Yield the sentences that nubbin shows."""
    for file in sorted(ROOT.glob("src/**/*.py")):
        yield from sentences_of_source(file.read_text())


def test_no_sentence_of_a_page_breaks_a_rule() -> None:
    assert not {rule: found for rule, found in hits(pages()).items() if found}


def test_no_string_of_the_code_breaks_a_rule() -> None:
    assert not {rule: found for rule, found in hits(source()).items() if found}


def test_a_release_has_few_lines_and_the_version_of_the_citation() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text()
    released = re.search(
        rf"^## \[{re.escape(__version__)}\] - (\S+)$((?s:.*?))(?=^## |\Z)", changes, re.M
    )
    assert released
    date, text = released.groups()
    assert len([line for line in text.splitlines() if line]) <= MAX_LINES_OF_A_RELEASE
    assert f"version: {__version__}\ndate-released: {date}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_rules_find_what_they_forbid() -> None:
    page = (
        "It is a file in which `x` goes.\n\n```sh\nof which\n```\n| of which | "
        + "very " * 31
        + "|"
    )
    found = hits(sentences_of_page(page))
    assert [rule for rule, lines in found.items() for _ in lines] == [
        "preposition before which",
        "preposition before which",
        "long sentence",
    ]
    module = '"""In which."""\nraise Error(f"A file {x} of which " "is said")'
    assert list(sentences_of_source(module)) == ["A file CODE of which is said"]
