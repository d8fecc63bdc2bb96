"""Translate patterns of git to regular expressions; see git's `wildmatch.c`."""

from __future__ import annotations

import re
import string

from nubbin.pattern import pattern

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
#: At most so many stars match slashes: each multiplies the time for a path by its slashes.
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
