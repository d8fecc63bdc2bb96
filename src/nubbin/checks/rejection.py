"""What a reduction needs: the test accepts the input, rejects an empty one, and has its files."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from nubbin.checks.case import MAX_NAMES, MISSING, Case, Check, Finding, called, run_in_words
from nubbin.documents.document import Document
from nubbin.oracles.commands.command_line import quoted_word
from nubbin.oracles.isolation.candidate_files import with_folders
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.oracle import Oracle
from nubbin.oracles.output import quoted_output
from nubbin.pattern import pattern
from nubbin.text.figures import listed
from nubbin_core.late import late
from nubbin_core.search.minimize import minimize
from nubbin_core.verdict import Verdict

_unset_variable = late("nubbin.checks.causes:unset_variable")


def why_rejected(case: Case) -> Finding | None:
    """Find out why the input is not interesting; returns None if it is.

    Costs no run if it is; otherwise one, two for each folder whose files may be missing, up to four
    for a command line with braces in quotes and, if none of these is the cause, up to eight more on
    the input, two on the empty input, and one that looks for variables that are not set.
    """
    if case.is_interesting:
        return None
    if case.answer.was_stopped:
        return LIMITS(case)
    if case.runs_in_parallel:  # the first runs were made at once, and may have disturbed each other
        case.run(case.document)
    cause = None if case.is_interesting else _first_of(_CAUSES, case)
    if cause is None and not case.is_interesting:
        for _ in case.tries():
            if case.is_interesting:
                break
    if case.is_interesting:
        case.contradicted = case.runs_in_parallel
        return None
    return cause or Finding("problem", _prints_otherwise(case) or _unexplained(case))


def _first_of(causes: Iterable[Check], case: Case) -> Finding | None:
    return next(filter(None, (each(case) for each in causes)), None)


def _unexplained(case: Case) -> str:
    name, answer = case.document.title, case.answer
    text = (
        f"{case.test} rejects {name} as it is, in each of {case.trials.runs} runs: it "
        f"{run_in_words(answer)}."
    )
    if case.nothing().verdict is Verdict.INTERESTING:
        text += (
            f" Instead, it accepts an empty {name}. Either the test is the wrong way round (check "
            "each ! in it), or the misbehaviour does not show where the test is run."
        )
    contract = case.test.contract(*called(case.document))
    return f"{text} {contract}{_unset_variable(case)}{quoted_output(answer.output)}"


def _prints_otherwise(case: Case) -> str:
    answer = case.answer
    if case.test.is_line or not (answer.different and answer.why):
        return ""
    return (
        f"{case.test} accepts {case.document.title} as it is, but its output does not match "
        f"--prints {case.test.conditions.prints!r}. That is a regular expression, with ^ and $ for "
        "the ends of lines, which must match some part of what the test prints. Correct it."
        + (
            quoted_output(answer.output)
            or " Or have the test print something: it prints nothing at all."
        )
    )


def accepts_empty_input(case: Case) -> Finding:
    """Find out whether an empty input is interesting: costs a run, and two more if it is."""
    nothing, name = case.nothing(), case.document.title
    if nothing.verdict is not Verdict.INTERESTING:
        text = f"The test rejects an empty {name}: it {run_in_words(nothing)}."
        return Finding("fine", text)
    return cause_of_sameness(case) or Finding(
        "problem",
        f"{case.test} accepts even an empty {name}, so nubbin would delete everything. "
        "Make it look for the misbehaviour itself (the message, the signal, the wrong output), not "
        "only for a failure of any kind." + _unset_variable(case) + quoted_output(nothing.output),
    )


def cause_of_sameness(case: Case) -> Finding | None:
    """Return a mistake that makes a test give the same answer for any input; costs no run."""
    return _first_of(_CAUSES_OF_SAMENESS, case)


# -- files that the test needs beside the input -------------------------------------------

#: The limit on the queries that minimize a list of needed files.
_QUERIES = 38

_WORD = pattern(r"\w+")


def missing_files(case: Case) -> Finding | None:
    """Find the files without which the test does not find the input interesting.

    Runs the test beside copies of the files in the user's folders: twice for each folder, and more
    often if these files change the answer.
    """
    needed, empty_too = _needed(case, Verdict.INTERESTING)
    # A flaky test may have accepted it by chance.
    if not needed or case.run(case.document).verdict is Verdict.INTERESTING:
        return None
    return case.problem(
        f"{case.test} rejects {case.document.title} where it is run: it "
        f"{run_in_words(case.answer)}. With {listed([*map(str, needed)], MAX_NAMES)}, it accepts "
        f"it, but {_fix(case, needed, empty_too=empty_too)}"
    )


def failure_by_missing_files(case: Case) -> Finding | None:
    """Find files whose absence is the failure that the test finds interesting.

    Costs nothing unless the test prints that a file is missing, and names one of the user's.
    """
    if not case.is_interesting or not MISSING.search(case.answer.output):
        return None
    needed, _ = _needed(case, Verdict.UNINTERESTING)
    if not needed:
        return None
    return case.problem(
        f"{case.test} accepts {case.document.title} only because a file is missing where it is "
        f"run: with {listed([*map(str, needed)], MAX_NAMES)}, it rejects it, but "
        f"{_fix(case, needed)}"
    )


def _needed(case: Case, wanted: Verdict) -> tuple[list[Path], bool]:
    """Return the files of one of the user's folders with which the answer is `wanted`; [] if none.

    If the answer on the input is interesting, only looks in folders with a file that it mentions.
    Also return whether it is the same beside an empty input; costs a run if there are such files.
    """
    own = (case.test.path.parent,) if case.test.has_own_file else ()
    origin = case.spec.origin
    linked = {case.root / path for path in origin.reachable} if origin is not None else set()
    contents = map(os.fsdecode, case.document.contents.values())
    output = os.fsdecode(case.answer.output)
    texts = (output, case.test.text, *contents)
    for folder in dict.fromkeys((case.root, Path(case.test.folder), *own)):
        beside, executables = neighbours(folder, case.document, linked)
        if case.is_interesting and not _mentioned(beside, [output]):
            continue
        spec = replace(case.spec, executables=case.spec.executables | executables)
        with LocalOracle(spec, case.limit) as oracle:
            ask = partial(_verdict, oracle, beside, case.document)
            needed = _smallest(ask, wanted, [_mentioned(beside, texts), list(beside)])
            if needed:
                nothing = _verdict(oracle, beside, case.document.emptied(), needed)
                return [folder / name for name in needed], nothing is wanted
    return [], False


def _verdict(
    oracle: Oracle, beside: Mapping[str, bytes], document: Document, names: Sequence[str]
) -> Verdict:
    return oracle({**{name: beside[name] for name in names}, **document.contents}).verdict


def _smallest(
    ask: Callable[[Sequence[str]], Verdict], wanted: Verdict, lists: Sequence[list[str]]
) -> list[str]:
    is_wanted = cache(lambda names: bool(names) and ask(names) is wanted)
    for names in lists:
        if is_wanted(tuple(names)):
            return minimize(names, lambda some: is_wanted(tuple(some)), max_queries=_QUERIES).kept
    return []


def _mentioned(files: Collection[str], texts: Sequence[str]) -> list[str]:
    """Return the files whose name, without its suffix, is in one of the texts."""
    words = {word for text in texts for word in _WORD.findall(text)}

    def is_mentioned(stem: str) -> bool:
        within = _WORD.findall(stem)
        if not words.issuperset(within):
            return False
        whole = re.compile(rf"(?<!\w){re.escape(stem)}(?!\w)")
        return within == [stem] or any(map(whole.search, texts))

    return [name for name in files if is_mentioned(Path(name).stem)]


def _fix(case: Case, needed: list[Path], *, empty_too: bool = False) -> str:
    """Return the end of the sentence: where the files are missing, and what to do."""
    inputs = {os.path.realpath(case.root / path) for path in case.document.contents}
    if {os.path.realpath(path) for path in needed} <= inputs:
        name = case.document.name
        return (
            f"that is the input itself, which no candidate replaces there. Let the test take the "
            f"candidate: it is {name} in the current folder, and the last argument."
        )
    if empty_too:
        name = case.document.title
        return (
            f"then it also accepts an empty {name} because it does not look at the candidate. Let "
            f"it look at {case.document.name} in the current folder, or at the last argument."
        )
    source = case.root / case.document.name
    within = case.document.name != "." and not case.document.is_single
    if within and all(path.is_relative_to(source) for path in needed):
        return "nubbin left that out of the input. --all-files takes it in."
    paths = [*map(quoted_word, needed[:MAX_NAMES])]
    copy = f"cp {' '.join(paths)}{' ...' if len(needed) > MAX_NAMES else ''} ."
    return (
        "each run has a folder of its own, which contains only the candidate. Use absolute paths, "
        f"or begin the test with a copy: {copy}"
    )


#: Limits on the files and bytes that are read; nearer folders come first.
_MAX_FILES = 2000
_MAX_BYTES = 64 << 20
_MAX_FILE_BYTES = 16 << 20


def neighbours(
    folder: Path, document: Document, linked: Collection[Path]
) -> tuple[dict[str, bytes], set[str]]:
    """Read the files in a folder, and below it, that can lie beside the files of a document.

    Returns them by their relative paths, and the paths of those that are executable. Includes files
    inside the input's folder that are not part of the input. Leaves out hidden folders, the
    `linked` folders, and files that cannot be read or exceed a limit. Changes nothing.
    """
    files, executables, left = dict[str, bytes](), set[str](), _MAX_BYTES
    taken = set(document.contents)
    crossed = {way for path in taken for way in with_folders(path)}
    for path in _below(folder, linked):
        name = os.path.relpath(path, folder)
        if name in crossed or not taken.isdisjoint(with_folders(name)):
            continue
        with suppress(OSError):
            seen = path.stat()
            if seen.st_size > min(left, _MAX_FILE_BYTES):
                continue
            files[name] = path.read_bytes()
            left -= seen.st_size
            if seen.st_mode & 0o111:
                executables.add(name)
        if len(files) == _MAX_FILES:
            break
    return files, executables


def _below(folder: Path, linked: Collection[Path]) -> Iterator[Path]:
    folders = deque([folder])
    while folders:
        with suppress(OSError), os.scandir(folders.popleft()) as scanned:
            for entry in sorted(scanned, key=lambda each: each.name):
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and Path(entry.path) not in linked:
                        folders.append(Path(entry.path))
                elif entry.is_file():
                    yield Path(entry.path)


# -- the order of the checks ---------------------------------------------------------------

LIMITS = Check("limits", late("nubbin.checks.trust:limits"))
_MISSING_COMMANDS = Check("missing-commands", late("nubbin.checks.causes:missing_commands"))
#: Checks for possible causes, the cheapest first.
_CAUSES = (
    _MISSING_COMMANDS,
    Check("missing-files", missing_files),
    Check("braces-in-quotes", late("nubbin.checks.causes:braces_in_quotes")),
    Check("other-name", late("nubbin.checks.causes:other_name")),
)
#: Those for a test that gives the same answer for any input; they cost no run.
_CAUSES_OF_SAMENESS = (
    Check("original-path", late("nubbin.checks.causes:original_path")),
    _MISSING_COMMANDS,
    Check("misspelt", late("nubbin.checks.causes:misspelt")),
)

#: Made before a reduction. A problem that one of these finds ends it.
NEEDED = (
    Check("refusal", why_rejected),
    Check("empty-input", accepts_empty_input),
    Check("missing-files", failure_by_missing_files),
)

#: For a person who asks whether a test can be trusted.
ALL = (
    NEEDED[0],
    LIMITS,
    *NEEDED[1:],
    Check("idle-program", late("nubbin.checks.trust:idle_program")),
    Check("repetition", late("nubbin.checks.trust:repetition")),
    Check("disturbance", late("nubbin.checks.trust:disturbance")),
    Check("sensitivity", late("nubbin.checks.trust:sensitivity")),
    Check("sensitivity", late("nubbin.checks.trust:accepts_shuffled")),
)


def findings(case: Case, checks: tuple[Check, ...]) -> Iterator[Finding]:
    """Run the test on the input and on nothing, and yield the findings of some checks.

    Ends with the first problem of a check in `NEEDED`: later findings would make no sense.
    """
    case.begin()
    for check in checks:
        if finding := check(case):
            yield finding
            if finding.level == "problem" and check in NEEDED:
                return
