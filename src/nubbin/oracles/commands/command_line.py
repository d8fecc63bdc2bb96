"""A command line that a user gives, and the place in it where the path of the candidate stands."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final

from nubbin.oracles.commands.shell_words import quoted_word
from nubbin.oracles.oracle import Candidate

#: The path of the candidate stands in the place of this.
PLACE: Final = "{}"

# Where a line goes first.
_BELOW = re.compile(
    r"\s*cd\s+(?P<quote>['\"]?)(?P<folder>[\w.,@%+:-][\w.,/@%+:~-]*)(?P=quote)\s*&&\s*"
)

_GOES = re.compile(r"\bcd\s+['\"]?\{\}")

# Has the path in the shell. A parameter of it, $1, would be another in a function, or after `set`.
_VARIABLE = "nubbin_input"
_EXPANDED = f'"${_VARIABLE}"'
_HAS_QUOTES = re.compile(r"['\"`]|<<")

# The next piece of a line, outside of double quotes and in them.
_PLAIN = re.compile(
    r"""
      \\. | \{\} | \$\( | '[^']*'
    | (?<! [^\s;&|(`] ) \#[^\n]*
    | (?<! < ) <<-? [ \t]* (?P<mark> ['"\\]? ) (?P<end> \w+ )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(r"\\.|\{\}|\$\(|.", re.DOTALL)
_CLOSING = {'"': '"', "`": "`", "(": ")", "$(": ")"}

# What the shell takes as it is, between blanks, marks and quotes.
_WORD = re.compile(r"[\w.,/@%+:~-]+")

# What stands before the word that a shell starts: it can only be run, and not be written to.
_BEFORE_PROGRAM = re.compile(
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
    """Return a command line that can run in another folder than the user's, on any candidate.

    The name of the input, `source`, becomes the place of the candidate. A relative path to a file
    that is there, `./tool` or `check.py`, becomes absolute; one in the input becomes a path in the
    candidate, or stays as it is if the user is in the input, and the line goes there. A bare word
    stays as it is: it may be no file's name, whatever files there are. Of several `inputs`, by
    their absolute paths, `source` is the folder that holds them all, and nothing else in it is
    input. `cd build && ` before a command on a file is left out, and names are those in `build`.
    """
    is_file = source is not None and not inputs and not Path(folder, source).is_dir()
    if is_file and (goes := _BELOW.match(line)) and Path(folder, goes["folder"]).is_dir():
        return placed(line[goes.end() :], Path(folder, goes["folder"]), Path(folder, source or ""))
    own = None if source is None else os.path.normpath(Path(folder, source))
    roots = inputs or ([] if own is None else [own])
    stays = (
        own is not None and is_in(folder, Path(own)) and (PLACE not in line or _GOES.search(line))
    )

    def anchored(word: re.Match[str]) -> str:
        text = word[0]
        path = os.path.normpath(Path(folder, text))
        is_name = source is not None and text == source.name and not Path(path).exists()
        if not inputs and (is_name or (path == own and text.strip("./"))):
            return PLACE
        is_path = "/" in text or "." in text.strip(".")
        if not (is_path and Path(path).is_file() and _WORD.fullmatch(path)):
            return text
        if own is None or not any(path == each or path.startswith(f"{each}/") for each in roots):
            return path
        if not stays:
            return f"{PLACE}{path.removeprefix(own)}"
        # A program of this folder needs its ./ to be found.
        inside = os.path.relpath(path, folder)
        return f"./{inside}" if "/" in text and "/" not in inside else inside

    return _WORD.sub(anchored, line)


def files_in(line: str, as_given: str) -> frozenset[str]:
    """Return the files of the user's that `placed` has made absolute in a line, as it was given."""
    typed = set(_WORD.findall(as_given))
    found = {word for word in _WORD.findall(line) if word.startswith("/") and word not in typed}
    return frozenset(path for path in found if Path(path).is_file())


def only_run(path: str, lines: Collection[str]) -> bool:
    """Tell whether a path is nothing but the program of commands, wherever lines have it."""
    places = [
        _BEFORE_PROGRAM.search(line[: word.start()])
        for line in lines
        for word in _WORD.finditer(line)
        if word[0] == path
    ]
    return all(places)


def in_a_word(path: str, other: str) -> str:
    """Return a path that a shell takes as it is, else another."""
    return path if _WORD.fullmatch(path) else other


def with_words(line: str, change: Callable[[str], str]) -> str:
    """Return a line in which each word that may be a path is what a function makes of it."""
    return _WORD.sub(lambda word: change(word[0]), line)


def as_named_here(line: str, paths: Collection[str], folder: str) -> str:
    """Return a line in which some absolute paths are relative to a folder again."""

    def relative(word: re.Match[str]) -> str:
        if word[0] not in paths:
            return word[0]
        path = os.path.relpath(word[0], folder)
        is_program = "/" not in path and _BEFORE_PROGRAM.search(line[: word.start()])
        return f"./{path}" if is_program else path

    return _WORD.sub(relative, line)


def with_path_behind(line: str) -> str:
    """Return a command line with the place of the candidate, at the end if it is nowhere."""
    return line if PLACE in line else f"{line} {PLACE}"


def as_typed(line: str, folder: Path, source: Path) -> str:
    """Return a command line that has no place for the candidate, to run where the candidate is.

    That is the folder of its query, for a file. In a folder, `source`, it is where the user was
    below it, if anywhere.
    """
    if PLACE in line or not source.is_dir():
        return line
    below = os.path.relpath(folder, source) if is_in(folder, source) else "."
    return f"cd {PLACE if below == '.' else f'{PLACE}/{quoted_word(below)}'} && {line}"


def is_in(folder: Path, source: Path) -> bool:
    """Tell whether a folder is the input, a folder itself, or below it."""
    return source.is_dir() and folder.is_relative_to(source)


def with_argument(line: str) -> str:
    """Return a command line for the shell, whose argument is the path of the candidate.

    No path is ever part of the line, so none can be taken for a command.
    """
    return f"{_VARIABLE}=$1; shift; {_with_variable(line)}"


def with_path(line: str, path: Path) -> str:
    """Return a command line with a path in the place of the candidate, for a person to run."""
    text, word = str(path), quoted_word(str(path))
    if word == text or not _HAS_QUOTES.search(line):
        return line.replace(PLACE, word)
    return f"{_VARIABLE}={word}; {_with_variable(line)}"


def path_of(candidate: Candidate) -> str:
    """Return the path of a candidate from the folder of its query, in which the line runs."""
    path = os.path.relpath(candidate.path, candidate.folder)
    return f"./{path}" if path.startswith("-") else path


def _with_variable(line: str) -> str:
    """Return a line with the variable in the place of the candidate, also within its quotes.

    In a here-document whose end is quoted, the place stays as it is.
    """
    parts: list[str] = []
    closing: list[str] = []  # the ends of the quotes and commands that we are in
    documents: list[tuple[str, str]] = []  # their ends, and how these are quoted
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


def words(line: str) -> Iterator[str]:
    """Yield what may be paths in a command line."""
    yield from _WORD.findall(line)
