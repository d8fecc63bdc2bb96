"""Tokens as Zhang et al. (ICSE 2025) count them: those of a lexer of the language.

Their counter is a program that their artifact does not hold. These rules give the sizes that they
published of their inputs; record/evaluation/paper-tokens.md says of how many.
"""

from __future__ import annotations

import re

_C = re.compile(
    rb"""
      (?P<skipped> ^[ \t]*\#[^\n]* | \s | /\*.*?\*/ | //[^\n]* )
    | (?:u8|[uUL])? "(?:[^"\\\n]|\\.)*" | [uUL]? '(?:[^'\\\n]|\\.)+'
    | [A-Za-z_$][\w$]*
    | \.?[0-9](?:[eEpP][+-]|[\w.])*
    | <<= | >>= | \.\.\. | -> | \+\+ | -- | << | >> | && | \|\| | [-<>=!*/%+&^|]=
    | .
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)

#: Outside of a tag: what opens one or the declaration, other markup, a reference, or text.
_XML_TEXT = re.compile(
    rb"(?P<open><\?xml(?=\s)|<(?![!?]))|<!--.*?-->|<!\[CDATA\[.*?\]\]>|<.*?>|&[^;<&]*;|[^<&]+",
    re.DOTALL,
)
#: In a tag: what closes it, a mark, a value, or a name.
_XML_TAG = re.compile(rb"""(?P<close>[/?]?>)|[/=]|"[^"<]*"|'[^'<]*'|[^\s/?=>"'<]+""")


def paper_tokens(data: bytes, language: str) -> int | None:
    """Return the number of tokens of a text in C or XML; None in any other language.

    In C, neither comments nor lines that begin with # count. In XML, a run of text is one token,
    and so is the value of an attribute.
    """
    if language == "c":
        return sum(found.lastgroup != "skipped" for found in _C.finditer(data))
    return _xml(data) if language == "xml" else None


def _xml(data: bytes) -> int:
    count, rule, at = 0, _XML_TEXT, 0
    while found := rule.search(data, at):
        count, at = count + 1, found.end()
        if found.lastgroup:
            rule = _XML_TAG if found.lastgroup == "open" else _XML_TEXT
    return count
