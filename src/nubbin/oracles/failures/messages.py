"""Find the lines of an output that give the reason of a failure, and those that report errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Self

from nubbin.oracles.failures.details import MAX_LINES, as_pattern, evidence
from nubbin.oracles.failures.masking import NAME_CHARS, escaped, masked, says_something
from nubbin.oracles.failures.transcript import Transcript
from nubbin.pattern import pattern

# Words that programs print about any bug of their own, and options that print more about it.
_OF_BUG = pattern(
    r"and|bugs?|compiler|crash(?:ed)?|full|github|instructions|internal|issues?|master|please"
    r"|problem|report|segmentation|fault|see|submit|there|this|try|un(?:expected|known)|using"
    r"|version|was|with|you",
    re.IGNORECASE,
)
_MORE = pattern(r"--[\w-]*(?:trace|stack)[\w-]*|\b[A-Z_]+TRACE=\w+")
_MIN_TELLING_WORDS = 2
# A place in a file before a message: `a.c:7:1: `, `a.y:7.1-9: `, `a.ts(7,1): `, `A.java:[7,1] `.
_PLACE = pattern(
    r"""^ (?:.*?[\s:])?? (?P<file>(?=[^\s:]*[A-Za-z])[^\s:()"]+)
    (?: :\d+(?:[:.]\d+)?(?:-[\d.]+)?(?::|[ ]-[ ])
    | \(\d+(?:,\d+)*\): | :\[\d+,\d+\][ ] | :[ ]line[ ]\d+: )""",
    re.VERBOSE,
)
_REASON = pattern(
    r"error|assert|fatal|panic|abort|exception|fail|violation|overflow|multiple definition"
    r"|(?:undefined|unresolved) (?:reference|symbol)",
    re.IGNORECASE,
)
_REFUSAL = pattern(
    r"\b(?:can(?:no|')t|unable|no such|required|not"
    r" (?:found|defined|allowed|supported|valid|of|one|a|an|implemented)"
    r"|refused|denied|invalid|illegal|unexpected|expected|unknown|undefined|undeclared|duplicate"
    r"|missing|conflict\w*|mismatch\w*|unsupported|unterminated|malformed|could not|does not"
    r"|too (?:many|few|long|deep)|must (?:not )?be)\b",
    re.IGNORECASE,
)
# Says that something should have happened, and did not.
_ABSENCE = pattern(
    r"\bDID NOT RAISE\b|\bnot raised\b|\b(?:did|does) ?n[o']t (?:raise|throw|warn)\b"
    r"|\bexpected (?:an |some )?exception|\bmissing expected (?:exception|rejection)"
    r"|\bexpected\b.{0,80}\bto (?:throw|raise|reject|warn|have been called|be called)\b"
    r"|\bno (?:exception|error|warning)s?\b.{0,20}\b(?:raised|thrown|emitted)"
    r"|\bnothing was (?:raised|thrown)\b|\bexception of type .* is thrown\b",
    re.IGNORECASE,
)
# The start of a line that gives no reason, such as a note or a frame of a stack.
_ASIDE = pattern(r"\W*(?:(?:warning|note|info|hint|help|remark|in|from|at)\b|$)", re.IGNORECASE)
_DETAIL = pattern(r":\d+\b|\bline \d+|\bwarning\b", re.IGNORECASE)
# The last words of wrappers and runners, whatever it was that failed.
SUMMARY: Final = pattern(
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
    | (?:\#[ ]?|(?:ℹ|✖|×)[ ])? (?:Found[ ]|There[ ]w(?:as|ere)[ ]|Would[ ]fix[ ])?
        (?:\d+|one|some|no)[ ]
        (?:\w+[ ]){0,2}(?:errors?|warnings?|problems?|fail\w*|pass\w*|tests?|examples?|runs)\b.*
    | (?:\#|ℹ)[ ](?:tests|suites|pass|fail|failed|cancelled|skipped|todo|duration_ms
        |Looks[ ]like)\b.*
    | Tests?(?:[ ](?:Suites|Files))?:?[ ]+(?:\d+|run:).* | test[ ]result:.* | \d+%[ ]tests.*
    | Failed[ ](?:Suites|Tests)[ ]\d+
    | Errors[ ]while[ ]running.* | The[ ]following[ ]tests[ ]FAILED.* | Failed[ ]examples:
    | There[ ]are[ ]test.* | Failed[ ]to[ ]execute[ ]goal.* | To[ ]see[ ]the.* | Re-run.*
    | For[ ]more[ ]information.* | After[ ]correcting.* | ->.* | Please[ ]refer.* | .*\[Help[ ].*
    | COMPILATION[ ]ERROR.* | compilation[ ](?:terminated|failed|aborted).*
    | SUMMARY:[ ]\w+Sanitizer:[ ].* | .*\bconfused[ ]by[ ]earlier[ ]errors\b.*
    | .*warnings[ ]being[ ]treated[ ]as[ ]errors.* | .*-Werror[ ]specified.*
    | (?:Time|Duration|Finished|Ran|real|user|sys)\b.*\d.*
    | (?:\S+[ ]){0,3}(?:had|with|has|produced)[ ]\d+[ ](?:\w+[ ])?(?:errors?|failures?)\b.*
    )""",
    re.VERBOSE | re.IGNORECASE,
)
# The kind of a message about a place in the input.
_OF_INPUT = "an error in the input"
# What a linker says about a symbol, without the names of files.
OF_LINKER: Final = r"(?:multiple definition of|undefined reference to) [`'].+?'"
_QUOTED = pattern(r"'[^'\n]+'|\"[^\"\n]+\"|`[^`'\n]+[`']|‘[^’\n]+’|“[^”\n]+”")
# A line of the input as compilers show it: `   12 | x = 1`.
_SHOWN = pattern(r"^\W*\d+\s*[|│:]\s*(?P<line>\S.*)$")
# Two messages are alike if they have this many words in common, and this share of the shorter.
_WORDS = pattern(r"[^\W\d_]{2,}")
_MIN_WORDS = 3
_ALIKE = 0.75
_FOLDER = pattern(r"\S*/nubbin-\S*")
# Words of a line that says only that something failed, and where: `Uncaught exception in a.js`,
# `Parse error at a.js:7,20`.
_OF_HEADING = pattern(
    r"an|at|compil(?:ation|e|ing)|during|errors?|exception|fail(?:ed|ure)|fatal|file|in|invalid"
    r"|line|occurred|of|on|pars(?:e|ing)|rejection|syntax|the|to|uncaught|unhandled|while",
    re.IGNORECASE,
)
# A sentence without names, numbers and quotes, such as `Validation errors were found.`: a heading
# if the line below it is indented.
_SENTENCE = pattern(r"[A-Z][A-Za-z, ]+[.!]\s*")
_FILE_NAME = pattern(r"\S*[\w)\]][./]\w\S*")
_NUMBERED = pattern(r"^\W*\d+\b\W*(?P<line>\w.*?)\s*$")
# The subject of a heading is at most this many lines below it, maybe below a part of the input.
_MAX_BELOW_LINES = 12
# The rule of a linter's finding, which is no reason if the linter itself breaks: `E501 line`.
_OF_RULE = pattern(r"\W*[A-Z]{1,4}\d{2,5}\b")
_FRAME = pattern(r"^at\s.*:\d+\)?$")
# Removed from both ends of a line. A single mark at its end belongs to it: `unexpected =`.
_DECORATION = " \t\r^~-=*|>⎯"
_LONE = pattern(r"\w[ ][~=*|>^-]$")


@dataclass(frozen=True, slots=True)
class Message:
    """A line of an output, and regular expressions for it, or for a report around it.

    Both should match the outputs for smaller inputs: `pattern` if the input's names in it are still
    the same, `loose` with any names. Failures that are printed side by side have the same `kind`,
    and each is `about` something else. A failure of the test `around` them follows from them.
    `is_bare_test`: a test of the input fails, and the report has hardly more. If `line` is a
    heading, its subject is `below` it. `frame` is the innermost function of the program in a
    report, if the report has a stack and the input does not define that function.
    """

    line: str
    pattern: str
    loose: str
    kind: str = ""
    about: str = ""
    around: str = ""
    is_bare_test: bool = False
    below: str = ""
    frame: str = ""

    @property
    def told(self) -> str:
        """The line and the lines that explain it, for a user."""
        return f"{self.line} {self.below}".rstrip()

    @property
    def is_summary(self) -> bool:
        """Whether this is a summary of a wrapper or a runner, which is the same for any failure."""
        return SUMMARY.fullmatch(self.line) is not None

    @property
    def is_report(self) -> bool:
        """Whether this is a report in a known format."""
        return self.kind not in {"", _OF_INPUT}

    @property
    def tells_no_bug(self) -> bool:
        """Whether it says that a program failed, and almost nothing about where or how."""
        telling = [word for word in _words(self.line) if not _OF_BUG.fullmatch(word)]
        return "(?s:.*)" not in self.pattern and len(telling) < _MIN_TELLING_WORDS

    @property
    def is_of_absence(self) -> bool:
        """Whether it reports an absence: any input without the cause has the same message."""
        return _ABSENCE.search(self.line) is not None

    def is_like(self, other: Self) -> bool:
        """Tell whether most words of one message are in the other."""
        words, others = (_WORDS.findall(_FOLDER.sub("", each.line)) for each in (self, other))
        matcher = SequenceMatcher(None, words, others, autojunk=False)
        common = sum(block.size for block in matcher.get_matching_blocks())
        return common >= max(_MIN_WORDS, _ALIKE * min(len(words), len(others)))

    def is_beside(self, other: Self) -> bool:
        """Tell whether another message reports a different failure of the same kind."""
        is_of_kind = self.kind != "" and self.kind == other.kind
        is_another = other.about not in (self.about, self.around)
        return is_of_kind and is_another and not self.is_like(other)


def telling(said: Transcript, source: str) -> Iterator[Message]:
    """Yield the lines that give a reason and are not in the input, the most telling first.

    Lines about a place in the input come first, unless they are warnings, then lines about other
    places. `source` is the text of the input. A smaller input may not contain its names.
    """
    lines = [each for each in _lines(said, source) if not _is_aside(each.text)]
    ranks = {line: _rank(line, source) for line in lines}
    telling = [line for line in ranks if ranks[line] < _NO_REASON]
    yield from _messages(sorted(telling, key=ranks.__getitem__), source)


_NO_REASON = 7


def _rank(line: _Line, source: str) -> int:
    """Return how telling a line is: 0 if most, _NO_REASON if it gives none."""
    gives_reason = _REASON.search(line.own)
    is_of_input = line.file and line.file in source and not _ASIDE.match(line.marked)
    is_of_rule = is_of_input and _OF_RULE.match(line.marked)
    ranks = (
        is_of_input and gives_reason,
        is_of_input and not is_of_rule,
        line.file and gives_reason,
        gives_reason,
        is_of_rule,
        _REFUSAL.search(line.own),
        _DETAIL.search(line.own),
    )
    return next((rank for rank, holds in enumerate(ranks) if holds), _NO_REASON)


def option_for_more(output: str) -> str:
    """Return the option that a program recommends to show where it breaks; "" if none."""
    more = _MORE.search(output)
    return more[0] if more else ""


def from_the_end(said: Transcript, source: str) -> Iterator[Message]:
    """Yield the lines that are not in the input, the last first, without summaries."""
    lines = _lines(said, source)[::-1]
    yield from _messages([each for each in lines if not SUMMARY.fullmatch(each.text)], source)


def summaries(said: Transcript, source: str) -> Iterator[Message]:
    """Yield the summaries of wrappers and runners, the last first."""
    lines = _lines(said, source)[::-1]
    yield from _messages([each for each in lines if SUMMARY.fullmatch(each.text)], source)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line without decoration. `marked` is its message, after the place in `file`.

    `own` is the line without the place and without quotes of the input; `below` is the subject of a
    heading, or the evidence for a message.
    """

    text: str
    marked: str
    own: str
    file: str
    below: tuple[str, ...]

    @classmethod
    def of(cls, text: str, marked: str, following: Sequence[str], source: str) -> Self | None:
        """Return a line of an output; None if it is empty, or a line of the input."""
        stripped = _undecorated(text)
        shown = _SHOWN.match(text)
        if not stripped or stripped in source or (shown and shown["line"].strip() in source):
            return None
        place = _PLACE.match(stripped)
        file = place["file"].rpartition("/")[2] if place else ""
        before, after = (place.start("file"), place.end()) if place else (0, 0)
        of_linker = re.search(OF_LINKER, stripped)
        begin, end = of_linker.span() if of_linker else (after, len(stripped))
        if _REASON.search(stripped[:before]):  # the place is part of a sentence
            begin = 0
        start = len(text) - len(text.lstrip(_DECORATION))
        own = _QUOTED.sub(
            lambda each: "" if each[0][1:-1] in source else each[0],
            stripped[:before] + stripped[after:],
        )
        is_of_below = stripped.endswith(":") and after in {0, len(stripped)}
        if is_of_below or _is_heading(text, stripped, following):
            below = _below(stripped, following, source)
        else:  # a place alone has no evidence
            below = evidence(following) if _words(stripped) else ()
        return cls(stripped, marked[start + begin : start + end], own, file, below)


def _lines(said: Transcript, source: str) -> list[_Line]:
    """Return the lines of an output that are not in the input."""
    texts = list(said.lines())
    lines = (
        _Line.of(text, marked, [each for _, each in texts[number : number + MAX_LINES]], source)
        for number, (text, marked) in enumerate(texts, start=1)
    )
    return [line for line in lines if line is not None]


def _is_heading(text: str, stripped: str, following: Sequence[str]) -> bool:
    """Tell whether a line has no telling word, or is a sentence with an indented line below it."""
    if _SENTENCE.fullmatch(text) and following and following[0].startswith(" "):
        return True
    return bool(_WORDS.search(_FILE_NAME.sub("", stripped))) and not _words(stripped)


def _words(line: str) -> list[str]:
    """Return the words of a line, without names of files and words that any failure has."""
    words = _WORDS.findall(_FILE_NAME.sub("", line))
    return [word for word in words if not _OF_HEADING.fullmatch(word)]


def _below(heading: str, lines: Sequence[str], source: str) -> tuple[str, ...]:
    """Return the subject of a heading: the first line below it that is not in the input."""
    for text in map(_undecorated, lines[:_MAX_BELOW_LINES]):
        numbered = _NUMBERED.match(text)
        if not _words(text) or text in source or (numbered and numbered["line"] in source):
            continue
        places = {each[0] for line in (heading, text) if (each := _PLACE.match(line))}
        return () if _is_aside(text) or len(places) > 1 else (text,)
    return ()


def _is_aside(text: str) -> bool:
    return (_FRAME.match(text) or SUMMARY.fullmatch(text)) is not None


def _undecorated(text: str) -> str:
    bare, text = text.strip(_DECORATION), text.strip()
    is_lone = _LONE.search(text) and text.startswith(bare)
    return text if is_lone else bare


def _messages(lines: list[_Line], source: str) -> Iterator[Message]:
    for line in dict.fromkeys(lines):
        pattern, loose = (
            masked(line.marked, source, keep) + as_pattern(line.below, source, keep)
            for keep in (NAME_CHARS, 0)
        )
        if says_something(pattern):
            is_error = line.file in source and not (
                _ASIDE.match(line.marked) or _OF_RULE.match(line.marked)
            )
            kind = _OF_INPUT if line.file and is_error else ""
            yield Message(line.text, pattern, loose, kind, loose, below=" ".join(line.below))


# How a compiler, a linker or a checker marks an error: at the beginning of a line, or behind a
# place (`a.c:7:1: `, `a.ts(7,1): `). The name of an exception is not such a mark.
_ERROR_PLACE: Final = r"(?:[^\s:()]+(?::[\d.:-]+|\([\d,]+\))?:? +(?:- +)?)?"
_SEVERITY: Final = (
    r"\[?(?:(?:[Ff]atal|[Ss]yntax|[Pp]arse) )?(?:[Ee]rror|ERROR)\b(?: ?\[?[A-Z]+[-\d]*\]?|\])?:? "
)
_ERROR: Final = rf"(?:{_ERROR_PLACE}{_SEVERITY}|.*\b(?={OF_LINKER}))"
# Ignored: lines with colours, which are also searched without them, and warnings made errors, which
# depend on the text around them.
_IGNORED: Final = r"\x1b|\[-W"
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
        if not re.search(_IGNORED, found[0]) and not SUMMARY.fullmatch(found[0].strip()):
            kinds[_kind_of_error(said.marked[slice(*found.span("message"))], source)] = None
    return None if len(kinds) > _MAX_KINDS else "|".join(kinds) or _NO_KIND


def other_error(known: str) -> str:
    """Return an expression for an error line of an unknown kind; `known` matches known kinds."""
    summary = rf"[ \t]*(?ix:{SUMMARY.pattern})[ \t\r]*$"
    return rf"^(?!{summary}|.*(?:{_IGNORED}|{known})){_ERROR}.*\w.*"


def _kind_of_error(message: str, source: str) -> str:
    if of_linker := re.match(OF_LINKER, message):
        return escaped(of_linker[0])
    return masked(_SUGGESTION.sub("", message), source, NAME_CHARS)
