"""Find wrong names in a test: of a command, of a variable, of the input."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from nubbin.checks.case import Case, Finding
from nubbin.checks.in_words import outcome
from nubbin.checks.missing_files import MISSING
from nubbin.checks.test_text import numbered, scripts
from nubbin.oracles.commands.command_line import PLACE, quoted_word
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.local_oracle import LocalOracle
from nubbin.oracles.output import quoted
from nubbin.oracles.processes.executable import interpreter_line
from nubbin.oracles.user_test import UserTest
from nubbin.pattern import pattern
from nubbin_core.answer import Answer
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


def missing_commands(case: Case) -> Iterator[Finding]:
    """Find a command that could not be run in the last run on the input; costs no run."""
    for found, what in _not_run(os.fsdecode(case.answer.output)):
        is_script = found["line"] is not None and case.test.kind == "command"
        where = f" in line {found['line']}" if is_script else ""
        text = f"{case.test} runs the command {_name(found)}{where}, which {what}"
        yield Finding("missing-commands", "problem", text + quoted(case.answer.output))
        return


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


def misspelt(case: Case) -> Iterator[Finding]:
    """Find a missing file that a command line names and the last run reports; costs no run."""
    names = {Path(word).name for word in _missed(case)}
    folder = Path(case.test.folder)
    for word in dict.fromkeys(_PATH.findall(str(case.test))):
        path = folder / word
        if isinstance(case.test, RunTest) and path.name in names and not path.exists():
            beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
            near = get_close_matches(path.name, beside, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            text = f"{case.test} names {word}, and there is no such file in {folder}.{hint}"
            yield Finding("misspelt", "problem", text + quoted(case.answer.output))
            return


# A word of a script, or of a message, that may be a path or the place of the candidate.
_PATH = pattern(r"[\w./{}@%+~-]*[.{][\w./{}@%+~-]*[\w}]")


def _missed(case: Case) -> list[str]:
    """Return possible paths in the lines of the last output that report a missing file."""
    said = [line for line in case.answer.output.splitlines() if MISSING.search(line)]
    return _PATH.findall(os.fsdecode(b"\n".join(said)))


def other_name(case: Case) -> Iterator[Finding]:
    """Find a file that the test names and that is missing, as the last run on the input reports.

    Costs no run if there is none, otherwise one.
    """
    for word in _missed(case):
        where = _place_of(word, case)
        if where and not (word.startswith("/") and Path(word).exists()):
            text = (
                f"{case.test} does not find {case.document.title} interesting: it "
                f"{outcome(case.answer)}. {where} names {word}, which is not there. "
                f"{_instead(word, case)}{unset_variable(case)}"
            )
            yield Finding("other-name", "problem", text + quoted(case.answer.output))
            return


def _place_of(word: str, case: Case) -> str:
    """Return which line of the test has a word, as the start of a sentence; "" for none."""
    for script, number, line in numbered(case.test):
        if word in _PATH.findall(line):
            return f"Line {number} of {script}"
    return "It" if isinstance(case.test, RunTest) and word in _PATH.findall(str(case.test)) else ""


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
        f"Each run has a folder of its own, which holds nothing but {name}: name other files by "
        "their absolute paths."
    )


# Quoted text, in which a `{}` may be code.
_IN_QUOTES = pattern(r"""'[^']*'|"[^"]*\"""")
_MAX_PLACES = 3


def braces_in_quotes(case: Case) -> Iterator[Finding]:
    """Find `{}` in the quotes of a command line that is code, and not a place for the candidate.

    Costs no run if there is none, otherwise up to four, each with a blank between some braces.
    """
    test = case.test
    if not isinstance(test, RunTest):
        return
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
        if _run_as(replace(test, words=(meant,)), case).verdict is Verdict.INTERESTING:
            yield Finding(
                "braces-in-quotes",
                "problem",
                f"{test} does not find {case.document.title} interesting: it "
                f"{outcome(case.answer)}. nubbin replaces each {{}} of the line, even in "
                "quotes, with the path of the candidate. Put a blank between the braces that are "
                "code:\n\n    " + meant + quoted(case.answer.output),
            )
            return


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
    found = strict and _UNSET.search(os.fsdecode(_run_as(strict, case).output))
    if not strict or not found:
        return ""
    where = "it" if isinstance(strict, RunTest) else f"its line {found['line']}"
    return f" Note that {where} uses ${found['name']}, which is not set."


def _stopping_at_unset(test: UserTest) -> UserTest | None:
    """Return a test whose shell stops at a variable that is not set; None if it has no shell."""
    if isinstance(test, RunTest):
        return replace(test, words=(f"set -u; {test}",))
    if not isinstance(test, CommandTest):
        return None
    words = interpreter_line(scripts(test).get(test.words[0], "").encode())
    if not words or Path(words[0]).name not in _SHELLS:
        return None
    return replace(test, words=(*words, "-u", *test.words))


def _run_as(test: UserTest, case: Case) -> Answer:
    with LocalOracle(replace(case.spec, test=test), case.limit) as oracle:
        return oracle.explain(case.document.contents)
