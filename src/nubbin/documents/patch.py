"""Patches without context, as `git diff -U0` makes them: split them, and write a part of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import NamedTuple

from nubbin.pattern import pattern

_SECTION = pattern(rb"^(?=diff --git )", re.MULTILINE)
_HUNK = pattern(rb"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@[^\n]*\n", re.MULTILINE)
#: A section with such a header is more than its lines: it removes a file.
_GONE = pattern(rb"^deleted file mode ", re.MULTILINE)


class Change(NamedTuple):
    """Lines that are removed, the line number `after` which they are, and their replacement.

    If it `is_last`, one of its lines has no line break at its end.
    """

    after: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    is_last: bool = False

    @property
    def stop(self) -> int:
        """The number of lines of the old file up to the end of the change."""
        return self.after + len(self.old)

    def singles(self) -> Iterator[Change]:
        """Yield the change line by line; a line that replaces another is one change with it."""
        if self.is_last or len(self.old) == len(self.new) == 1:
            yield self
        elif len(self.old) == len(self.new):
            for at, (old, new) in enumerate(zip(self.old, self.new, strict=True), self.after):
                yield Change(at, (old,), (new,))
        else:
            for at, old in enumerate(self.old, self.after):
                yield Change(at, (old,), ())
            for new in self.new:
                yield Change(self.stop, (), (new,))

    def joined(self, after: Change) -> Change:
        """Return the change joined with the one right after it."""
        old, new = self.old + after.old, self.new + after.new
        return Change(self.after, old, new, after.is_last)

    def written(self, shift: int) -> bytes:
        """Return the change as a hunk, if the earlier hunks have added `shift` lines."""
        sides = ((b"-", self.after, self.old), (b"+", self.after + shift, self.new))
        places = (b"%b%d,%d" % (mark, at + bool(lines), len(lines)) for mark, at, lines in sides)
        return b"@@ %b @@\n" % b" ".join(places) + b"".join(chain(self.old, self.new))


class PatchPart(NamedTuple):
    """What is kept or removed as a whole: a line, a pair of lines, or a section with all changes.

    A section that removes a file, or has no lines, as that of a binary file, is one part.
    """

    section: int
    changes: tuple[Change, ...]

    @property
    def lines(self) -> tuple[bytes, ...]:
        """The lines that it removes and adds."""
        return tuple(chain(*((*each.old, *each.new) for each in self.changes)))


@dataclass(frozen=True, slots=True)
class Patch:
    """The title of a patch, the header of each section of it, and its parts in order."""

    title: bytes
    headers: tuple[bytes, ...]
    parts: tuple[PatchPart, ...]

    @classmethod
    def of(cls, data: bytes) -> Patch:
        """Read a patch without context, of any bytes."""
        title, *sections = _SECTION.split(data)
        headers, parts = [], list[PatchPart]()
        for number, section in enumerate(sections):
            hunks = list(_HUNK.finditer(section))
            ends = [*(each.start() for each in hunks), len(section)]
            header = section[: ends[0]]
            bodies = (section[each.end() : end] for each, end in zip(hunks, ends[1:], strict=True))
            changes = tuple(map(_change, hunks, bodies))
            is_whole = not changes or _GONE.search(header)
            singles = chain(*(each.singles() for each in changes))
            parts += [PatchPart(number, each) for each in ([changes] if is_whole else zip(singles))]
            headers.append(header)
        return cls(title, tuple(headers), tuple(parts))

    def only(self, parts: Iterable[PatchPart]) -> Patch:
        """Return the patch with only these parts, which are given in order."""
        return replace(self, parts=tuple(parts))

    def written(self) -> bytes:
        """Return the patch as text; empty if it has no parts.

        Changes without lines between them are one hunk.
        """
        texts = [self.title] if self.parts else []
        for parts in self.files():
            joined: list[Change] = []
            for each in chain(*(part.changes for part in parts)):
                last = joined.pop() if joined and joined[-1].stop == each.after else None
                joined.append(each if last is None else last.joined(each))
            texts.append(self.headers[parts[0].section])
            shift = 0
            for change in joined:
                texts.append(change.written(shift))
                shift += len(change.new) - len(change.old)
        return b"".join(texts)

    # -- groups of parts -----------------------------------------------------------------------

    def files(self) -> list[list[PatchPart]]:
        """Return the parts of each section."""
        return [list(parts) for _, parts in groupby(self.parts, lambda part: part.section)]

    def hunks(self) -> list[list[PatchPart]]:
        """Return the parts of each run of changes without unchanged lines between them."""
        found: list[list[PatchPart]] = []
        for parts in self.files():
            stop = -1
            for part in parts:
                if not part.changes or part.changes[0].after != stop:
                    found.append([])
                found[-1].append(part)
                stop = part.changes[-1].stop if part.changes else -1
        return found

    def changes(self) -> list[list[PatchPart]]:
        """Return each part by itself."""
        return [[part] for part in self.parts]


def _change(head: re.Match[bytes], body: bytes) -> Change:
    # The note of a missing line break belongs to the line before it.
    lines = re.findall(rb"[^\n]*\n(?:\\[^\n]*\n)?", body)
    old, new = (tuple(line for line in lines if line[:1] == mark) for mark in (b"-", b"+"))
    after = int(head[1]) - (head[2] != b"0")
    return Change(after, old, new, any(b"\n\\" in line for line in lines))
