"""Recognise lines that report errors in the input; a new kind of error is a different failure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from nubbin.oracles.failures.masking import NAME_CHARS, escaped, masked
from nubbin.oracles.failures.messages import OF_LINKER, SUMMARY
from nubbin.oracles.failures.transcript import Transcript
from nubbin.pattern import pattern

# How a compiler, a linker or a checker marks an error: at the beginning of a line, or behind a
# place (`a.c:7:1: `, `a.ts(7,1): `). The name of an exception is not such a mark.
_PLACE: Final = r"(?:[^\s:()]+(?::[\d.:-]+|\([\d,]+\))?:? +(?:- +)?)?"
_SEVERITY: Final = (
    r"\[?(?:(?:[Ff]atal|[Ss]yntax|[Pp]arse) )?(?:[Ee]rror|ERROR)\b(?: ?\[?[A-Z]+[-\d]*\]?|\])?:? "
)
_ERROR: Final = rf"(?:{_PLACE}{_SEVERITY}|.*\b(?={OF_LINKER}))"
# Ignored: lines with colours, which are also searched without them, and warnings made errors, which
# depend on the text around them.
_NONE: Final = r"\x1b|\[-W"
# A tool suggests a similar name, which may be another one for a smaller input.
_SUGGESTION: Final = pattern(r"[;,(]? ?did you mean.*")
#: With more kinds than these, the failure is not recognised by them.
_MAX_KINDS: Final = 12
_NO_KIND: Final = "(?!)"


def known_errors(outputs: Sequence[bytes], size: int, source: str) -> str | None:
    """Return an expression for the kinds of error lines in some outputs; None for too many kinds.

    Searches `size` bytes of each output. `source` is the text of the input.
    """
    kinds: dict[str, None] = {}
    said = Transcript.of(outputs, size)
    for found in re.finditer(rf"^{_ERROR}(?P<message>.*\w.*)", said.text, re.MULTILINE):
        if not re.search(_NONE, found[0]) and not SUMMARY.fullmatch(found[0].strip()):
            kinds[_kind(said.marked[slice(*found.span("message"))], source)] = None
    return None if len(kinds) > _MAX_KINDS else "|".join(kinds) or _NO_KIND


def other_error(known: str) -> str:
    """Return an expression for an error line of an unknown kind; `known` matches known kinds."""
    summary = rf"[ \t]*(?ix:{SUMMARY.pattern})[ \t\r]*$"
    return rf"^(?!{summary}|.*(?:{_NONE}|{known})){_ERROR}.*\w.*"


def _kind(message: str, source: str) -> str:
    if of_linker := re.match(OF_LINKER, message):
        return escaped(of_linker[0])
    return masked(_SUGGESTION.sub("", message), source, NAME_CHARS)
