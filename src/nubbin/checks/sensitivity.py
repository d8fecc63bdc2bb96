"""Check that the test tells candidates apart.

Parts of the input can be removed, but not everything is interesting; above all, no program that
does nothing: then the test may not run the program that it compiles.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator

from nubbin.checks.case import Case, Finding
from nubbin.documents.file import Link
from nubbin.documents.outlines.lexis import QUOTED, lexed
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.pattern import pattern
from nubbin_core.verdict import Verdict

#: The number of candidates, and the fraction of the largest file that each of them lacks.
_CANDIDATES = 8
_DELETED_FRACTION = 1 / 8


def sensitivity(case: Case) -> Iterator[Finding]:
    """Run the test on the input without random eighths, and shuffled; costs nine runs.

    Always the same candidates: the random numbers have a fixed seed.
    """
    chance = random.Random(0)
    files = case.document.contents
    asked = [_without_part(files, chance) for _ in range(_CANDIDATES)]
    *answers, shuffled = case.at_once([*asked, _shuffled(files, chance)])
    kept = sum(answer.verdict is Verdict.INTERESTING for answer in answers)
    name = case.document.title
    part = f"a random eighth of {'the largest file of ' if len(files) > 1 else ''}{name}"
    text = f"Of {_CANDIDATES} candidates that lack {part}, {kept} are interesting"
    if kept:
        yield Finding("sensitivity", "fine", f"{text}.")
    else:
        yield Finding(
            "sensitivity",
            "doubt",
            f"{text}. Nearly all of it may be needed; or the test asks for more than the "
            "misbehaviour, such as an exact output, a line number or a size.",
        )
    if shuffled.verdict is Verdict.INTERESTING:
        yield Finding(
            "sensitivity",
            "doubt",
            f"{case.test} finds {name} interesting even with its bytes shuffled, so the result may "
            "make no sense. If that is not meant, make it look for the message, the signal or "
            "the wrong output, or demand that a tool can read the input (--valid CMD).",
        )


def _without_part(files: Files, chance: random.Random) -> Files:
    """Return files without a random part of the largest: whole lines if it has at least eight."""
    path = max(_texts(files), key=lambda each: len(files[each]))
    lines = files[path].splitlines(keepends=True)
    parts = lines if len(lines) >= _CANDIDATES else [bytes([byte]) for byte in files[path]]
    length = max(1, round(len(parts) * _DELETED_FRACTION))
    start = chance.randrange(max(1, len(parts) - length + 1))
    return {**files, path: b"".join(parts[:start] + parts[start + length :])}


def _shuffled(files: Files, chance: random.Random) -> Files:
    texts = _texts(files)
    return {
        **files,
        **{path: bytes(chance.sample(files[path], len(files[path]))) for path in texts},
    }


def _texts(files: Files) -> list[str]:
    return [path for path, data in files.items() if not isinstance(data, Link)]


# The start of a program: `int main(void) {`, `fn main() {`, `static void main(String[] a) {`.
_MAIN = pattern(rb"\bmain\s*\([^(){};]*\)[^(){};=]*\{")
_PACKAGE = pattern(rb"^package\s+\w+[^\n]*\n", re.MULTILINE)
# A string, which is kept, or a comment or a directive, which is removed.
_COMMENT = pattern(rb"(%b)|//[^\n]*|/\*.*?\*/|^#[^\n]*" % QUOTED, re.DOTALL | re.MULTILINE)


def idle_program(case: Case) -> Iterator[Finding]:
    """Find out whether a program that does nothing is interesting; costs a run if there is one.

    In C, Go or Java, an empty file is not a program. So this keeps the `main` of the input, with an
    empty body. A test that compiles the candidate, but then runs an older program, accepts it.
    """
    for path, data in case.document.contents.items():
        if isinstance(data, Link) or (program := idle(data)) is None:
            continue
        files = {**case.document.contents, path: program}
        if case.ask(files).verdict is Verdict.INTERESTING:
            yield Finding(
                "idle-program",
                "doubt",
                f"{case.test} finds {path} interesting even as a program that does nothing, "
                f"{os.fsdecode(program.strip())!r}. Unless no program can be compiled, the test "
                "may run an old program and not the one it compiles from the candidate. Let it "
                "write the program into its current folder, run that, and stop if the compiler "
                "fails.",
            )
        return


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
