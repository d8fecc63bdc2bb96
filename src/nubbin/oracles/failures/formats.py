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

from nubbin.oracles.failures.masking import NAME_CHARS, escaped, is_of, masked, whole_word
from nubbin.oracles.failures.messages import Message
from nubbin.oracles.failures.transcript import Transcript
from nubbin.pattern import pattern

# The lines of a report up to its next part: few, so that a match does not span two reports.
_LINES = r"(?:.*\n){,60}?"
# Exclude lines about files outside the project.
_OF_PROJECT = r"(?!.*(?:node_modules/|node:|internal/))"
# The lines of a block of YAML before a field. Each field is searched from the start of the block,
# so the time does not multiply with the number of fields.
_OF_BLOCK = r"(?:(?![ ]*\.\.\.$).*\n){,60}?"
# The comment that names a test, above a failed assertion of TAP. Between them are no comment and no
# other failed assertion, and no line with less indentation, which would end the test. Some runners
# print each name twice, as a comment and as its own assertion: that is no enclosing test.
_TAP_SUITE = r"""
    ^([ ]*)\#[ ](?:Subtest:[ ])?(?P<suite>(?!Subtest:)[^\s(].*)\n
    (?: (?!\1\#|[ ]*not[ ]ok) (?:\1.*|(?!\1)[ ]*)\n ){,200}?
    (?=\1not[ ]ok) (?!.*-[ ](?P=suite)[ ]*(?:\#.*)?$)"""
_MESSAGE = r"(?P<values>\S.*) (?: (?<=:)\n\s*(?P<values2>\S.*) )?"
# The last cause of a Java exception. A framework may wrap it in many other exceptions.
_CAUSE = r"(?: (?:\n(?!\d+\)[ ]|$).*)* \nCaused[ ]by:[ ](?P<values9>.*) )?"

#: Reports of failed tests: which test, the expected and actual values, and where.
TEST_RUNNERS: Final = {
    "pytest": r"""
        ^E[ ]+(?P<values>\S.*) (?: (?<=:)(?:\nE[ ]*$)*\nE[ ]+(?P<values2>\S.*) )?
        (?: (?:\nE.*){,5}? \nE[ ]+(?P<values3>assert[ ].+) )?
        (?: (?:\nE.*){,20}? \nE[ ]+\+[ ]+where[ ](?P<values4>.*(?:Error|Exception)\(.*) )?
        (?:\n.*)*? (?: \n (?:\S*/)?(?P<place>[\w.-]+):\d+:[ ]\w+ (?:\n.*)*? )?
        \n (?:FAILED|ERROR)[ ](?P<test>.+?)(?:[ ]-[ ].*)?$""",
    "pytest, in a line": r"""
        ^(?:FAILED|ERROR)[ ](?P<test>\S+?\.py\b.*?)(?:[ ]-[ ](?P<values>.*))?$""",
    "unittest": r"""
        ^(?:ERROR|FAIL):[ ](?P<test>.+)\n (?:.+\n)?? -+\n Traceback[ ].*\n (?:[ ].*\n)*
        [ ]+File[ ]"(?:[^"\n]*/)?(?P<place>[^/"\n]+)",[ ].*\n (?:[ ].*\n)*
        (?P<values>[^\W\d][\w.]*(?::[ ].*)?)$""",
    "Trial": r"""
        ^\[(?:FAIL|ERROR)\]\nTraceback[ ].*\n (?:[ ].*\n)*
        [ ]+File[ ]"(?!.*/(?:unittest|twisted/trial)/)(?:[^"\n]*/)?(?P<place>[^/"\n]+)",[ ].*\n
        (?:[ ].*\n)* (?P<values>[^\W\d][\w.]*(?::[ ].*)?)\n (?:.+\n)*
        \n (?P<test>[\w.]+)$""",
    "doctest": r"""
        ^File[ ]"(?:[^"\n]*/)?(?P<place>[^/"\n]+)",[ ]line[ ]\d+,[ ]in[ ](?P<test>.+)\n
        Failed[ ]example:\n (?:[ ]{4}.*\n)+
        (?: Exception[ ]raised:\n (?:[ ]{4}.*\n)* [ ]{4}(?P<values>\S.*)$
        | Expected.*\n (?: [ ]{4}(?P<values2>.*)\n (?:[ ]{4}.*\n)* )?
            Got.*\n [ ]{4}(?P<values3>.*)$ )""",
    "Mocha": rf"""
        ^[ ]+1\)[ ](?!(?:Error|Failure):$)(?: .*\n (?:[ ]+.*[^:\n]\n)*? [ ]+ )? (?P<test>.+):\n\s*
        {_MESSAGE}\n
        (?: {_LINES} [ ]+at[ ]{_OF_PROJECT}.*?(?P<place>[\w.-]+):\d+:\d+ )?""",
    "Jasmine": rf"""
        ^1\)[ ](?P<test>.+)\n[ ]+Message:\n\s* {_MESSAGE}\n
        (?: {_LINES} [ ]+at[ ]{_OF_PROJECT}.*?(?P<place>[\w.-]+):\d+:\d+ )?""",
    "AVA": r"""
        ^[ ]{2}(?P<test>\S.*)\n\n [ ]{2}(?:\S*/)?(?P<place>[\w.-]+):\d+\n (?:.*\n){,20}?
        [ ]{2}(?:Difference.*|(?P<values>\S.*:))\n\n [ ]{2}(?P<values2>\S.*)
        (?: \n[ ]{2}(?P<values3>\S.*) )?""",
    "Busted": r"""
        ^(?:Failure|Error)[ ]->[ ](?:\S*/)?(?P<place>[\w.-]+)[ ]@[ ]\d+\n (?P<test>.+)\n
        (?:\S+:\d+:[ ])?(?P<values>\S.*)
        (?: \nPassed[ ]in:\n(?P<values2>.*)\nExpected:\n(?P<values3>.*) )?""",
    "Jest": rf"""
        ^[ ]*●[ ](?P<test>.+)\n\s* {_MESSAGE}\n
        (?: \s*(?P<values3>Expected\b.*)\n \s*(?P<values4>Received\b.*)\n )?
        (?: {_LINES} [ ]+at[ ]{_OF_PROJECT}.*?(?P<place>[\w.-]+):\d+:\d+ )?""",
    "Vitest": rf"""
        ^[ ]*FAIL[ ]+(?P<test>\S.*[ ]>[ ].*|\S+(?=[ ]\[[ ]))(?:[ ]\[[ ].*[ ]\])?\n {_MESSAGE}\n
        (?: {_LINES} [ ]*❯[ ]{_OF_PROJECT}.*?(?P<place>[\w.-]+):\d+:\d+ )?""",
    "a test of Perl": r"""
        ^\#[ ]+Failed[ ]test(?:[ ]'(?P<test>.*)')?\s.*\n (?:\#[ ]+at[ ].*\n)?
        (?:\#[ ]+got:[ ](?P<values>.*)\n \#[ ]+expected:[ ](?P<values2>.*) )?""",
    "TAP": rf"""
        (?:{_TAP_SUITE})?
        ^[ ]*(?P<text>not[ ]ok)\b[ ]?\d*[ ]?-?[ ]?
        (?P<test>(?!.*\#[ ](?:TODO|SKIP))\S.*?)(?:[ ]\#.*)?\n
        (?: [ ]*---\n
            (?: (?={_OF_BLOCK}[ ]+operator:[ ](?P<values>.+)\n) | )
            (?: (?={_OF_BLOCK}[ ]+error:[ ](?:\|-\n\s*)?(?P<values2>.+?)
                (?:(?<=:)\n\s*(?P<values3>\S.*))?\n) | )
            (?: (?={_OF_BLOCK}[ ]+expected:[ ]+(?P<values4>.*)\n
                [ ]+actual:[ ]+(?P<values5>.*)\n) | )
        | (?:\#[ ]\([^)]*\)\n)? \#[ ]+(?P<values6>\S.*)\n )?""",
    "the tests of Node.js": rf"""
        ^[ ]*✖[ ](?P<test>.+?)[ ]\([\d.]+ms\)\n [ ]+{_MESSAGE}\n""",
    "go test": r"""
        ^[ ]*---[ ]FAIL:[ ](?P<test>\S+)[ ].*\n
        (?: [ ]+(?P<place>[\w.-]+):\d+:[ ]?\s*(?!\s)
            (?:Error[ ]Trace:.*\n (?:.*\n)*? \s+Error:\s+)? (?P<values>\S.*)
            (?: (?<=:[ ])\n\s+(?P<values2>expected.*)\n\s+(?P<values3>actual.*) )?
        | (?P<error>(?:panic|fatal[ ]error):[ ].*) (?:\n.*)*?
            \n(?!testing\.|runtime\.|panic\(|created[ ]by)(?P<frame>[\w./*()-]+?)\(.*\n\t )""",
    "go test -v": r"""
        ^===[ ]RUN[ ]+(?P<test>\S+)\n [ ]+(?P<place>[\w.-]+):\d+:[ ](?P<values>\S.*)$""",
    "cargo test": r"""
        ^----[ ](?P<test>.+)[ ]stdout[ ]----\n (?:.*\n)*?
        thread[ ].*[ ]panicked[ ]at[ ](?:'(?P<values>.*)',[ ])?
        (?:.*/)?(?P<place>[\w.-]+):\d+:\d+:?\n
        (?P<values2>.*) (?: \n[ ]+left:[ ](?P<values3>.*)\n[ ]+right:[ ](?P<values4>.*) )?""",
    "JUnit, by Maven": rf"""
        ^(?:\[ERROR\][ ])?(?!.*Tests[ ]run:)(?P<test>[\w.$()\[\]]+).*<<<[ ](?:FAILURE|ERROR)!.*\n
        (?P<values>\S.*)
        (?: \n (?:\tat[ ](?:org\.|java|jdk\.).*\n)*\tat[ ].*\((?P<place>[\w.]+):\d+\) )?
        {_CAUSE}""",
    "JUnit, by Gradle": r"""
        ^(?P<test>\S+[ ]>[ ].+)[ ]FAILED\n[ ]+(?P<values>\S+?)(?::[ ](?P<values2>.*)
        | [ ]at[ ](?P<place>[\w.]+):\d+ )$""",
    "JUnit": rf"""
        ^\d+\)[ ](?P<test>\S.*\([\w.$]+\))\n(?P<values>\S.*) {_CAUSE}$""",
    "PHPUnit": r"""
        ^\d+\)[ ](?P<test>[\w\\]+::.+)\n(?P<values>\S.*)
        (?: \n(?P<values2>Failed[ ]asserting[ ].*) )?""",
    "RSpec": r"""
        ^[ ]+1\)[ ](?P<test>.+)\n [ ]+Failure/Error:[ ].*\n (?:[ ]+\S.*\n)*? \n?
        [ ]+(?P<values>\S.*) (?: \n[ ]+(?P<values2>\S.*) )?
        (?: (?:\n.*){,30}? \n[ ]+\#[ ](?:\S*/)?(?P<place>[\w.-]+):\d+:in )?""",
    "RSpec, of a file that it cannot load": r"""
        ^An[ ]error[ ]occurred[ ]while[ ]loading[ ](?:\S*/)?(?P<place>[\w.-]+?)\.
        (?:[ ]-[ ].*\n (?:.*\n){,9}? | \n)
        Failure/Error:[ ].*\n (?:[ ]+.*\n)* \n (?P<values>\S.*)\n [ ]+(?P<values2>\S.*)$""",
    "Minitest": r"""
        ^[ ]+1\)[ ](?:Error|Failure):\n (?P<test>\S+?)(?:[ ]\[.*\])?:\n
        (?P<values>.+) (?: \n[ ]*(?P<values2>Actual:.*) )?""",
    "GoogleTest": r"""
        ^(?:.*/)?(?P<place>[\w.-]+):\d+:[ ]Failure\n (?P<values>\S.*)
        (?: (?<=:)\n\s*(?P<values2>\S.*)\n\s*(?P<values3>\S.*)\n\s*(?P<values4>\S.*) )?
        (?:\n(?!\[).*)*? \n\[[ ]+FAILED[ ]+\][ ](?P<test>[^\s,]+)""",
}
#: Formats that name the failed test and nothing else, so every other format comes first.
SUITES: Final = {
    "CTest": r"""
        ^[ \t]*\d+[ ]-[ ](?P<test>\S+)[ ]\((?P<text>[A-Z][\w ]+)\)$""",
}


# Exclude the frames of the runtime.
_SANITIZER = (
    r"(?!__|_IO_|operator[ ]|_*(?:mem|str)[a-z]{3,6}[ ]|\w*alloc|free[ ]"
    r"|f(?:seek|tell|read|write|puts|gets)[ ])"
)
_RUST = r"(?!_*rust_|__rustc::|<?core::|<?alloc::|<?std::)"
_VALGRIND = r"(?!.*\(in[ ].*/(?:vgpreload|libc\b|libstdc))"
_PYTHON = r"(?!<|[^\"\n]*/python3\.\d+/(?!site-|dist-))"
_JAVA = r"(?!java\.|javax\.|jdk\.|sun\.|com\.sun\.|scala\.|kotlin\.)"
_NODE = r"(?!.*\((?:node:|<anonymous>)|(?:Object|Module)\.)"
# Begins the message of a JavaScript error. It may be followed by many lines before the stack.
_ERROR = r"(?:ERROR|[\w.$]*(?:Error|Exception))\b"
_DOTNET = r"(?!System\.|Microsoft\.)"

#: Crash reports: of native code, and of exceptions that nothing caught.
CRASHES: Final = {
    "a report of AddressSanitizer, MemorySanitizer or ThreadSanitizer": rf"""
        :[ ]?(?P<text>(?:Address|HWAddress|Memory|Thread)Sanitizer:[ ].+?)
        (?=[ ]on[ ]|[ ]\(|:[ ]|$)
        (?: .*\n (?:.*\n){{,4}}? [ ]*\#\d+[ ](?:0x[0-9a-f]+[ ]in[ ]|(?!0x)) {_SANITIZER}
            (?P<frame>[^\s(<]+) )?""",
    "a leak found by LeakSanitizer": rf"""
        (?P<text>LeakSanitizer:[ ]detected[ ]memory[ ]leaks)
        (?: \n\n .*\n (?:[ ]*\#.*\n)*? [ ]*\#\d+[ ]0x[0-9a-f]+[ ]in[ ] {_SANITIZER}
            (?P<frame>[^\s(<]+) )?""",
    "a runtime error of UndefinedBehaviorSanitizer": r"""
        (?:^|[\s/])(?P<frame>[^\s/:]+:\d+:\d+):[ ](?P<error>runtime[ ]error:[ ].*)""",
    "an error of Valgrind": rf"""
        ^==\d+==[ ] (?: [\d,]+[ ](?:\(.*\)[ ])?bytes[ ]in[ ].*?(?=definitely) )?
        (?P<error>(?:Invalid|Conditional|Use[ ]of|Syscall|Mismatched|Source[ ]and|Argument|Jump
            |Possible[ ]data[ ]race|definitely[ ]lost).*?) (?:[ ]in[ ]loss.*)?\n
        (?: (?:==\d+==[ ]+(?:at|by)[ ].*\n)*? ==\d+==[ ]+(?:at|by)[ ]0x[0-9A-F]+:[ ] {_VALGRIND}
            (?P<frame>[^\s(<]+) )?""",
    "a panic of Rust": rf"""
        ^thread[ ].*[ ]panicked[ ]at[ ](?!')(?:.*/)?(?P<frame>.*?):?\n (?P<error>.*)
        (?: \n stack[ ]backtrace:\n (?:.*\n){{,40}}? [ ]+\d+:[ ](?:0x\w+[ ]-[ ])? {_RUST}
            (?P<frame2>[^\s{{]+) )?""",
    "a panic of Rust before 1.73": r"""
        ^thread[ ].*[ ]panicked[ ]at[ ]'(?P<error>.*)',[ ](?:.*/)?(?P<frame>[^\s/]+:\d+:\d+)$""",
    "an internal error of a compiler": r"""
        (?P<error>(?i:\binternal[ ](?:compiler[ ])?(?:error|bug)\b).*?)
        (?: (?P<text>\b(?:at[ ][\w./-]+:\d+|in[ ]file[ ].*[ ]line[ ].*\d+).*) )?$
        (?: \n (?:0x.*\n\t.*\n)*? 0x[0-9a-f]+[ ](?P<frame>[\w:~]+)\( )?""",
    "a stack dump of LLVM": r"""
        ^(?P<text>Stack[ ]dump:)\n
        (?:.*\n){,40}? [ ]*\#\d+[ ]0x[0-9a-f]+[ ](?!llvm::sys::)(?P<frame>[\w:~]+)\(""",
    "a signal in GDB": r"""
        ^Program[ ](?:received|terminated[ ]with)[ ]signal[ ](?P<text>SIG[A-Z]+).*
        (?: \n (?:.*\n)*? \#\d+[ ]+(?:0x[0-9a-f]+[ ]in[ ])?
            (?!_|\?|raise|abort|g?signal)(?P<frame>[\w:~]+)[ ]\( )?""",
    "an assertion in C or C++": r"""
        ^(?=.*Assertion[ ][`'].*'[ ]failed)
        (?: .*?\b(?P<frame>[\w~]+)(?:\([^\n`]*\).*)?:[ ] | .*? )
        (?P<text>Assertion[ ][`'].*'[ ]failed)""",
    "an abort of the C library": r"""
        ^(?P<text>(?:\*\*\*[ ][a-z ]+[ ]detected[ ]\*\*\*
            |(?:free|[a-z]*alloc|malloc_consolidate|munmap_chunk)\(\):
            |corrupted[ ]|double[ ]free[ ]or[ ]|Fatal[ ]glibc[ ]error:).*)""",
    "an uncaught exception in C++": r"""
        ^(?P<text>terminat(?:e[ ]called|ing)[ ].*) (?: \n[ ]+what\(\):[ ]+(?P<error>.*) )?""",
    "a panic of Go": r"""
        ^(?P<error>(?:panic|fatal[ ]error):[ ].*)\n
        (?:.*\n){,4}? goroutine[ ].*\n (?: (?:(?:panic|runtime|testing)[.(].*\n\t.*\n)*
            (?P<frame>[\w./*()]+?)\((?:.*\)|\.\.\.\))$ )?""",
    "a Java exception": rf"""
        ^(?:Exception[ ]in[ ]thread[ ]".*"[ ]|Caused[ ]by:[ ])?
        (?P<error>[\w.$]+(?:Exception|Error|Throwable)\b(?::[ ].*)?) \n
        (?=\t(?:at|\.\.\.)[ ]) (?!(?:\t.*\n)*Caused[ ]by:)
        (?: (?:\tat[ ].*\n)*? \tat[ ](?:[\w.-]+(?:@[\w.]+)?/+)? {_JAVA}
            (?P<frame>[\w.$<>]+)\( )?""",
    "a JavaScript error": rf"""
        ^(?:Uncaught[ ])?(?P<error>{_ERROR}.*)\n
        (?:(?!(?:Uncaught[ ])?{_ERROR}).*\n){{,200}}? (?=[ ]{{4}}at[ ])
        (?: (?:[ ]+at[ ].*\n)*? [ ]+at[ ] {_NODE}
            (?:async[ ]|new[ ])?(?P<frame>[\w.$]+)[ ]\( )?""",
    "a Python traceback and its cause": rf"""
        ^Traceback[ ]\(most[ ]recent[ ]call[ ]last\):\n (?:[ ].*\n)+
        (?P<error>[^\W\d][\w.]*(?::[ ].*)?)\n
        (?=(?:.*\n)*?\n(?:During|The[ ]above)[ ]) (?s:.*)^Traceback[ ].*:\n
        (?: (?:[ ].*\n)* [ ]+File[ ]"{_PYTHON}[^"\n]*",[ ]line[ ]\d+
            (?: ,[ ]in[ ]<\w+> | ,[ ]in[ ](?P<frame>\w+) )\n )?
        (?:[ ].*\n)* (?P<error2>[^\W\d][\w.]*(?::[ ].*)?)$""",
    "a Python traceback": rf"""
        ^Traceback[ ]\(most[ ]recent[ ]call[ ]last\):\n
        (?: (?:[ ].*\n)* [ ]+File[ ]"{_PYTHON}[^"\n]*",[ ]line[ ]\d+
            (?: ,[ ]in[ ]<\w+> | ,[ ]in[ ](?P<frame>\w+) )\n )?
        (?:[ ].*\n)*
        (?P<error>[^\W\d][\w.]*(?::[ ].*)?)$ (?!\n\n(?:During|The[ ]above)[ ])""",
    "a Ruby exception": r"""
        ^.*:\d+:in[ ][`'](?:block[ ].*in[ ])?(?:<.*>|(?P<frame>.*?))':[ ]
        (?P<error>.*[ ]\([A-Z][\w:]*\))$""",
    "a .NET exception": rf"""
        ^Unhandled[ ][Ee]xception[:.]\s+ (?P<error>[\w.]+(?::[ ].*)?)\n
        (?: (?:[ ]+at[ ].*\n)*? [ ]+at[ ] {_DOTNET}
            (?P<frame>[\w.<>`]+)[ ]?\( )?""",
    "a fatal error of PHP": r"""
        ^(?:PHP[ ])?(?:Fatal|Parse)[ ]error:[ ]+(?P<error>.*?)[ ]in[ ].*
        (?::|[ ]on[ ]line[ ])\d+$
        (?: \nStack[ ]trace:\n\#0[ ].*?:[ ](?P<frame>[\w\\>:-]+)\( )?""",
    "a syntax error of Perl": r"""
        ^(?P<error>.+)[ ]at[ ](?:\S*/)?(?P<frame>[^\s/]+)[ ]line[ ]\d+,[ ]
        (?P<error2>(?:near|at)[ ].+)$""",
    "an error of Perl": r"""
        ^(?P<error>.+)[ ]at[ ](?:\S*/)?(?P<frame>[^\s/]+)[ ]line[ ]\d+(?:,[ ]<.*)?\.$""",
}


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
