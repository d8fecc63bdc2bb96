"""Broken inputs: a command that fails on them in the same way refuses whatever is broken."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Final

from nubbin.checks.case import Case
from nubbin.documents.parsing.languages import language_of
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.failures.messages import Message
from nubbin.reduction.job import Job
from nubbin.reduction.options import WorkerOptions
from nubbin.reduction.start.check_test import examined
from nubbin_core.answer import Answer
from nubbin_core.verdict import Verdict

#: What hardly any language allows, or any table of data; the most telling first.
_BROKEN: Final = (b"x y", b")", b'"', b"<", b"{x y}", b"}")

#: Commands that accept a text of a language, whatever it means.
_SYNTAX_CHECKS: Final = {
    "bash": "bash -n {}",
    "c": "gcc -fsyntax-only -w {}",
    "cpp": "g++ -fsyntax-only -w {}",
    "fortran": "gfortran -fsyntax-only -w {}",
    "go": "gofmt -e {}",
    "javascript": "node --check {}",
    "json": "python3 -m json.tool {}",
    "lua": "luac -p {}",
    "ocaml": "ocamlc -stop-after parsing {}",
    "php": "php -l {}",
    "python": "python3 -m py_compile {}",
    "ruby": "ruby -c {}",
    "swift": "swiftc -parse {}",
    "toml": "python3 -c 'import sys, tomllib; tomllib.load(sys.stdin.buffer)' < {}",
    "xml": "xmllint --noout {}",
    "zig": "zig ast-check {}",
}


def on_broken(case: Case, message: Message) -> Iterator[tuple[str, Answer]]:
    """Yield what a command does for some broken texts in the place of the input, and these texts.

    Of a folder, the file that the message names is broken. Costs a run for each of up to six
    texts that is asked for, as many at once as there are jobs.
    """
    files = case.document.contents
    if case.document.packed.is_single:
        named = case.document.name
    else:
        said = f"{message.line} {message.pattern}".replace("\\", "")
        here = [path for path in files if PurePath(path).name in said]
        if not here:
            return
        inside = f"{case.document.name}/"
        named = max(here, key=lambda path: (path.removeprefix(inside) in said, len(path)))
    width = case.pool.width
    for few in (_BROKEN[start : start + width] for start in range(0, len(_BROKEN), width)):
        answers = case.at_once([{**files, named: text + b"\n"} for text in few])
        for text, answer in zip(few, answers, strict=True):
            yield text.decode(), answer


def syntax_check(job: Job, options: WorkerOptions) -> str | None:
    """Return a command that accepts the input of a job, if one is known and installed here.

    Costs a run of it, none for a folder. The tool that fails is none: it would refuse the input.
    """
    if not job.original.is_single:
        return None
    ((path, data),) = job.original.contents.items()
    line = _SYNTAX_CHECKS.get(language_of(path, data) or "")
    if line is None or shutil.which(line.split()[0]) is None:
        return None
    check = replace(job, test=RunTest.of(line, Conditions(exits="0")))
    with examined(check, options, lambda event: None) as case:
        accepts = case.run(job.original).verdict is Verdict.INTERESTING
    return line if accepts else None
