"""Formats of crash reports of native code: sanitizers, assertions, panics, aborts, compilers."""

from __future__ import annotations

from typing import Final

# Exclude the frames of the runtime.
_SANITIZER = (
    r"(?!__|_IO_|operator[ ]|_*(?:mem|str)[a-z]{3,6}[ ]|\w*alloc|free[ ]"
    r"|f(?:seek|tell|read|write|puts|gets)[ ])"
)
_RUST = r"(?!_*rust_|__rustc::|<?core::|<?alloc::|<?std::)"
_VALGRIND = r"(?!.*\(in[ ].*/(?:vgpreload|libc\b|libstdc))"

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
}
