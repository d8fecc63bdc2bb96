"""Command lines: where the path of the candidate belongs in one, and texts as words of a shell."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from nubbin.pattern import pattern
from nubbin_core.errors import OptionError

#: Replaced by the path of the candidate.
PLACE: Final = "{}"

# `cd FOLDER &&` at the start of a line.
_ENTERS_FOLDER = pattern(
    r"\s*cd\s+(?P<quote>['\"]?)(?P<folder>[\w.,@%+:-][\w.,/@%+:~-]*)(?P=quote)\s*&&\s*"
)

_ENTERS_CANDIDATE = pattern(r"\bcd\s+['\"]?\{\}")

# The shell variable with the path. `$1` would change inside functions and after `set`.
_VARIABLE = "nubbin_input"
_EXPANDED = f'"${_VARIABLE}"'
_HAS_QUOTES = pattern(r"['\"`]|<<")

# The next token of a line, outside double quotes and inside them.
_PLAIN = pattern(
    r"""
      \\. | \{\} | \$\( | '[^']*'
    | (?<! [^\s;&|(`] ) \#[^\n]*
    | (?<! < ) <<-? [ \t]* (?P<mark> ['"\\]? ) (?P<end> \w+ )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTED = pattern(r"\\.|\{\}|\$\(|.", re.DOTALL)
_CLOSING = {'"': '"', "`": "`", "(": ")", "$(": ")"}

# A word that needs no quotes in a shell; that or a text in quotes; a word and places of candidates.
_WORD = pattern(r"[\w.,/@%+:~-]+")
_WORD_OR_QUOTED = pattern(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|(?:\\.|[\w.,/@%+:~-])+", re.DOTALL)
_ESCAPED = pattern(r"\\(.)", re.DOTALL)
_SPECIAL = pattern(r"['\"$`\\!]")
_UNQUOTED = pattern(r"[\w.,/@%+:~{}-]*")

# Precedes a word that the shell starts as a program, and so does not write to.
_BEFORE_PROGRAM = pattern(
    r"""
      (?: ^ | [;&|({`!\n] | (?<! \w ) (?: then | do | else | if | while | until ) \s ) \s*
      (?: \w+ = [^\s;&|<>()]* \s+ )*
      (?: (?: exec | time | env | command | nice | nohup | timeout \s+ [\d.]+ [smhd]? ) \s+ )*
      ["']? $
    """,
    re.VERBOSE,
)


def placed(
    line: str, folder: Path, source: Path | None = None, inputs: Collection[str] = ()
) -> str:
    """Return a command line that can run in any folder, on any candidate.

    The name of the input, `source`, becomes `{}`. A relative path to an existing file, such as
    `./tool` or `check.py`, becomes absolute. A path inside the input becomes a path in the
    candidate. It is kept if the user is inside the input and the line runs there. A bare word is
    kept, because it may not be a file name. If there are several `inputs` (absolute paths),
    `source` is the folder that holds them all, and nothing else in it is input. `cd build && `
    before a command on a file is dropped, and names are resolved in build.
    """
    own = None if source is None else os.path.normpath(folder / source)
    is_file = source is not None and not inputs and not (folder / source).is_dir()
    while is_file and (enters := _ENTERS_FOLDER.match(line)):
        if not (below := folder / enters["folder"]).is_dir():
            break
        line, folder = line[enters.end() :], below
    runs_inside = PLACE not in line or _ENTERS_CANDIDATE.search(line) is not None
    keeps_paths = own is not None and is_in(folder, Path(own)) and runs_inside
    name = "" if source is None else source.name
    return with_words(line, _Placing(folder, own, name, inputs, keeps_paths).word)


@dataclass(frozen=True, slots=True)
class _Placing:
    """Replaces words of a line that runs in `folder`; see `placed`.

    `own` is the path of the input, and `name` its name as it was given.
    """

    folder: Path
    own: str | None
    name: str
    inputs: Collection[str]
    keeps_paths: bool

    def word(self, text: str, _: int) -> str:
        path = os.path.normpath(os.path.join(self.folder, text))
        if self._is_input(text, path):
            return PLACE
        is_path = "/" in text or "." in text.strip(".")
        if not (is_path and os.path.isfile(path)):
            return text
        own = self.own
        if own is None or not any(
            f"{path}/".startswith(f"{each}/") for each in self.inputs or [own]
        ):
            return path
        if not self.keeps_paths:
            return f"{PLACE}{path.removeprefix(own)}"
        # A program of this folder needs its ./ to be found.
        inside = os.path.relpath(path, self.folder)
        return f"./{inside}" if "/" in text and "/" not in inside else inside

    def _is_input(self, text: str, path: str) -> bool:
        """Tell whether a word is the name or the path of the only input."""
        if self.inputs or self.own is None:
            return False
        is_name = text == self.name and not os.path.exists(path)
        return is_name or (path == self.own and text.strip("./") != "")


def files_in(line: str, as_given: str) -> frozenset[str]:
    """Return the user's files that `placed` made absolute in a line; `as_given` is the original."""
    typed = {word for _, word in shell_words(as_given)}
    found = {word for _, word in shell_words(line)} - typed
    return frozenset(path for path in found if path.startswith("/") and os.path.isfile(path))


def only_run(path: str, lines: Collection[str]) -> bool:
    """Tell whether the lines use a path only as a program that they start."""
    return all(
        _BEFORE_PROGRAM.search(line[:start])
        for line in lines
        for start, word in shell_words(line)
        if word == path
    )


def in_a_word(path: str, other: str) -> str:
    """Return `path` if it needs no quotes in a shell, otherwise `other`."""
    return path if _WORD.fullmatch(path) else other


def shell_words(line: str) -> Iterator[tuple[int, str]]:
    """Yield the words of a line that may be paths, with their places: quoted texts, and in them."""
    for found in _WORD_OR_QUOTED.finditer(line):
        start, content = found.start(), _content(found[0])
        yield start, content
        if content != found[0]:
            yield from ((start + 1 + at, word) for at, word in shell_words(content))


def _content(word: str) -> str:
    return word[1:-1] if word[0] in "'\"" else _ESCAPED.sub(r"\1", word)


def with_words(line: str, change: Callable[[str, int], str]) -> str:
    """Return a line with `change(word, place)` for each of its `shell_words`, quoted if need be.

    In a quoted text, such as `sh -c './tool'`, a changed word gets the other kind of quote, unless
    it is already inside that.
    """

    def changed(found: re.Match[str]) -> str:
        text, start = found[0], found.start()
        quote = text[0] if text[0] in "'\"" else ""
        content = _content(text)
        new = change(content, start)
        if text != content == new:
            return _WORD.sub(lambda word: inside(word, start), text)
        return f"{quote}{new}{quote}" if _UNQUOTED.fullmatch(new) else quoted_word(new)

    def inside(word: re.Match[str], start: int) -> str:
        new, text = change(word[0], start + word.start()), word.string
        if new == word[0] or _UNQUOTED.fullmatch(new):
            return new
        if text[0] not in "'\"":
            return quoted_word(new)
        if _SPECIAL.search(new):
            return word[0]
        other = "'" if text[0] == '"' else '"'
        return new if text.count(other, 0, word.start()) % 2 else f"{other}{new}{other}"

    return _WORD_OR_QUOTED.sub(changed, line)


def as_named_here(line: str, paths: Collection[str], folder: str) -> str:
    """Return a line with some absolute paths made relative to a folder again."""

    def relative(word: str, start: int) -> str:
        if word not in paths:
            return word
        path = os.path.relpath(word, folder)
        is_program = "/" not in path and _BEFORE_PROGRAM.search(line[:start])
        return f"./{path}" if is_program else path

    return with_words(line, relative)


def with_path_behind(line: str) -> str:
    """Return a command line with `{}`, which is appended if the line has none.

    Raises OptionError for a blank line: the shell would execute the candidate.
    """
    if not line.strip():
        raise OptionError("A command line is empty. Give the command that runs on the input.")
    return line if PLACE in line else f"{line} {PLACE}"


def as_typed(line: str, folder: Path, source: Path) -> str:
    """Return a command line to run where the candidate is, if it has no `{}`.

    For a folder, that is the user's position below `source`, or the folder itself. For a file, it
    is the folder of the query, so the line is unchanged.
    """
    if PLACE in line or not source.is_dir():
        return line
    below = os.path.relpath(folder, source) if is_in(folder, source) else "."
    return f"cd {PLACE if below == '.' else f'{PLACE}/{quoted_word(below)}'} && {line}"


def is_in(folder: Path, source: Path) -> bool:
    """Tell whether the input is a folder, and `folder` is that or below it."""
    return source.is_dir() and folder.is_relative_to(source)


@cache  # a test runs the same few lines for each candidate
def with_argument(line: str) -> str:
    """Return a command line for the shell that takes the candidate's path as its argument.

    The path is never part of the line, so it is never executed.
    """
    return f"{_VARIABLE}=$1; shift; {_with_variable(line)}"


def with_path(line: str, path: Path) -> str:
    """Return a command line with a path filled in, for a person to run."""
    text, word = str(path), quoted_word(str(path))
    if word == text or not _HAS_QUOTES.search(line):
        return line.replace(PLACE, word)
    return f"{_VARIABLE}={word}; {_with_variable(line)}"


def _with_variable(line: str) -> str:
    """Return a line with `{}` replaced by the variable, inside quotes and outside.

    A here-document with a quoted end mark is not changed.
    """
    parts: list[str] = []
    closing: list[str] = []  # the ends of the open quotes and substitutions
    documents: list[tuple[str, str]] = []  # the end marks of here-documents, and their quotes
    position = 0
    while position < len(line):
        is_quoted = closing[-1:] == ['"']
        token = (_QUOTED if is_quoted else _PLAIN).match(line, position)
        assert token is not None  # each matches any character
        part, position = token[0], token.end()
        if closing and part == closing[-1]:
            closing.pop()
        elif part in _CLOSING:
            closing.append(_CLOSING[part])
        elif part == PLACE:
            part = f'"{_EXPANDED}"' if is_quoted else _EXPANDED
        elif is_quoted:
            pass
        elif part[0] == "'":
            part = part.replace(PLACE, f"'{_EXPANDED}'")
        elif token["end"]:
            documents.append((token["end"], token["mark"]))
        elif part == "\n":
            for end, mark in documents:
                found = re.compile(rf"^\t*{end}$", re.MULTILINE).search(line, position)
                stop = position if found is None else found.end()
                body = line[position:stop]
                part += body if mark else body.replace(PLACE, f"${_VARIABLE}")
                position = stop
            documents.clear()
        parts.append(part)
    return "".join(parts)


# The shell expands these inside double quotes.
_NEEDS_SINGLE = pattern(r'["$`!]|\\(?:\\|\n|\Z)')


def quoted_word(value: object) -> str:
    """Return a text or a path as a shell word, in double quotes if it contains single ones."""
    text = str(value)
    return f'"{text}"' if "'" in text and not _NEEDS_SINGLE.search(text) else shlex.quote(text)


def quoted_path(path: Path, folder: str) -> str:
    """Return a path as a shell word, relative to a folder that contains it."""
    is_below = path.is_relative_to(folder)
    return quoted_word(f"./{path.relative_to(folder)}" if is_below else path)


def nubbin_line(command: str, run: Path, *words: str) -> str:
    """Return the command line for a command of nubbin on a recorded run; `words` are as typed."""
    return " ".join(["nubbin", command, quoted_word(run), *words])


def sayable(pattern: str) -> str:
    """Return a regular expression that can be quoted, and matches at least the same text.

    If only single quotes would protect it, each single quote in it becomes `.`.
    """
    return pattern.replace("'", ".") if _NEEDS_SINGLE.search(pattern) else pattern
