"""Where the files of a document name one another."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.passes.syntactic import Gate

_WORD = re.compile(rb"[\w\x80-\xff]+")


class Mention(NamedTuple):
    """The name of a file in another one: bytes `start` to `stop` - 1 of the file at `path`."""

    path: str
    start: int
    stop: int


def mentions(document: Document) -> dict[str, list[Mention]]:
    """Return for each file where others name it: in a path, an import, an `#include`, a manifest.

    A file is named by its name without the ending; if files with other endings share that, with it
    (`net.h`, `net.c`); if others have all of it, by that of its folder (`__init__.py`). A link
    names no file: what it leads to may go before it does. Costs no query; linear.
    """
    names = Counter(PurePosixPath(file.path).name for file in document.files)
    stems = Counter(PurePosixPath(name).stem for name in names)
    named: defaultdict[bytes, list[str]] = defaultdict(list)
    for file in document.files:
        at = PurePosixPath(file.path)
        name = at.name if stems[at.stem] > 1 else at.stem
        named[os.fsencode(name if names[at.name] == 1 else at.parent.name)].append(file.path)
    found: dict[str, list[Mention]] = {file.path: [] for file in document.files}
    by_word: defaultdict[bytes, list[bytes]] = defaultdict(list)
    for text in named:
        for word in _WORD.findall(text)[:1]:
            by_word[word].append(text)
    for file in document.texts:
        for text, start in _names_in(file, by_word):
            for path in named[text]:
                if path != file.path:
                    found[path].append(Mention(file.path, start, start + len(text)))
    return found


def _names_in(file: File, by_word: dict[bytes, list[bytes]]) -> Iterator[tuple[bytes, int]]:
    """Yield the names that stand in a file, and where they begin; `by_word` has their first words.

    A name stands between bytes that are in no word.
    """
    for word in _WORD.finditer(file.data):
        for name in by_word.get(word[0], ()):
            start = word.start() - name.index(word[0])
            stop = start + len(name)
            if file.data.startswith(name, max(start, 0)) and not _WORD.match(file.data, stop):
                yield name, start


def element_at(gate: Gate, data: bytes, mention: Mention) -> Node | None:
    """Return the smallest deletable node around a mention, if there is one.

    One that stands at the top or has siblings of its kind is a statement or an element of a list,
    and preferred to a smaller one that is not: the import, not only the module in it.
    """
    deletable = [n for n in _around(gate.structure, data, mention) if gate.may_delete(data, n)]
    return next(filter(_is_element, deletable), next(iter(deletable), None))


def _around(structure: Structure, data: bytes, mention: Mention) -> list[Node]:
    """Return the nodes around a mention, from the smallest up, without the root."""
    path: list[Node] = []
    below = structure.nodes(data)[:1]
    while below:
        at = bisect_right(below, mention.start, key=lambda node: node.start) - 1
        if at < 0 or below[at].stop < mention.stop:
            break
        path.append(below[at])
        below = below[at].children
    return path[:0:-1]


def _is_element(node: Node) -> bool:
    siblings = node.parent.children if node.parent else []
    return node.depth == 1 or sum(each.kind == node.kind for each in siblings) > 1
