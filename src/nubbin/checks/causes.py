"""Why a test rejects its input, or gives one verdict for all: commands, paths, names, braces."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from nubbin.checks.case import MISSING, Case, Finding
from nubbin.oracles.commands.command_line import PLACE, quoted_word
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.user_test import UserTest
from nubbin.pattern import pattern
from nubbin_core.verdict import Verdict

# Messages of dash and busybox; bash; zsh; and programs that start others.
_NOT_FOUND = pattern(
    r"""
      ^ .*? (?: line \s )? (?P<line> \d+ ) : \s
      (?P<name> [^\s:]+ ) : \s (?: command \s )? not \s found $
    | ^ .*? command \s not \s found: \s (?P<zsh> \S+ ) $
    | ^ .*? \b (?: (?: env | nohup | nice | xargs ) : | failed \s to \s run \s command ) \s
      [‘'"]? (?P<started> [^\s:’'"]+ ) [’'"]? : \s No \s such \s file \s or \s directory $
    """,
    re.VERBOSE | re.MULTILINE,
)
# The same for files that are not executable. A shell also prints this if it cannot read or write.
_DENIED = pattern(
    r"""
      ^ .*? (?: line \s )? (?P<line> \d+ ) : \s (?P<name> / [^:\n]+ ) : \s Permission \s denied $
    | ^ .*? permission \s denied: \s (?P<zsh> / .+ ) $
    | ^ .*? \b (?: env | nohup | nice | xargs ) : \s
      [‘'"]? (?P<started> / [^:’'"\n]+ ) [’'"]? : \s Permission \s denied $
    """,
    re.VERBOSE | re.MULTILINE,
)


def missing_commands(case: Case) -> Finding | None:
    """Find a command that could not be run in the last run on the input; costs no run."""
    for found, what in _not_run(os.fsdecode(case.answer.output)):
        is_script = found["line"] is not None and isinstance(case.test, CommandTest)
        where = f" in line {found['line']}" if is_script else ""
        text = f"{case.test} runs the command {_name(found)}{where}, which {what}"
        return case.problem(text)
    return None


def _not_run(output: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the messages about commands that could not be run, with the end of a sentence."""
    for found in _NOT_FOUND.finditer(output):
        name = _name(found)
        if "/" not in name or name.startswith("/"):  # others are files of the user's folder
            yield (
                found,
                "is not found. Install it, or give its absolute path if it is not in a folder of "
                "the PATH.",
            )
    for found in _DENIED.finditer(output):
        name = _name(found)
        if Path(name).is_file() and not os.access(name, os.X_OK):
            yield (
                found,
                f"may not be executed. Make it executable, by chmod +x {quoted_word(name)}, or put "
                "the program that runs it before it.",
            )


def _name(found: re.Match[str]) -> str:
    return found["name"] or found["zsh"] or found["started"]


# Text in quotes, where `{}` may be code.
_IN_QUOTES = pattern(r"""'[^']*'|"[^"]*\"""")
_MAX_PLACES = 3


def braces_in_quotes(case: Case) -> Finding | None:
    """Find `{}` in the quotes of a command line that is code, and not a place for the candidate.

    Costs no run if there is none, otherwise up to four, each with a blank between some braces.
    """
    test = case.test
    if not test.is_line:
        return None
    line = str(test)
    places = [
        found.start() + at
        for found in _IN_QUOTES.finditer(line)
        for at in (match.start() for match in re.finditer(re.escape(PLACE), found[0]))
    ][:_MAX_PLACES]
    for each in dict.fromkeys([tuple(places), *((place,) for place in places)]):
        meant = line
        for at in reversed(each):
            meant = f"{meant[:at]}{{ }}{meant[at + len(PLACE) :]}"
        if not each or PLACE not in meant:
            continue
        if case.run_by(replace(test, words=(meant,))).verdict is Verdict.INTERESTING:
            return case.problem(
                f"{case.rejection} nubbin replaces each {PLACE} of the line, even in quotes, with "
                "the path of the candidate. Put a blank between the braces that are code:\n\n"
                f"    {meant}"
            )
    return None


# Words of a script that may be paths; those in quotes may contain blanks.
_QUOTED_WORD = pattern(r"""[^\s"'`=;|&<>()]+|"[^"\n]*"|'[^'\n]*'""")
_CHANGES_FOLDER = pattern(r"\b(?:cd|pushd|chdir)\b")
# The ways in which scripts find their own folder.
_OWN_FOLDER = pattern(r"dirname|%/\*|BASH_SOURCE|__file__|__dir__|__DIR__|FindBin")


def original_path(case: Case) -> Finding | None:
    """Find the line of a script that names the original, or enters its folder; costs no run."""
    for script, number, line in case.test.script_lines():
        if what := _looks_away(line, script, case):
            return Finding(
                "problem",
                f"{script} accepts even an empty {case.document.title} because it does not "
                f"look at the candidate: its line {number} {what}. The candidate is "
                f"{case.document.name} in the folder that the test is started in, and the last "
                f"argument. Let it look at that.\n\n    {number}: {line.strip()}",
            )
    return None


def _looks_away(line: str, script: str, case: Case) -> str:
    """Return how a line leads to the original, as the end of a sentence about it; "" if not."""
    source = os.path.realpath(case.root / case.document.name)
    root = os.path.realpath(case.root)
    changes = _CHANGES_FOLDER.search(line)
    for word in _QUOTED_WORD.findall(line):
        path = _path(word)
        if path is not None and (path == source or path.startswith(f"{source}/")):
            return f"names the original, {path}"
        if path == root and changes:
            return f"goes to the folder of the original, {path}"
    beside = os.path.realpath(Path(script).parent) == root
    if beside and _OWN_FOLDER.search(line) and (changes or case.document.name in line):
        return f"goes to its own folder, where the original is, {root}"
    return ""


def _path(word: str) -> str | None:
    """Return the absolute path that a word names, without links; None for any other word."""
    path = os.path.expandvars(os.path.expanduser(word.strip("\"'")))  # noqa: PTH111
    return os.path.realpath(path) if path.startswith("/") else None


# A word of a script, or of a message, that may be a path or the place of the candidate.
_PATH = pattern(r"[\w./{}@%+~-]*[.{][\w./{}@%+~-]*[\w}]")


def _missed(case: Case) -> list[str]:
    """Return possible paths in the lines of the last output that report a missing file."""
    lines = [line for line in case.answer.output.splitlines() if MISSING.search(line)]
    return _PATH.findall(os.fsdecode(b"\n".join(lines)))


def misspelt(case: Case) -> Finding | None:
    """Find a missing file that a command line names and the last run reports; costs no run."""
    names = {Path(word).name for word in _missed(case)}
    folder = Path(case.test.folder)
    for word in dict.fromkeys(_PATH.findall(str(case.test))):
        path = folder / word
        if case.test.is_line and path.name in names and not path.exists():
            beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
            near = get_close_matches(path.name, beside, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            text = f"{case.test} names {word}, and there is no such file in {folder}.{hint}"
            return case.problem(text)
    return None


def other_name(case: Case) -> Finding | None:
    """Find a file that the test names and that is missing, as the last run on the input reports.

    Costs no run if there is none, otherwise one.
    """
    for word in _missed(case):
        where = _place_of(word, case)
        if where and not (word.startswith("/") and Path(word).exists()):
            return case.problem(
                f"{case.rejection} {where} names {word}, which is not there. "
                f"{_instead(word, case)}{unset_variable(case)}"
            )
    return None


def _place_of(word: str, case: Case) -> str:
    """Return which line of the test has a word, as the start of a sentence; "" for none."""
    for script, number, line in case.test.script_lines():
        if word in _PATH.findall(line):
            return f"Line {number} of {script}"
    return "It" if case.test.is_line and word in _PATH.findall(str(case.test)) else ""


def _instead(word: str, case: Case) -> str:
    """Return advice on a name that does not exist where the test is run."""
    name = case.document.name
    if word == PLACE:
        return 'Only --run replaces {}: in a script, the path of the candidate is "$1".'
    if Path(word).name == name:
        return (
            f"{name} is in the folder that the test is started in: name it before any cd, or take "
            'its path from the last argument, "$1".'
        )
    if Path(word).suffix == Path(name).suffix:
        return (
            f"The input is {name}: it has this name in the folder that the test is started in, "
            "and its path is the last argument."
        )
    for folder in (case.root, Path(case.test.folder), case.test.path.parent):
        path = Path(os.path.abspath(folder / word))  # noqa: PTH100 - links stay as they are
        if path.is_file() and not os.access(path, os.X_OK):
            return (
                f"{path} may not be executed either: chmod +x {quoted_word(str(path))}, and name "
                "it by this absolute path."
            )
    return (
        f"Each run has a folder of its own, which contains only {name}: name other files by their "
        "absolute paths."
    )


# Messages of shells with -u: dash and zsh; bash; ksh.
_UNSET = pattern(
    r"^(?:.*?(?:: ?(?:line )?|\[)(?P<line>\d+)\]?: )?(?P<name>\w+): "
    r"(?:unbound variable|parameter not set)",
    re.MULTILINE,
)
_SHELLS = frozenset({"sh", "dash", "bash", "ksh", "mksh", "zsh", "ash"})


def unset_variable(case: Case) -> str:
    """Return a sentence, after a blank, on the first unset variable of the test; "" if none.

    Costs a run if a shell runs the test: the shell is told to stop at such a variable.
    """
    strict = _stopping_at_unset(case.test)
    found = strict and _UNSET.search(os.fsdecode(case.run_by(strict).output))
    if not strict or not found:
        return ""
    where = "it" if strict.is_line else f"its line {found['line']}"
    return f" Note that {where} uses ${found['name']}, which is not set."


def _stopping_at_unset(test: UserTest) -> UserTest | None:
    """Return a test whose shell stops at a variable that is not set; None if it has no shell."""
    if test.is_line:
        return replace(test, words=(f"set -u; {test}",))
    if not isinstance(test, CommandTest):
        return None
    words = test.interpreter_words
    if not words or Path(words[0]).name not in _SHELLS:
        return None
    return replace(test, words=(*words, "-u", *test.words))
