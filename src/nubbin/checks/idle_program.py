"""Check that a program that does nothing is not interesting.

If it is, the test may not run the program that it compiles.
"""

from __future__ import annotations

import os
import re

from nubbin.checks.case import Case, Finding
from nubbin.documents.file import Link
from nubbin.documents.outlines.lexis import QUOTED, lexed
from nubbin.pattern import pattern
from nubbin_core.verdict import Verdict

# The start of a program: `int main(void) {`, `fn main() {`, `static void main(String[] a) {`.
_MAIN = pattern(rb"\bmain\s*\([^(){};]*\)[^(){};=]*\{")
_PACKAGE = pattern(rb"^package\s+\w+[^\n]*\n", re.MULTILINE)
# A string, which is kept, or a comment or a directive, which is removed.
_COMMENT = pattern(rb"(%b)|//[^\n]*|/\*.*?\*/|^#[^\n]*" % QUOTED, re.DOTALL | re.MULTILINE)


def idle_program(case: Case) -> Finding | None:
    """Find out whether a program that does nothing is interesting; costs a run if there is one.

    In C, Go or Java, an empty file is not a program. So this keeps the `main` of the input, with an
    empty body. A test that compiles the candidate, but then runs an older program, accepts it.
    """
    for path, data in case.document.contents.items():
        if isinstance(data, Link) or (program := idle(data)) is None:
            continue
        files = {**case.document.contents, path: program}
        if case.ask(files).verdict is not Verdict.INTERESTING:
            return None
        return Finding(
            "doubt",
            f"{case.test} accepts {path} even as a program that does nothing, "
            f"{os.fsdecode(program.strip())!r}. Unless no program can be compiled, the test may "
            "run an old program and not the one it compiles from the candidate. Let it write the "
            "program into its current folder, run that, and stop if the compiler fails.",
        )
    return None


def idle(data: bytes) -> bytes | None:
    """Return a program of an empty `main` and the blocks around it; None if there is no `main`."""
    code = _COMMENT.sub(rb"\1", data)
    main = _MAIN.search(code)
    if main is None:
        return None
    text, body = lexed(code), main.end() - 1
    around = [brace for brace, end in text.partners.items() if brace < body < end]
    headers = list[bytes]()
    for brace in [*sorted(each for each in around if code[each] == ord("{")), body]:
        ends = [0, *(at + 1 for at in text.marks if at < brace and code[at] in b"{};")]
        line = code.rfind(b"\n", 0, main.start()) + 1 if brace == body else 0
        headers.append(code[max(*ends, line) : brace + 1])
    package = _PACKAGE.search(code)
    within = b"".join(headers).lstrip() + b"}" * len(headers) + b"\n"
    return (package[0] if package else b"") + within
