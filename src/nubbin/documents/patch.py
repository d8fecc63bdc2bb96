"""Patches without context, as `git diff -U0` makes them: cut fine, cut down, and put together."""

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
    """Lines of a file that go, and lines that come in their place: `after` lines of the old file.

    If it `is_last`, what it changes has no line break at its end.
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
        """Yield it line by line; a line that took the place of another goes with that."""
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
        """Return it with another one right after it."""
        old, new = self.old + after.old, self.new + after.new
        return Change(self.after, old, new, after.is_last)

    def written(self, shift: int) -> bytes:
        """Return it as a hunk, if the lines before it are so many more by then."""
        sides = ((b"-", self.after, self.old), (b"+", self.after + shift, self.new))
        places = (b"%b%d,%d" % (mark, at + bool(lines), len(lines)) for mark, at, lines in sides)
        return b"@@ %b @@\n" % b" ".join(places) + b"".join(chain(self.old, self.new))


@dataclass(frozen=True, slots=True)
class Section:
    """What a patch does to one file; `rest` is what is not lines, as of a binary file."""

    header: bytes
    changes: tuple[Change, ...]
    rest: bytes = b""

    @property
    def is_whole(self) -> bool:
        """Whether it is done or not, but not in parts."""
        return not self.changes or _GONE.search(self.header) is not None

    def written(self) -> bytes:
        """Return it as text, in which changes with no line between them are one hunk."""
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
    """What stands before the first section, and the sections."""

    title: bytes
    sections: tuple[Section, ...]

    @classmethod
    def of(cls, data: bytes) -> Patch:
        """Read a patch without context, of any bytes."""
        title, *sections = _SECTION.split(data)
        return cls(title, tuple(map(_section, sections)))

    def written(self) -> bytes:
        """Return it as text: nothing if nothing is left of it."""
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

    # -- the parts that can go -----------------------------------------------------------------

    def files(self) -> list[list[tuple[int, int]]]:
        """Return for each section what it consists of: its number, and those of its changes."""
        return [list(self._parts(at)) for at in range(len(self.sections))]

    def hunks(self) -> list[list[tuple[int, int]]]:
        """Return the same for each run of changes between which no line stays as it was."""
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
        """Return the lines that go and come with a part."""
        section, at = self.sections[part[0]], part[1]
        changes = section.changes if section.is_whole else section.changes[at : at + 1]
        return tuple(chain(*((*each.old, *each.new) for each in changes)))

    def only(self, parts: Iterable[tuple[int, int]]) -> Patch:
        """Return the patch with these parts, which are given in order, and no others."""
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
    # What is said of a missing line break belongs to the line before.
    lines = re.findall(rb"[^\n]*\n(?:\\[^\n]*\n)?", body)
    old, new = (tuple(line for line in lines if line[:1] == mark) for mark in (b"-", b"+"))
    after = int(head[1]) - (head[2] != b"0")
    return Change(after, old, new, any(b"\n\\" in line for line in lines))
