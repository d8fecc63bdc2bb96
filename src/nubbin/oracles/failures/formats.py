"""Recognise the reports of failures in an output, and keep the parts that identify each failure.

A format is a regular expression; its groups are kept, in the order of the report. An `error` is
masked. Every input that shows the failure has the same `text`, and the same `frame`, the innermost
of the program, unless the input defines it. A `test`, the `suite` around it and its `place`, a
file, are kept. The `values` that the test compares are kept if the test is in the input, and masked
otherwise. A digit tells groups of a kind apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from nubbin.oracles.failures.crashes import CRASHES
from nubbin.oracles.failures.masking import NAME_CHARS, escaped, is_of, masked, whole_word
from nubbin.oracles.failures.messages import Message
from nubbin.oracles.failures.test_runners import SUITES, TEST_RUNNERS
from nubbin.oracles.failures.transcript import Transcript
from nubbin.pattern import pattern

#: The formats by name, the most telling first.
FORMATS: Final = {
    name: pattern(each, re.MULTILINE | re.VERBOSE)
    for name, each in {**TEST_RUNNERS, **CRASHES, **SUITES}.items()
}

# The folders of a test outside the input, as seen from the folder of a query.
_OUTSIDE: Final = pattern(r"^(?:\.\./)+(?:[^\s/:]+/)*")

# What comes after the innermost function in a Python traceback. If another function came there,
# this one would not be the innermost.
_QUOTED_CODE: Final = pattern(r"\n(?: {4}.*\n)*")

# Words that an assertion prints about any values, such as `assert 8 == 9`.
_WORD: Final = pattern(r"(?<![^\W\d_])[^\W\d_]{2,}(?!\w*\.\w)")
_OF_ASSERTION: Final = pattern(
    r"actual|assert(?:ed|ion|ions)?|(?:Assertion)?(?:Failed)?Error|be|but|comparison|deep|equal"
    r"|equality|equals|err|expect|expected|fail|failed|FailTest|false|got|identical|is|left"
    r"|loosely|matches|none|not|null|number|objects?|ok|received|right|same|should|strict|strictly"
    r"|that|these|throws?|to|to(?:Be|Equal|StrictEqual)|true|truthy|undefined|unnamed|values?|was"
    r"|were",
    re.IGNORECASE,
)


def is_crash(output: str) -> bool:
    """Tell whether an output contains the report of a crash. A failed test is not a crash."""
    return any(FORMATS[name].search(output) for name in CRASHES)


def recognised(said: Transcript, source: str) -> Iterator[Message]:
    """Yield the reports in an output as messages, the most telling first.

    Leaves out exceptions that only count earlier errors. `source` is the text of the input. A
    smaller input may not contain its names.
    """
    for name, form in FORMATS.items():
        for report in form.finditer(said.text):
            messages = _messages(report, name.partition(",")[0], said, source)
            yield from (each for each in messages if not each.is_summary)


def _messages(report: re.Match[str], kind: str, said: Transcript, source: str) -> Iterator[Message]:
    """Yield the message of a report, and the same without the function and the place."""
    masks = [partial(masked, source=source, keep=keep) for keep in (NAME_CHARS, 0)]
    names = sorted(filter(report.group, report.groupdict()), key=report.start)
    least = [each for each in names if not each.startswith(("frame", "place"))]
    kept = [
        each for each in names if not each.startswith("frame") or not is_of(source, report[each])
    ]
    heads = (report.start(each) for each in least if each != "suite")
    line = said.line_at(min(heads, default=report.start()))
    test = report["test"] if "test" in least else ""
    around = report["suite"] if "suite" in least else ""
    is_their_test = is_of(source, test)
    is_bare_test = is_their_test and not _tells_value(report, least)
    frame = " ".join(report[each] for each in kept if each.startswith("frame"))
    for parts in (kept, least):
        pattern, loose = (_pattern(said, report, parts, mask, is_their_test) for mask in masks)
        about = test or loose
        yield Message(line, pattern, loose, kind, about, around, is_bare_test, frame=frame)


def _pattern(
    said: Transcript,
    report: re.Match[str],
    names: list[str],
    mask: Callable[[str], str],
    is_their_test: bool,
) -> str:
    """Return an expression for these parts of a report, with anything between them."""
    made, before = "", ""
    for name in names:
        if before:
            between = report.string[report.end(before) : report.start(name)]
            if before.startswith("frame") and _QUOTED_CODE.fullmatch(between):
                made += _QUOTED_CODE.pattern
            else:
                made += "(?s:.*)" if "\n" in between else ".*" if between else ""
        text = said.marked[report.start(name) : report.end(name)]
        match name.rstrip("0123456789"):
            case "values" if is_their_test:
                made += escaped(text)
            case "error" | "values":
                made += mask(text)
            case "test" | "suite":
                made += escaped(_OUTSIDE.sub("", text))
            case "text":
                made += escaped(text)
            case _:
                made += whole_word(text)
        before = name
    return made


def _tells_value(report: re.Match[str], names: list[str]) -> bool:
    """Tell whether a report contains more than numbers and the usual words of assertions."""
    told = (report[each] for each in names if each.startswith(("values", "error")))
    words = (word for each in told for word in _WORD.findall(each))
    return any(not _OF_ASSERTION.fullmatch(word) for word in words)
