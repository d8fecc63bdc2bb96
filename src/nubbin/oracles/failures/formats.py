"""How programs report their failures: the formats that are recognised, and what is kept of each.

A format is a regular expression with the groups that are kept, in the order of the report. An
`error` is masked; a `text` is the same for each input that shows the bug, and so is a `frame`, the
innermost of the program, if it is not one of the input itself. A `test`, the `suite` around it and
its `place`, a file, are the same, too, and so are the `values` that the test compares, if the test
is in the input; else they are masked. A digit tells groups of a kind apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Final

from nubbin.oracles.failures.crashes import CRASHES
from nubbin.oracles.failures.exceptions import EXCEPTIONS
from nubbin.oracles.failures.masking import NAME_CHARS, as_word, escaped, is_of, masked
from nubbin.oracles.failures.messages import Message
from nubbin.oracles.failures.test_runners import SUITES, TEST_RUNNERS
from nubbin.oracles.failures.transcript import Transcript

Formats = Mapping[str, re.Pattern[str]]

# The folders of a test that is not in the input, as seen from the folder of a query.
_OUTSIDE: Final = re.compile(r"^(?:\.\./)+(?:[^\s/:]+/)*")

# What an assertion says of any constants, as `assert 8 == 9`, or of nothing at all.
_WORD: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]{2,}(?!\w*\.\w)")
_OF_ASSERTION: Final = re.compile(
    r"actual|assert(?:ed|ion|ions)?|(?:Assertion)?(?:Failed)?Error|be|but|comparison|deep|equal"
    r"|equality|equals|err|expect|expected|fail|failed|FailTest|false|got|identical|is|left"
    r"|loosely|matches|none|not|null|number|objects?|ok|received|right|same|should|strict|strictly"
    r"|that|these|throws?|to|to(?:Be|Equal|StrictEqual)|true|truthy|undefined|unnamed|values?|was"
    r"|were",
    re.IGNORECASE,
)


def _compiled(formats: Mapping[str, str]) -> Formats:
    return {name: re.compile(each, re.MULTILINE | re.VERBOSE) for name, each in formats.items()}


# Compiled when they are needed: that takes a tenth of the time in which nubbin starts.
@cache
def _of_crashes() -> Formats:
    return _compiled({**CRASHES, **EXCEPTIONS})


@cache
def formats() -> Formats:
    """Return every format by its name, the most telling first."""
    return {**_compiled(TEST_RUNNERS), **_of_crashes(), **_compiled(SUITES)}


def is_crash(output: str) -> bool:
    """Tell whether there is a report of a crash in an output; a test that fails is none."""
    return any(form.search(output) for form in _of_crashes().values())


def recognised(said: Transcript, source: str) -> Iterator[Message]:
    """Yield what the reports in an output say, the most telling first.

    An exception that only counts the errors that were told before is none.
    `source` is the text of the input, whose names a smaller one need not have.
    """
    masks = [partial(masked, source=source, keep=keep) for keep in (NAME_CHARS, 0)]
    for name, form in formats().items():
        for report in form.finditer(said.text):
            names = sorted(filter(report.group, report.groupdict()), key=report.start)
            least = [each for each in names if not each.startswith(("frame", "place"))]
            kept = [
                each
                for each in names
                if not each.startswith("frame") or not is_of(source, report[each])
            ]
            heads = (report.start(each) for each in least if each != "suite")
            line = said.line_at(min(heads, default=report.start()))
            kind = name.partition(",")[0]
            around = report["suite"] if "suite" in least else ""
            is_their_test = "test" in least and is_of(source, report["test"])
            is_bare_test = is_their_test and not _tells_value(report, least)
            for parts in (kept, least):
                pattern, loose = (
                    _pattern(said, report, parts, mask, is_their_test) for mask in masks
                )
                about = report["test"] if "test" in least else loose
                message = Message(line, pattern, loose, kind, about, around, is_bare_test)
                if not message.is_summary:
                    yield message


def _pattern(
    said: Transcript,
    report: re.Match[str],
    names: list[str],
    mask: Callable[[str], str],
    is_their_test: bool,
) -> str:
    """Return what matches these parts of a report, and anything between them."""
    pattern, end = "", None
    for name in names:
        if end is not None:
            between = report.string[end : report.start(name)]
            pattern += "(?s:.*)" if "\n" in between else ".*" if between else ""
        text = said.marked[report.start(name) : report.end(name)]
        match name.rstrip("0123456789"):
            case "values" if is_their_test:
                pattern += escaped(text)
            case "error" | "values":
                pattern += mask(text)
            case "test" | "suite":
                pattern += escaped(_OUTSIDE.sub("", text))
            case "text":
                pattern += escaped(text)
            case _:
                pattern += as_word(text)
        end = report.end(name)
    return pattern


def _tells_value(report: re.Match[str], names: list[str]) -> bool:
    """Tell whether a report has more than the words of an assertion, and numbers."""
    told = (report[each] for each in names if each.startswith(("values", "error")))
    words = (word for each in told for word in _WORD.findall(each))
    return any(not _OF_ASSERTION.fullmatch(word) for word in words)
