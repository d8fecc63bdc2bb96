"""Find where the files of a folder name one another: in paths, imports and manifests."""

from __future__ import annotations

import os
import posixpath
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit, File, FilesEdit, gain
from nubbin.documents.outlines.lexis import WORD
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement
from nubbin.passes.each_file import at_once_or_each
from nubbin.passes.proposal import Proposals
from nubbin.passes.syntactic import Gate, Structures
from nubbin.passes.words.definition import cut_uses
from nubbin.pattern import pattern

#: The folder before a name: `core/` or `core.`; `../` or `./`; `..` or `.`, as Python has it.
_FOLDER = pattern(
    rb"(?P<name>[\w\x80-\xff-]+)[/.]$|(?<![\w.])(?:(?P<up>(?:\.\.?/)+)|(?<![)\]])(?P<dots>\.+))$"
)
#: A file with a NUL in this number of bytes at its start is binary, as for git.
_BINARY_HEAD_BYTES = 8_000
#: At most this number of bytes before a name are searched for its folder.
_MAX_FOLDER = 256
#: The beginning of a line that imports.
_IMPORT = pattern(rb"[ \t]*(?:from|import|include|mod|require|use|using)\b")
#: The files that represent their folders.
_OF_FOLDER = {"__init__", "index", "mod"}
#: The endings of files that use the other files of their folder without an import.
_WITHOUT_IMPORT = {".go", ".java", ".kt", ".scala"}
#: An import of all files of a folder by such a file.
_ALL_OF = pattern(rb"^import[ \t][\w. \t]*?(\w+)\.[*_]", re.MULTILINE)
#: The endings that imports leave out.
_IMPORTED_BARE = _WITHOUT_IMPORT | {".js", ".jsx", ".py", ".pyi", ".rb", ".rs", ".ts", ".tsx"}

#: A folder that is named only by the steps to it: `require("../")`.
_STEPS = pattern(rb"""["'](\.\.?(?:/\.\.)*)/?["']""")


class Mention(NamedTuple):
    """The name of a file in another one: bytes `start` to `stop` - 1 of the file at `path`."""

    path: str
    start: int
    stop: int


def mentions(document: Document) -> dict[str, list[Mention]]:
    """Return for each file where others name it: in a path, an import, an `#include`, a manifest.

    A file is named by its name without the ending. If files with different endings share that name
    (`net.h`, `net.c`), the ending belongs to it, unless imports leave it out (`net.py`, `net.pyi`).
    A file that represents its folder (`__init__.py`) is also named by the folder's name. A folder
    before the name must be the folder of the file. If paths and imports name half of the files that
    are named at all, other words do not count: `main` and `keys` occur in code and comments as
    well. Links name no file, so that their targets can be removed first. Binary files name none
    either: pictures have more bytes than all sources. Costs no query; linear.
    """
    found: dict[str, list[Mention]] = {file.path: [] for file in document.files}
    if len(found) < 2:  # a single file names no other
        return found
    sure: dict[str, list[Mention]] = {file.path: [] for file in document.files}
    names = _Names(document)
    for file in document.texts:
        for path, mention, is_sure in names.mentioned_in(file):
            if path != file.path:
                found[path].append(mention)
                sure[path] += [mention] * is_sure
    in_paths = sum(map(bool, sure.values()))
    return sure if 2 * in_paths >= sum(map(bool, found.values())) else found


class _Names:
    """The names by which files may mention those of a document."""

    def __init__(self, document: Document) -> None:
        paths = {file.path: PurePosixPath(file.path) for file in document.files}
        stems = Counter(PurePosixPath(name).stem for name in {path.name for path in paths.values()})
        #: For each name, the files that it may mean, each with the path that has this name.
        self._places: defaultdict[bytes, dict[str, PurePosixPath]] = defaultdict(dict)
        #: The files that represent each folder.
        self._heads: defaultdict[str, list[str]] = defaultdict(list)
        for each, path in paths.items():
            is_whole = stems[path.stem] > 1 and path.suffix not in _IMPORTED_BARE
            self._places[os.fsencode(path.name if is_whole else path.stem)][each] = path
            if path.stem in _OF_FOLDER:
                self._places[os.fsencode(path.parent.name)][each] = path.parent
                self._heads[posixpath.dirname(each)].append(each)
        self._by_first_word: defaultdict[bytes, list[bytes]] = defaultdict(list)
        for name in self._places:
            for word in WORD.findall(name)[:1]:
                self._by_first_word[word].append(name)

    def mentioned_in(self, file: File) -> Iterator[tuple[str, Mention, bool]]:
        """Yield the path of each file that a file names, where, and whether in a path or import."""
        if b"\0" in file.data[:_BINARY_HEAD_BYTES]:
            return
        imported = {os.fsdecode(name) for name in _ALL_OF.findall(file.data)}
        for name, start in self._in_words(file.data):
            for path, place in self._places[name].items():
                is_sure = _is_in_path(file, start, name, place, imported)
                if is_sure is not None:
                    yield path, Mention(file.path, start, start + len(name)), is_sure
        for step in _STEPS.finditer(file.data):
            folder = posixpath.join(posixpath.dirname(file.path), os.fsdecode(step[1]))
            for path in self._heads.get(posixpath.normpath(folder), ()):
                yield path, Mention(file.path, *step.span(1)), True

    def _in_words(self, data: bytes) -> Iterator[tuple[bytes, int]]:
        """Yield the names that a text contains as whole words, and their offsets."""
        for word in WORD.finditer(data):
            for name in self._by_first_word.get(word[0], ()):
                start = word.start() - name.index(word[0])
                stop = start + len(name)
                if data.startswith(name, max(start, 0)) and not WORD.match(data, stop):
                    yield name, start


def named_by(text: bytes, document: Document) -> Iterator[str]:
    """Yield the files on disk that a text outside of the document names, such as the test.

    It names a file by its whole name, or as a module: by the name of its folder and its name
    without the ending. Another folder before the name means another file. Costs no query.
    """
    words = set(WORD.findall(text))
    for path in map(PurePosixPath, document.on_disk):
        whole, module = re.escape(os.fsencode(path.name)), re.escape(os.fsencode(path.stem))
        if words.isdisjoint(WORD.findall(os.fsencode(path.stem))):
            continue
        before = re.escape(os.fsencode(path.parent.name)) + rb"[/.]"
        named = rb"(?<![\w./-])(?:[\w./-]*%b)?%b(?!\.?[\w-])|(?<![\w-])%b%b(?![\w-])"
        if re.search(named % (before, whole, before, module), text):
            yield str(path)


def _is_in_path(
    file: File, start: int, name: bytes, place: PurePosixPath, imported: Collection[str]
) -> bool | None:
    """Tell whether a name in a file is part of a path or an import; None if it means another file.

    `imported` are the names of folders from which the file imports everything.
    """
    before = file.data[max(0, start - _MAX_FOLDER) : start]
    folder = _FOLDER.search(before)
    if folder is not None:
        return (
            os.fsencode(place.parent.name) == _folder_named(folder, PurePosixPath(file.path))
            or None
        )
    ending = os.fsencode(place.suffix)
    if ending and file.data.startswith(name.removesuffix(ending) + ending, start):
        return True
    is_near = PurePosixPath(file.path).parent == place.parent or place.parent.name in imported
    if place.suffix in _WITHOUT_IMPORT and is_near:
        return True
    return _IMPORT.match(file.data, file.data.rfind(b"\n", 0, start) + 1) is not None


def _folder_named(folder: re.Match[bytes], path: PurePosixPath) -> bytes:
    """Return the name of the folder that is written before a name in the file at a path."""
    if folder["name"] is not None:
        return folder["name"]
    up = len(folder["dots"]) - 1 if folder["dots"] else folder["up"].count(b"../")
    above = path.parents
    return os.fsencode(above[min(up, len(above) - 1)].name)


def cuts_at(gate: Gate, data: bytes, mentions: Iterable[Iterable[Mention]]) -> list[Edit]:
    """Return the edits of `cut_uses` that delete from a file all that names each of others."""
    nodes = ([node_at(gate.structure, data, each) for each in named] for named in mentions)
    targets = ([node for node in some if node] for some in nodes)
    return cut_uses(gate, data, filter(None, targets), ())


def node_at(structure: Structure, data: bytes, mention: Mention) -> Node | None:
    """Return the smallest node around a mention, if there is one."""
    found = None
    below = structure.nodes(data)[:1]
    while below:
        at = bisect_right(below, mention.start, key=lambda node: node.start) - 1
        if at < 0 or below[at].stop < mention.stop:
            break
        found = below[at]
        below = found.children
    return found


#: A smaller share of a document is not worth a query of its own.
_MIN_FRACTION = 1 / 32
#: A larger document takes long to parse, so whole files or parts are removed first.
MAX_BYTES = 1 << 21
#: The kinds of comments in the grammars of most languages.
_COMMENTS = ("comment", "doc_comment", "line_comment", "block_comment")


def for_readers(document: Document, structures: Structures) -> Proposals[Document]:
    """Propose to delete all comments at once, or else those of each file.

    They include strings that are statements of a body. In many projects they are a third of the
    bytes, in thousands of parts that the passes over tree levels would try one by one. Nothing is
    proposed if comments are few, or the document is large.
    """
    if document.extent > MAX_BYTES:
        return
    edits: list[FilesEdit] = [
        {file.path: tuple(Replacement(node.start, node.stop) for node in nodes)}
        for file in document.texts
        if structures[file.path].language
        if (nodes := list(_outermost(structures[file.path].nodes(file.data))))
    ]
    if (
        sum(gain(edit or ()) for each in edits for edit in each.values())
        >= _MIN_FRACTION * document.extent
    ):
        yield from at_once_or_each(document, structures, edits)


def _outermost(nodes: list[Node]) -> Iterator[Node]:
    """Yield the outermost nodes for readers, except the only statement of a body."""
    stop = 0
    for node in nodes:
        if node.start >= stop and node.parent is not None and is_for_readers(node):
            others = (each for each in node.parent.children if each.named)
            if node.kind in _COMMENTS or not all(map(is_for_readers, others)):
                stop = node.stop
                yield node


def is_for_readers(member: Node) -> bool:
    """Tell whether a node is only for readers: a comment, or a string that is a statement."""
    texts = [each.kind for each in member.children if each.named]
    is_text = member.kind == "expression_statement" and texts == ["string"]
    is_statement = member.parent is not None and member.parent.kind in {"block", "module"}
    return is_text or member.kind in _COMMENTS or (member.kind == "string" and is_statement)
