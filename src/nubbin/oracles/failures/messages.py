"""The lines of an output that give the reason of a failure, if it is in no format that is known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Self

from nubbin.oracles.failures.masking import NAME_CHARS, masked, says_something
from nubbin.oracles.failures.transcript import Transcript

# What is said of a place in a file: `a.c:7:1: `, `a.y:7.1-9: `, `a.ts(7,1): `, `A.java:[7,1] `.
_PLACE = re.compile(
    r"""^ (?:.*?[\s:])?? (?P<file>(?=[^\s:]*[A-Za-z])[^\s:()"]+)
    (?: :\d+(?:[:.]\d+)?(?:-[\d.]+)?(?::|[ ]-[ ])
    | \(\d+(?:,\d+)*\): | :\[\d+,\d+\][ ] | :[ ]line[ ]\d+: )""",
    re.VERBOSE,
)
_REASON = re.compile(
    r"error|assert|fatal|panic|abort|exception|fail|violation|overflow|multiple definition"
    r"|(?:undefined|unresolved) (?:reference|symbol)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:can(?:no|')t|unable|not (?:found|defined|allowed|supported|a|an|implemented)|no such"
    r"|refused|denied|invalid|illegal|unexpected|expected|unknown|undefined|undeclared|duplicate"
    r"|missing|conflict\w*|mismatch\w*|unsupported|unterminated|malformed|could not|does not"
    r"|too (?:many|few|long|deep)|must (?:not )?be)\b",
    re.IGNORECASE,
)
# What is said beside the reason: also a frame of a stack.
_ASIDE = re.compile(r"\W*(?:(?:warning|note|info|hint|help|remark|in|from|at)\b|$)", re.IGNORECASE)
_DETAIL = re.compile(r":\d+\b|\bline \d+|\bwarning\b", re.IGNORECASE)
# What wrappers and runners say at the end of whatever it was that failed.
_SUMMARY = re.compile(
    r"""
    (?:\[(?:ERROR|INFO)\][ ]?)? (?:
      (?:collect2|g?make(?:\[\d+\])?|ninja|clang\S*|linker|\S*ld|lerna|mvn|gradle)
        :[ ].*(?:\*\*\*|error|failed|returned|stopped|exit|-v).*
    | (?:npm|pnpm|yarn|lerna)[ ](?:ERR!?|error).*
    | (?:\S+:[ ])?error:?[ ](?:command[ ]failed|could[ ]not[ ]compile|aborting[ ]due|test[ ]failed
        |linking[ ]with|script|build[ ]failed|process).*
    | .*\b(?:compiler|process|command|script|program)\b.*\b(?:returned|exited|exit[ ]status)\b.*
    | (?:exit|status|code|exit[ ](?:status|code))[ :=]+\d+
    | FAIL(?:ED|URES?)?\W* (?:\S+\s+[\d.]+m?s)? | FAILED[ ]\(.*\) | BUILD[ ]FAIL.*
    | (?:FAILURE|Result):[ ].* | failures: | errors:? | ERRORS!?
    | (?:\#[ ]?|ℹ[ ]|[✖×][ ])? (?:Found[ ]|There[ ]w(?:as|ere)[ ]|Would[ ]fix[ ])?
        (?:\d+|one|some|no)[ ]
        (?:\w+[ ]){0,2}(?:errors?|warnings?|problems?|fail\w*|pass\w*|tests?|examples?|runs)\b.*
    | [\#ℹ][ ](?:tests|suites|pass|fail|failed|cancelled|skipped|todo|duration_ms|Looks[ ]like)\b.*
    | Tests?(?:[ ](?:Suites|Files))?:?[ ]+(?:\d+|run:).* | test[ ]result:.* | \d+%[ ]tests.*
    | Errors[ ]while[ ]running.* | The[ ]following[ ]tests[ ]FAILED.* | Failed[ ]examples:
    | There[ ]are[ ]test.* | Failed[ ]to[ ]execute[ ]goal.* | To[ ]see[ ]the.* | Re-run.*
    | For[ ]more[ ]information.* | After[ ]correcting.* | ->.* | Please[ ]refer.* | .*\[Help[ ].*
    | COMPILATION[ ]ERROR.* | compilation[ ](?:terminated|failed|aborted).*
    | .*warnings[ ]being[ ]treated[ ]as[ ]errors.* | .*-Werror[ ]specified.*
    | (?:Time|Duration|Finished|Ran|real|user|sys)\b.*\d.*
    | (?:\S+[ ]){0,3}(?:had|with|has|produced)[ ]\d+[ ](?:\w+[ ])?(?:errors?|failures?)\b.*
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# What a linker says of a symbol, in whatever files it is.
_OF_LINKER = re.compile(r"(?:multiple definition of|undefined reference to) [`'].+?'")
_QUOTED = re.compile(r"'[^'\n]+'|\"[^\"\n]+\"|`[^`'\n]+[`']|‘[^’\n]+’|“[^”\n]+”")
# A line of the input as compilers show it: `   12 | x = 1`.
_SHOWN = re.compile(r"^\W*\d+\s*[|│:]\s*(?P<line>\S.*)$")
# Two messages are alike if they have that many words in common, and that share of the shorter.
_WORDS = re.compile(r"[^\W\d_]{2,}")
_MIN_WORDS = 3
_ALIKE = 0.75
_FOLDER = re.compile(r"\S*/nubbin-\S*")
# What stands in a line that says no more than in which file something failed: `[ERROR] in a.js`.
_OF_HEADING = {"at", "error", "errors", "failed", "fatal", "file", "in", "line", "of"}
_FILE_NAME = re.compile(r"\S*[\w)\]][./]\w\S*")
_NUMBERED = re.compile(r"^\W*\d+\b\W*(?P<line>\w.*?)\s*$")
# Stands around the text of a line; one that stands only at its end belongs to it: `unexpected =`.
_DECORATION = " \t\r^~-=*|>"
_LONE = re.compile(r"\w[ ][~=*|>^-]$")


@dataclass(frozen=True, slots=True)
class Message:
    """A line of an output, and regular expressions for what it says, or for a report around it.

    Both match if that is said again of a smaller input: `pattern` if names of the input that are
    said are still the same, `loose` whatever they are.
    """

    line: str
    pattern: str
    loose: str

    @property
    def is_summary(self) -> bool:
        """Whether it is what a wrapper or a runner says at the end, whatever it was that failed."""
        return _SUMMARY.fullmatch(self.line) is not None

    def is_like(self, other: Self) -> bool:
        """Tell whether another message has most of its words in common with this one."""
        words, others = (_WORDS.findall(_FOLDER.sub("", each.line)) for each in (self, other))
        matcher = SequenceMatcher(None, words, others, autojunk=False)
        common = sum(block.size for block in matcher.get_matching_blocks())
        return common >= max(_MIN_WORDS, _ALIKE * min(len(words), len(others)))


def telling(said: Transcript, source: str) -> Iterator[Message]:
    """Yield the lines that give a reason, and are not in the input, the most telling first.

    `source` is the text of the input, whose names a smaller one need not have. First come lines on
    a place in the input, whatever they say unless it is a warning, then on any other place.
    """
    lines = [each for each in _lines(said, source) if not _SUMMARY.fullmatch(each.text)]
    reasons = [each for each in lines if _REASON.search(each.own)]
    of_input = [each for each in lines if each.file and each.file in source]
    of_input = [each for each in of_input if not _ASIDE.match(each.marked)]
    first = [*(each for each in of_input if each in reasons), *of_input]
    placed = [each for each in reasons if each.file]
    refusals = [each for each in lines if _REFUSAL.search(each.own)]
    details = [each for each in lines if _DETAIL.search(each.own)]
    yield from _messages([*first, *placed, *reasons, *refusals, *details], source)


def last(said: Transcript, source: str) -> Iterator[Message]:
    """Yield the lines that are not in the input, the last first, without what wrappers say."""
    lines = _lines(said, source)[::-1]
    yield from _messages([each for each in lines if not _SUMMARY.fullmatch(each.text)], source)


def summaries(said: Transcript, source: str) -> Iterator[Message]:
    """Yield what wrappers and runners say at the end of whatever it was that failed."""
    lines = _lines(said, source)[::-1]
    yield from _messages([each for each in lines if _SUMMARY.fullmatch(each.text)], source)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without decoration; what it says of `file` begins at `message`.

    `own` is what is in it besides quotes of the input. A heading has the next line with it.
    """

    text: str
    marked: str
    own: str
    file: str
    next: str


def _lines(said: Transcript, source: str) -> list[_Line]:
    lines = []
    pairs = [*said.lines(), ("", "")]
    for (text, marked), (_, following) in pairwise(pairs):
        stripped = _undecorated(text)
        shown = _SHOWN.match(text)
        if not stripped or stripped in source or (shown and shown["line"].strip() in source):
            continue
        start = len(text) - len(text.lstrip(_DECORATION))
        place = _PLACE.match(stripped)
        file = place["file"].rpartition("/")[2] if place else ""
        before, after = (place.start("file"), place.end()) if place else (0, 0)
        of_linker = _OF_LINKER.search(stripped)
        begin, end = of_linker.span() if of_linker else (after, len(stripped))
        if _REASON.search(stripped[:before]):  # the place stands in a sentence
            begin = 0
        kept = marked[start + begin : start + end]
        own = _QUOTED.sub(
            lambda each: "" if each[0][1:-1] in source else each[0],
            stripped[:before] + stripped[after:],
        )
        says = {word.lower() for word in _WORDS.findall(_FILE_NAME.sub("", stripped))}
        is_heading = says <= _OF_HEADING or (
            stripped.endswith(":") and (place is None or after == len(stripped))
        )
        numbered = _NUMBERED.match(following)
        is_shown = numbered and numbered["line"] in source
        heading = _undecorated(following) if is_heading and not is_shown else ""
        lines.append(_Line(stripped, kept, own, file, heading))
    return lines


def _undecorated(text: str) -> str:
    bare, text = text.strip(_DECORATION), text.strip()
    is_lone = _LONE.search(text) and text.startswith(bare)
    return text if is_lone else bare


def _messages(lines: list[_Line], source: str) -> Iterator[Message]:
    for line in dict.fromkeys(lines):
        pattern, loose = (
            masked(line.marked, source, keep)
            + (r"\W*" + masked(line.next, source, keep) if line.next else "")
            for keep in (NAME_CHARS, 0)
        )
        if says_something(pattern):
            yield Message(line.text, pattern, loose)
