"""Does the test run what it makes of the candidate? If so, a program that does nothing is fine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from nubbin.checks.case import Case
from nubbin.checks.finding import Finding
from nubbin.documents.file import Link
from nubbin.verdict import Verdict

# Where a program begins: `int main(void) {`, `fn main() {`, `static void main(String[] a) {`.
_MAIN = re.compile(r"\bmain\s*\([^(){};]*\)[^(){};=]*\{")
_PACKAGE = re.compile(r"\Apackage\s+\w+[^\n]*\n", re.MULTILINE)
# A text or a comment, in which a bracket is none; else a bracket, or the end of a statement.
_TOKEN = re.compile(
    r""" "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)' | //[^\n]* | /\*.*?\*/ | ^\#[^\n]* | [{};] """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def idle_program(case: Case) -> Iterator[Finding]:
    """Find out whether a program that does nothing is interesting; costs a run if there is one.

    An empty file is none in C, Go or Java. What is left of the input there is its `main` with an
    empty body. A test that compiles it, and then runs a program of an earlier day, says yes.
    """
    for path, data in case.document.contents.items():
        if isinstance(data, Link) or (program := idle(os.fsdecode(data))) is None:
            continue
        files = {**case.document.contents, path: os.fsencode(program)}
        if case.ask(files).verdict is Verdict.INTERESTING:
            yield Finding(
                "idle-program",
                "doubt",
                f"{case.test} finds {path} interesting even as a program that does nothing, "
                f"{program.strip()!r}. Unless no program can be compiled, the test may run an old "
                "program and not the one it compiles from the candidate. Let it write the program "
                "into its current folder, run that, and stop if the compiler fails.",
            )
        return


def idle(text: str) -> str | None:
    """Return a program of the header of its `main` alone, in what is around it; None for none."""
    main = _MAIN.search(text)
    if main is None:
        return None
    headers, start = list[str](), 0
    for token in _TOKEN.finditer(text):
        mark, end = token[0], token.end()
        if end >= main.end():
            break
        if mark == "{":
            headers.append(text[start:end])
        elif mark == "}" and headers:
            headers.pop()
        if mark[0] in "{};#/":
            start = end
    start = max(start, text.rfind("\n", 0, main.start()) + 1)
    package = _PACKAGE.match(text)
    within = "".join(headers) + text[start : main.end()]
    return (package[0] if package else "") + within.lstrip() + "}" * (len(headers) + 1) + "\n"
