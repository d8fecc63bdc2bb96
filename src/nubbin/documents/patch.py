"""Patches without context, as `git diff -U0` makes them: split them, and write a part of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from nubbin.pattern import pattern

_SECTION = pattern(rb"^(?=diff --git )", re.MULTILINE)
_HUNK = pattern(rb"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@[^\n]*\n", re.MULTILINE)
# A section with such a header is more than its lines: it makes, or removes, a file.
_NEW = pattern(rb"^new file mode ", re.MULTILINE)
_GONE = pattern(rb"^deleted file mode ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Change:
    """Lines that are removed `after` so many lines of the old file, and lines that replace them.

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


@dataclass(frozen=True, slots=True)
class Section:
    """The changes of one file; `rest` is everything that is not lines, as in a binary file."""

    header: bytes
    changes: tuple[Change, ...]
    rest: bytes = b""

    @property
    def is_whole(self) -> bool:
        """Whether the section can only be kept or removed as a whole."""
        return not self.changes or _GONE.search(self.header) is not None

    def written(self) -> bytes:
        """Return the section as text; changes without lines between them are one hunk."""
        joined: list[Change] = []
        for each in self.changes:
            last = joined.pop() if joined and joined[-1].stop == each.after else None
            joined.append(each if last is None else last.joined(each))
        hunks, shift = [], 0
        for change in joined:
            hunks.append(change.written(shift))
            shift += len(change.new) - len(change.old)
        return self.header + b"".join(hunks) + self.rest


@dataclass(frozen=True, slots=True)
class Patch:
    """The sections of a patch, and the title before them."""

    title: bytes
    sections: tuple[Section, ...]

    @classmethod
    def of(cls, data: bytes) -> Patch:
        """Read a patch without context, of any bytes."""
        title, *sections = _SECTION.split(data)
        return cls(title, tuple(map(_section, sections)))

    def written(self) -> bytes:
        """Return the patch as text; empty if it has no sections."""
        return self.title + b"".join(map(Section.written, self.sections)) if self.sections else b""

    def finer(self) -> Patch:
        """Return the same patch with a hunk for each line, or pair of lines, that it changes."""
        return replace(
            self,
            sections=tuple(
                each
                if each.is_whole
                else replace(each, changes=tuple(chain(*map(Change.singles, each.changes))))
                for each in self.sections
            ),
        )

    # -- parts ---------------------------------------------------------------------------------

    def files(self) -> list[list[tuple[int, int]]]:
        """Return the parts of each section: pairs of its number and that of a change."""
        return [list(self._parts(at)) for at in range(len(self.sections))]

    def hunks(self) -> list[list[tuple[int, int]]]:
        """Return the same for each run of changes without unchanged lines between them."""
        found: list[list[tuple[int, int]]] = []
        for at, section in enumerate(self.sections):
            stop = -1
            for part in self._parts(at):
                change = None if section.is_whole else section.changes[part[1]]
                if change is None or change.after != stop:
                    found.append([])
                stop = -1 if change is None else change.stop
                found[-1].append(part)
        return found

    def changes(self) -> list[list[tuple[int, int]]]:
        """Return the same for each change."""
        return [[part] for at in range(len(self.sections)) for part in self._parts(at)]

    def lines(self, part: tuple[int, int]) -> tuple[bytes, ...]:
        """Return the lines that a part removes and adds."""
        section, at = self.sections[part[0]], part[1]
        changes = section.changes if section.is_whole else section.changes[at : at + 1]
        return tuple(chain(*((*each.old, *each.new) for each in changes)))

    def only(self, parts: Iterable[tuple[int, int]]) -> Patch:
        """Return the patch with only these parts, which are given in order."""
        kept: dict[int, list[int]] = {}
        for at, change in parts:
            kept.setdefault(at, []).append(change)
        return Patch(
            self.title,
            tuple(
                section
                if section.is_whole
                else replace(section, changes=tuple(section.changes[each] for each in kept[at]))
                for at, section in enumerate(self.sections)
                if at in kept
            ),
        )

    def _parts(self, at: int) -> Iterator[tuple[int, int]]:
        section = self.sections[at]
        yield from ((at, each) for each in range(1 if section.is_whole else len(section.changes)))


def _section(data: bytes) -> Section:
    first = _HUNK.search(data)
    if first is None:
        return Section(data, ())
    starts = list(_HUNK.finditer(data))
    stops = [*(each.start() for each in starts[1:]), len(data)]
    return Section(
        data[: first.start()],
        tuple(
            _change(each, data[each.end() : stop]) for each, stop in zip(starts, stops, strict=True)
        ),
    )


def _change(head: re.Match[bytes], body: bytes) -> Change:
    # The note of a missing line break belongs to the line before it.
    lines = re.findall(rb"[^\n]*\n(?:\\[^\n]*\n)?", body)
    old, new = (tuple(line for line in lines if line[:1] == mark) for mark in (b"-", b"+"))
    after = int(head[1]) - (head[2] != b"0")
    return Change(after, old, new, any(b"\n\\" in line for line in lines))
