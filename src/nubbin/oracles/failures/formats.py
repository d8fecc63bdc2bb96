"""How programs report their failures: the formats that are recognised, and what is kept of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from nubbin.oracles.failures.masking import as_word, escaped, is_of, masked
from nubbin.oracles.failures.messages import Message

# Frames of the runtime, and not of the program that runs on it.
_SANITIZER = (
    r"(?!__|_IO_|operator[ ]|_*(?:mem|str)[a-z]{3,6}[ ]|\w*alloc|free[ ]"
    r"|f(?:seek|tell|read|write|puts|gets)[ ])"
)
_VALGRIND = r"(?!.*\(in[ ].*/(?:vgpreload|libc\b|libstdc))"
_PYTHON = r"(?!<|[^\"\n]*/python3\.\d+/(?!site-|dist-))"
_JAVA = r"(?!java\.|javax\.|jdk\.|sun\.|com\.sun\.|scala\.|kotlin\.)"
_NODE = r"(?!.*\((?:node:|<anonymous>)|(?:Object|Module)\.)"
_RUST = r"(?!_*rust_|__rustc::|<?core::|<?alloc::|<?std::)"
_DOTNET = r"(?!System\.|Microsoft\.)"

#: A format is a regular expression with the groups that are kept, in the order of the report: an
#: `error` is masked, a `text` is the same for each input that shows the bug, and so is a `frame`,
#: the innermost of the program, if it is not one of the input itself.
FORMATS: Final = {
    name: re.compile(text, re.MULTILINE | re.VERBOSE)
    for name, text in {
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
            ^thread[ ].*[ ]panicked[ ]at[ ](?:.*/)?(?P<frame>.*?):?\n (?P<error>.*)
            (?: \n stack[ ]backtrace:\n (?:.*\n){{,40}}? [ ]+\d+:[ ](?:0x\w+[ ]-[ ])? {_RUST}
                (?P<frame2>[^\s{{]+) )?""",
        "an internal error of a compiler": r"""
            (?P<error>(?i:\binternal[ ](?:compiler[ ])?(?:error|bug)\b).*?)
            (?: (?P<text>\b(?:at[ ][\w./-]+:\d+|in[ ]file[ ].*[ ]line[ ].*\d+).*) )?$
            (?: \n (?:0x.*\n\t.*\n)*? 0x[0-9a-f]+[ ](?P<frame>[\w:~]+)\( )?""",
        "a stack dump of LLVM": r"""
            ^(?P<text>Stack[ ]dump:)\n
            (?:.*\n){,40}? [ ]*\#\d+[ ]0x[0-9a-f]+[ ](?!llvm::sys::)(?P<frame>[\w:~]+)\(""",
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
            (?:.*\n){,4}? goroutine[ ].*\n (?: (?:(?:panic|runtime)[.(].*\n\t.*\n)*
                (?P<frame>[\w./*()]+?)\((?:.*\)|\.\.\.\))$ )?""",
        "a Java exception": rf"""
            ^(?:Exception[ ]in[ ]thread[ ]".*"[ ]|Caused[ ]by:[ ])?
            (?P<error>[\w.$]+(?:Exception|Error|Throwable)\b(?::[ ].*)?) \n
            (?=\t(?:at|\.\.\.)[ ]) (?!(?:\t.*\n)*Caused[ ]by:)
            (?: (?:\tat[ ].*\n)*? \tat[ ](?:[\w.-]+(?:@[\w.]+)?/+)? {_JAVA}
                (?P<frame>[\w.$<>]+)\( )?""",
        "a JavaScript error": rf"""
            ^(?:Uncaught[ ])?(?P<error>[\w.$]*(?:Error|Exception)\b.*)\n
            (?:.*\n){{,4}}? (?=[ ]{{4}}at[ ])
            (?: (?:[ ]+at[ ].*\n)*? [ ]+at[ ] {_NODE}
                (?:async[ ]|new[ ])?(?P<frame>[\w.$]+)[ ]\( )?""",
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
        "an error of Perl": r"""
            ^(?P<error>.+)[ ]at[ ](?:\S*/)?(?P<frame>[^\s/]+)[ ]line[ ]\d+(?:,[ ]<.*)?\.$""",
    }.items()
}


def is_reported(output: str) -> bool:
    """Tell whether there is a report of a failure in an output."""
    return any(form.search(output) for form in FORMATS.values())


def recognised(output: str, source: str) -> Iterator[Message]:
    """Yield what the reports in an output say, the most telling first.

    `source` is the text of the input, whose names a smaller one need not have.
    """
    for form in FORMATS.values():
        for report in form.finditer(output):
            names = sorted(filter(report.group, report.groupdict()), key=report.start)
            rest = [name for name in names if not name.startswith("frame")]
            kept = [name for name in names if name in rest or not is_of(source, report[name])]
            line = _line_at(output, min(map(report.start, rest), default=report.start()))
            yield Message(line, _pattern(report, kept, source))
            yield Message(line, _pattern(report, rest, source))


def _line_at(output: str, position: int) -> str:
    start = output.rfind("\n", 0, position) + 1
    return output[start:].partition("\n")[0].strip()


def _pattern(report: re.Match[str], names: list[str], source: str) -> str:
    """Return what matches these parts of a report, and anything between them."""
    pattern, end = "", None
    for name in names:
        if end is not None:
            between = report.string[end : report.start(name)]
            pattern += "(?s:.*)" if "\n" in between else ".*" if between else ""
        text = report[name]
        match name:
            case "error":
                pattern += masked(text, source)
            case "text":
                pattern += escaped(text)
            case _:
                pattern += as_word(text)
        end = report.end(name)
    return pattern
