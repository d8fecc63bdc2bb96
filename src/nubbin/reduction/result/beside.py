"""What stands beside a result: a copy to read, with line breaks, and the table of its words."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from nubbin.disk import beginning, write_whole
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.parsing.languages import language_of
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement, replaced
from nubbin.journal.journal import Journal
from nubbin.passes.folders.obfuscation import OBFUSCATION, replaced_words
from nubbin.passes.table import FileView
from nubbin.reduction.events import Event, Improved, ListStarted, RolledBack
from nubbin.reduction.job import Job
from nubbin.reduction.result.output_path import is_replaceable
from nubbin.reduction.result.place import ResultPlace
from nubbin_core.errors import NubbinError
from nubbin_core.search.flaky_aware_test import FlakyAwareTest
from nubbin_core.verdict import Verdict
from nubbin_core.waiting import run

_INDENT = b"  "
_OPENING, _CLOSING = (b"(", b"[", b"{"), (b")", b"]", b"}")


def with_line_breaks(data: bytes, structure: Structure) -> bytes:
    """Return a text with a line break after each semicolon, and inside and after braces.

    None is put inside a leaf of the tree, such as a string, and nothing but white space is changed.
    The text stays as it is if the structure would have more errors with them.
    """
    leaves = [node for node in structure.nodes(data) if not node.children]
    depths = {_white_space(data, offset): depth for offset, depth in _places(data, leaves)}
    breaks = [
        Replacement(start, stop, b"\n" + depth * _INDENT)
        for (start, stop), depth in sorted(depths.items())
        if stop < len(data) and data[start - 1 : start] + data[stop : stop + 1] != b"{}"
    ]
    is_allowed = structure.allows_edit(data, breaks)
    return replaced(data, Replacement(0, len(data)), breaks) if is_allowed else data


def _white_space(data: bytes, offset: int) -> tuple[int, int]:
    start = stop = offset
    while data[start - 1 : start].isspace():
        start -= 1
    while data[stop : stop + 1].isspace():
        stop += 1
    return start, stop


def _places(data: bytes, leaves: list[Node]) -> Iterator[tuple[int, int]]:
    """Yield the offsets at which lines break, each with the number of braces around it."""
    open_: list[bytes] = []
    for leaf in leaves:
        text = data[leaf.start : leaf.stop]
        if text in _CLOSING and open_:
            opened = open_.pop()
            if opened == b"{":
                yield leaf.start, open_.count(b"{")
        if not leaf.named and text.endswith(_OPENING):
            open_.append(text)
        in_braces = not open_ or open_[-1] == b"{"
        if in_braces and (text == b"{" or _ends_item(data, leaf)):
            yield leaf.stop, open_.count(b"{")


def _ends_item(data: bytes, mark: Node) -> bool:
    """Tell whether a mark ends an item of the text, or of what is in braces around it."""
    text = data[mark.start : mark.stop]
    if text not in (b",", b"}"):
        return text == b";"
    around = next((each for each in mark.outward() if each.stop > mark.stop), None)
    return around is None or around.parent is None or data[around.start] == ord("{")


_FORMAT_TIMEOUT_S = 20.0  # for one file
_MAX_SHOWN_BYTES = 2_000  # of a result that is shown whole at the end

_PRETTIER = ("prettier", "--stdin-filepath", "{name}")
_CLANG = ("clang-format", "--assume-filename={name}")

#: Per language the formatters to look for: from standard input to standard output.
_FORMATTERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "c": (_CLANG,),
    "cpp": (_CLANG,),
    "java": (_CLANG,),
    "python": (("ruff", "format", "-"), ("black", "-q", "-")),
    "json": (("jq", "."), _PRETTIER),
    "xml": (("xmllint", "--format", "-"),),
    "go": (("gofmt",),),
    "rust": (("rustfmt",),),
    **dict.fromkeys(("javascript", "typescript", "css", "html", "yaml", "markdown"), (_PRETTIER,)),
}


def laid_out(document: Document, language: str | None) -> Document:
    """Return a document with formatted files, or with line breaks; costs a process a file."""
    return document.each(
        lambda file: file if file.is_link else file.with_data(_formatted(file, language))
    )


def small_text(document: Document, language: str | None) -> str | None:
    """Return a small text of UTF-8 with line breaks; None for other results. Costs no query."""
    if len(document.files) != 1 or document.sizes.bytes > _MAX_SHOWN_BYTES:
        return None
    (file,) = document.files
    with suppress(UnicodeDecodeError):
        return with_line_breaks(file.data, FileView(file, language).structure).decode()
    return None


def readable_path(result: Path) -> Path:
    """Return the place of the readable copy of a result."""
    return result.with_name(f"{result.stem}.pretty{result.suffix}")


def _formatted(file: File, language: str | None) -> bytes:
    known = language_of(file.path, file.data, language or "") or ""
    for program, *words in _FORMATTERS.get(known, ()):
        found = shutil.which(program)
        if found is not None:
            # A name that begins with a dash is not an option.
            name = f"./{Path(file.path).name}"
            command = [found, *(word.format(name=name) for word in words)]
            with suppress(OSError, subprocess.TimeoutExpired):
                ran = run(command, file.data, seconds=_FORMAT_TIMEOUT_S)
                if ran.returncode == 0 and ran.stdout:
                    return ran.stdout
    return with_line_breaks(file.data, FileView(file, language).structure)


def write_readable(
    job: Job, result: Document, test: FlakyAwareTest[Document], journal: Journal | None
) -> Path | None:
    """Write a formatted copy if the test accepts it; return its place, or None."""
    readable = laid_out(result, job.options.format)
    if readable.key == result.key or not readable.can_be_packed:
        return None
    if test(readable) is not Verdict.INTERESTING:
        return None
    place = readable_path(job.target)
    with ResultPlace(job.root, place) as copy:
        if not is_replaceable(place, copy.found, None if journal is None else journal.folder):
            raise NubbinError(
                f"Another process has written to {place} during the run. nubbin does not replace "
                f"it. The result is in {job.target}, without a readable copy."
            )
        if journal is not None:
            journal.tell(readable_key=readable.key.hex())
        copy.write(readable)
    return place


class WordTable:
    """An observer that remembers the documents from which obfuscation starts."""

    def __init__(self, original: Document, language: str | None):
        self._best, self._language = original, language
        self._obfuscated = list[Document]()

    def __call__(self, event: Event) -> None:
        """Note the best when obfuscation begins."""
        match event:
            case ListStarted(name=name) if name == OBFUSCATION:
                self._obfuscated.append(self._best)
            case Improved(document) | RolledBack(document):
                self._best = document

    def write(self, result: Path) -> Path | None:
        """Write the table beside a result, for the user alone; return its place if there is one.

        Each line has a new word, a tab and the old one. A table of an earlier run is kept. Raises
        OSError.
        """
        words = dict[bytes, bytes]()
        for before in self._obfuscated:
            words |= replaced_words(before, self._best, self._language)
        lines = b"".join(b"%b\t%b\n" % pair for pair in sorted(words.items()))
        if not lines:
            return None
        names = (f"{result.name}.words{number or ''}.tsv" for number in count())
        places = map(result.with_name, names)
        most = len(lines) + 1
        place = next(p for p in places if not os.path.lexists(p) or beginning(p, most) == lines)
        write_whole(place, lines, 0o600)
        return place
