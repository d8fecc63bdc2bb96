"""Find out which files of a folder `.gitignore` names, by its patterns."""

from __future__ import annotations

import codecs
import os
import re
import string
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nubbin.pattern import pattern

_NAME = ".gitignore"
_MAX_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class _Rule:
    """A line of a `.gitignore`."""

    pattern: re.Pattern[bytes]
    is_negated: bool
    is_for_folders: bool
    is_for_names: bool  # of whatever folder below

    @classmethod
    def of(cls, line: bytes) -> Self:
        """Read a line; raises MatchesNothing."""
        is_negated = line.startswith(b"!")
        line = line[is_negated:]
        is_for_folders = line.endswith(b"/")
        line = line[: len(line) - is_for_folders]
        is_for_names = b"/" not in line
        return cls(compiled(line.removeprefix(b"/")), is_negated, is_for_folders, is_for_names)

    def matches(self, path: bytes, *, is_folder: bool) -> bool:
        if self.is_for_folders and not is_folder:
            return False
        return bool(self.pattern.fullmatch(path.rpartition(b"/")[2] if self.is_for_names else path))


@dataclass(frozen=True, slots=True)
class Ignored:
    """The rules for the paths in a folder, from its `.gitignore` and those of the folders above.

    As in git, the last of several patterns decides, and the deepest of several files. This only
    reads files and runs no program, because the settings of a repository can name programs. So it
    does not know ignored files that git tracks anyway.
    """

    above: Ignored | None
    folder: str
    rules: tuple[_Rule, ...]  # the last one first

    @classmethod
    def below(cls, above: Ignored | None, folder: str) -> Ignored | None:
        """Return the rules for a folder, given those above it; None if there are none."""
        rules = tuple(_rules(Path(folder, _NAME)))
        return cls(above, folder, rules[::-1]) if rules else above

    def names(self, path: str, *, is_folder: bool) -> bool:
        """Tell whether a path below the folder is named."""
        here: Ignored | None = self
        while here is not None:
            relative = os.fsencode(path.removeprefix(f"{here.folder}/"))
            for rule in here.rules:
                if rule.matches(relative, is_folder=is_folder):
                    return not rule.is_negated
            here = here.above
        return False


def _rules(file: Path) -> Iterator[_Rule]:
    """Yield the rules of a file; none if it is a link, as for git."""
    with suppress(OSError):
        if file.is_symlink() or not file.is_file():
            return
        with file.open("rb") as opened:
            text = opened.read(_MAX_BYTES).removeprefix(codecs.BOM_UTF8)
        for line in text.split(b"\n"):
            pattern = _without_blank_end(line.removesuffix(b"\r").partition(b"\0")[0])
            if pattern and not pattern.startswith(b"#"):
                with suppress(MatchesNothing):
                    yield _Rule.of(pattern)


def _without_blank_end(line: bytes) -> bytes:
    """Return a line without the blanks at its end that are not escaped."""
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    return line[: len(stripped) + 1] if backslashes % 2 else stripped


_SPECIAL = pattern(rb"[*?\[\\]")
_STARS = pattern(rb"\*+")
_IN_A_NAME = b"[^/]*"
#: A part of a class of bytes: a class with a name, or a byte, or the first and the last of several.
_ITEM = pattern(rb"\[:([^\]]*):\]|(\\.|[^\\])(?:-(\\.|[^\\\]]))?", re.DOTALL)
_CLASSES = {
    None: "",
    b"alnum": string.ascii_letters + string.digits,
    b"alpha": string.ascii_letters,
    b"blank": " \t",
    b"cntrl": bytes([*range(32), 127]).decode(),
    b"digit": string.digits,
    b"graph": bytes(range(33, 127)).decode(),
    b"lower": string.ascii_lowercase,
    b"print": bytes(range(32, 127)).decode(),
    b"punct": string.punctuation,
    b"space": string.whitespace,
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}
#: The most stars that match slashes: each multiplies the time for a path by its slashes.
_MAX_CROSSING = 3


class MatchesNothing(ValueError):
    """No path matches this pattern, or matching would take too long."""


def compiled(pattern: bytes) -> re.Pattern[bytes]:
    """Return an expression that matches a whole path if the pattern does.

    Only `/` and `**` between slashes match a slash. A pattern has two parts, as in git: up to the
    first of its special characters, and from there, so that `a**/b` is `a` and `**/b`. Raises
    MatchesNothing.
    """
    special = _SPECIAL.search(pattern)
    begins = special.start() if special else len(pattern)
    return re.compile(re.escape(pattern[:begins]) + _translated(pattern[begins:]), re.DOTALL)


def _translated(pattern: bytes) -> bytes:
    """Return an expression that takes linear time in a path, except for stars that match slashes.

    The text between two stars is searched once: if its first occurrence does not lead to a match, a
    later one does not either, because the second star can match what is between.
    """
    parts: list[bytes] = []
    last_star, crossing, at = None, 0, 0
    while at < len(pattern):
        stars = _STARS.match(pattern, at)
        if stars is None:
            part, at = _one(pattern, at)
            parts.append(part)
            continue
        if last_star is not None:
            parts[last_star] = b"(?>[^/]*?"
            parts.append(b")")
            last_star = None
        begins_name = at == 0 or pattern[at - 1 : at] == b"/"
        at = stars.end()
        if len(stars[0]) > 1 and begins_name and pattern.startswith((b"/", b"\\/"), at):
            whole_names = pattern.startswith(b"/", at)
            parts.append(b"(?:.*/)?" if whole_names else b".*")
            at += whole_names
            crossing += 1
        elif len(stars[0]) > 1 and begins_name and at == len(pattern):
            parts.append(b".*")
        else:
            last_star = len(parts)
            parts.append(_IN_A_NAME)
    if crossing > _MAX_CROSSING:
        raise MatchesNothing(pattern)
    return b"".join(parts)


def _one(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Return the expression for what is at an offset, not a star, and the offset after it."""
    first = pattern[at : at + 1]
    if first == b"?":
        return b"[^/]", at + 1
    if first == b"[":
        return _class(pattern, at + 1)
    at += first == b"\\"
    if at >= len(pattern):
        raise MatchesNothing(pattern)
    return re.escape(pattern[at : at + 1]), at + 1


def _class(pattern: bytes, at: int) -> tuple[bytes, int]:
    """Return the expression for a class of bytes after its `[`, and the offset after it."""
    is_negated = pattern[at : at + 1] in (b"!", b"^")
    at += is_negated
    found: set[int] = set()
    is_first = True
    while is_first or pattern[at : at + 1] != b"]":
        item = _ITEM.match(pattern, at)
        if item is None or item[1] not in _CLASSES:
            raise MatchesNothing(pattern)
        name, first, last = item.groups()
        is_first, at = False, item.end()
        found.update(map(ord, _CLASSES[name]))
        if first:
            found |= {first[-1], *range(first[-1], (last or first)[-1] + 1)}
    others = found | {ord("/")} if is_negated else found - {ord("/")}
    members = b"".join(b"\\x%02x" % each for each in sorted(others))
    if is_negated:
        return b"[^%b]" % members, at + 1
    return (b"[%b]" % members if members else b"(?!)"), at + 1
