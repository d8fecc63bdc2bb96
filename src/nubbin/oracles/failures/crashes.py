"""Formats of crash reports: of native code, and of exceptions that nothing caught."""

from __future__ import annotations

from typing import Final

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

#: See `formats` for the groups.
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
