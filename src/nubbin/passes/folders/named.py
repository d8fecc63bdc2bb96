"""Delete all files, then all definitions, that what the failure names does not need."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from pathlib import PurePosixPath

from nubbin.documents.document import Document, Trace
from nubbin.documents.edits import Edit, File, FilesEdit
from nubbin.documents.outlines.lexis import NAME, words_of
from nubbin.documents.parsing.syntax import Node
from nubbin.passes.each_file import deleted, tried
from nubbin.passes.folders.definitions_across import is_import, unused_imports
from nubbin.passes.folders.entries import led_to
from nubbin.passes.folders.mentions import MAX_BYTES, named_by
from nubbin.passes.folders.traced import unexecuted, untouched
from nubbin.passes.headers import is_border
from nubbin.passes.proposal import Offer, Proposals
from nubbin.passes.syntactic import Gate, Structures, with_separators
from nubbin.passes.words.definition import body_of, defined_by, is_declared, leaving_one, name_of
from nubbin.pattern import pattern
from nubbin_core.minimizers.uses import Uses, by_name

#: A smaller share of a document is left to other passes.
_MIN_FRACTION = 1 / 8
#: A line number after the name of a file: `a.c:1`, `"a.py", line 1`.
_NUMBER = rb"[^\w\n]{1,3}(?:line )?(\d+)"
#: The roles of a name after a dot: it is no local name.
_MEMBER = frozenset({"attribute", "field", "property"})
#: The kind of a node that the grammar cannot read.
_ERROR = "ERROR"
#: A backslash before a mark in a regular expression.
_ESCAPE = pattern(rb"\\(?=[^\w\s])")


def named_by_failure(
    document: Document,
    structures: Structures,
    texts: Sequence[str],
    original: Document,
    trace: Trace | None = None,
) -> Proposals[Document]:
    """Propose to delete at once all that the parts named by the failure do not need.

    `texts` name parts of the `original`, those that name the fewest first: the test, with what it
    must print, and what it printed. First, the pass proposes all files that the named files do not
    need. Then it proposes all definitions and statements that are not needed by a named definition
    or by the definition around a named line. If the test rejects that, kept definitions keep all
    that is inside of them, and all is kept that a statement with effects needs; and if it rejects
    that, all that any statement needs. What a `trace` does not show comes before: files that were
    not opened, then code that did not run, and so needs nothing. Proposes nothing once the original
    has changed.
    """
    if document.key != original.key:
        return
    if trace:
        document = yield from untouched(document, trace, one_by_one=False)
    texts_so_far = [
        _ESCAPE.sub(b"", os.fsencode(text)) for text in accumulate(texts, "{}\n{}".format)
    ]
    document = yield from _files(document, texts_so_far)
    if trace:
        document = yield from unexecuted(document, structures, trace, original, one_by_one=False)
    if document.extent > MAX_BYTES:
        return
    parts = _Parts(document, structures, original.data)
    roots_of = [roots for text in texts_so_far if (roots := parts.named_by(text))]
    few, most = (parts.uses(holds_all=each) for each in (False, True))
    proposed: list[FilesEdit] = [{}]
    for uses, more in (few, set[int]()), (most, parts.effects), (most, parts.statements):
        for roots in roots_of:
            if (edit := parts.all_but(uses.reach(roots | more))) in proposed:
                continue
            proposed.append(edit)
            if fewer := (yield from tried(document, structures, edit)):
                yield from _files(fewer, texts_so_far)
                return


def _files(document: Document, texts: Sequence[bytes]) -> Offer[Document]:
    """Propose to delete the files that no file named by a text leads to, until that is accepted."""
    proposed = [0, len(document.on_disk)]
    for text in texts if len(document.on_disk) > 1 else ():
        entries = {*named_by(text, document)}
        left = led_to(document, entries)[1] if entries else {}
        if len(left) not in proposed:
            proposed.append(len(left))
            if fewer := (yield from tried(document, {}, deleted(chain(*left.values())))):
                return fewer
    return document


@dataclass(slots=True)
class _Part:
    """A definition or a statement; the definitions in its body are parts of their own."""

    path: str
    node: Node
    around: int | None
    size: int
    is_statement: bool = False
    declared: set[bytes] = field(default_factory=set)
    named: set[bytes] = field(default_factory=set)

    def find_names(self, data: bytes, name: Node | None, parts_inside: Sequence[Node]) -> None:
        """Find the names that it declares, with its own `name`, and the others that it has.

        It has those of members, and those that are not declared in it. Those in other parts and in
        imports do not count.
        """
        local, members, below = set[bytes](), set[bytes](), [self.node]
        inside = {id(part) for part in parts_inside}
        while below:
            each = below.pop()
            text = data[each.start : each.stop]
            if id(each) in inside:
                continue
            if each.children:
                below += () if is_import(each) else each.children
            elif each is name or (self.is_statement and _is_declared(each)):
                self.declared.add(text)
            elif each.named and NAME.fullmatch(text):
                is_member = each.role in _MEMBER
                (members if is_member else local if is_declared(each) else self.named).add(text)
        self.named = self.named - local | members


def _is_declared(leaf: Node) -> bool:
    """Tell whether a leaf declares a name, perhaps of a definition in a statement."""
    return is_declared(leaf) or body_of(defined_by(leaf)) is not None


class _Parts:
    """The parts of all files except imports, and which of them need which."""

    def __init__(self, document: Document, structures: Structures, original: Mapping[str, bytes]):
        self._document, self._structures = document, structures
        self._is_as_at_first = lambda file: original[file.path] == file.data
        self._all: list[_Part] = []
        for file in document.texts:
            below = structures[file.path].nodes(file.data)[:1]
            while len(below) == 1 and below[0].kind != _ERROR and not name_of(below[0]):
                below = [child for child in below[0].children if child.named]
            for child in below:
                self._add(file, child, None)

    def _add(self, file: File, node: Node, around: int | None) -> None:
        """Add a node as a part, with the parts in its body; or the parts in the node.

        Imports, re-exports and the borders of headers, which other passes need, are no parts. What
        the grammar cannot read is one part: its pieces are not what they seem.
        """
        if not node.named or is_import(node) or is_border(file.data[node.start : node.stop]):
            return
        inside = () if node.kind == _ERROR else (node, *node.children)
        defined = [each for each in inside if name_of(each)]
        if len(defined) > 1 and defined[0] is not node:
            for child in node.children:
                self._add(file, child, around)
            return
        part, at = _Part(file.path, node, around, len(node), not defined), len(self._all)
        self._all.append(part)
        inner = defined[0] if defined else node
        body = body_of(inner)
        below = reversed(body.children) if body else ()
        parts_inside = [each for each in below if any(map(name_of, (each, *each.children)))]
        for each in parts_inside:
            part.size -= len(each)
            self._add(file, each, at)
        part.find_names(file.data, name_of(inner), parts_inside)

    @property
    def statements(self) -> set[int]:
        return {at for at, part in enumerate(self._all) if part.is_statement}

    @property
    def effects(self) -> set[int]:
        """The statements that declare nothing, such as a call that registers a function."""
        return {at for at in self.statements if not self._all[at].declared}

    def uses(self, *, holds_all: bool) -> Uses:
        """Return which parts need which: those that they name, that are around them or in them.

        Unless `holds_all`, a part needs only those in it whose name several parts declare and none
        refers to, such as constructors.
        """
        declared = by_name([*part.declared, at] for at, part in enumerate(self._all))
        named = set[bytes]().union(*(part.named - part.declared for part in self._all))
        needed = [{*part.named, part.around} for part in self._all]
        for at, part in enumerate(self._all):
            is_apart = any(len(declared[word]) > 1 for word in part.declared - named)
            if part.around is not None and (holds_all or is_apart):
                needed[part.around].add(at)
        return Uses.by_name(needed, declared)

    def named_by(self, text: bytes) -> set[int]:
        """Return the parts that a text names, and the smallest around each line that it names."""
        words = words_of(text)
        found = {at for at, part in enumerate(self._all) if not words.isdisjoint(part.declared)}
        for file in filter(self._is_as_at_first, self._document.texts):
            name = re.escape(os.fsencode(PurePosixPath(file.path).name))
            numbers = {int(each) for each in re.findall(rb"\b%b%b" % (name, _NUMBER), text)}
            if not numbers:
                continue
            bounds = [*accumulate(map(len, file.data.splitlines(keepends=True)), initial=0)]
            own = [(at, part.node) for at, part in enumerate(self._all) if part.path == file.path]
            for start, stop in (bounds[n - 1 : n + 1] for n in numbers if 0 < n < len(bounds)):
                around = [at for at, node in own if node.start < stop and start < node.stop]
                found.update(around[-1:])  # parts come after those that they are in
        return found

    def all_but(self, reached: Collection[int]) -> FilesEdit:
        """Return the edit that deletes the other parts and their imports; {} if they are few."""
        sizes = (part.size for at, part in enumerate(self._all) if at not in reached)
        if sum(sizes) < _MIN_FRACTION * self._document.extent:
            return {}
        paths = (PurePosixPath(self._all[at].path).with_suffix("") for at in reached)
        used = {os.fsencode(name) for path in set(paths) for name in path.parts}
        used.update(*(self._all[at].named | self._all[at].declared for at in reached))
        gone: defaultdict[str, list[Node]] = defaultdict(list)
        for at, part in enumerate(self._all):
            if at not in reached and (part.around is None or part.around in reached):
                gone[part.path].append(part.node)
        return {
            file.path: edit
            for file in self._document.texts
            if (edit := self._edit(file, gone[file.path], used))
        }

    def _edit(self, file: File, gone: Sequence[Node], used: Collection[bytes]) -> Edit:
        """Return the edit that deletes nodes, but leaves no body empty, and unused imports."""
        gate = Gate(self._structures[file.path])
        spans = {*chain(*unused_imports(file, gate.structure, used))}
        free = [each for each in gone if each.parent and gate.may_delete(file.data, each)]
        for nodes in leaving_one(free, lambda each: each.parent):
            spans.update(with_separators(nodes))
        return tuple(sorted(spans))
