"""Empty the bodies of functions, as LLVM's bugpoint does first, or the contents of braces."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable
from functools import partial
from itertools import chain, islice
from typing import Final

from nubbin.documents.consistency.items import element_around
from nubbin.documents.edits import Edit, Edits, gain
from nubbin.documents.file import File
from nubbin.documents.outlines.lexis import words_of
from nubbin.documents.parsing.grammars import keywords
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.spans import Replacement
from nubbin.passes.headers import DECLARED_IN, without_annotations
from nubbin.passes.nodes.named_parts import NamedParts, own_size
from nubbin.passes.nodes.subtrees import Kinds, alike
from nubbin.passes.proposal import Proposal, Proposals
from nubbin.passes.syntactic import Gate, propose
from nubbin.pattern import pattern
from nubbin_core.minimizers.subset import EMPTY, Subset
from nubbin_core.minimizers.uses import by_name

#: Bodies that are smaller than this on average are left to other passes.
_MAX_DOCUMENT_TO_BODY_RATIO = 400

#: Fewer pairs of braces, and pairs with fewer bytes, are left to other passes.
_MIN_BRACES = 4
_MIN_BRACED = 10
#: They must be a larger share of the document, and as much must be outside of them.
_MIN_SHARE = 1 / 8

#: Fewer functions are edited one by one.
_MANY = 32
_SPECIFIERS = frozenset(b"constexpr consteval static inline explicit virtual friend extern".split())
#: The kinds of a function, its initializers, and `auto` in the grammars of these languages.
_DEFINITION = "function_definition"
_TRAITS = _INITIALIZERS, _DEDUCED = "field_initializer_list", "placeholder_type_specifier"
#: A name after the name of its class: `A<int>::~A`, `A::operator()`.
_QUALIFIED = pattern(rb"^.*[\w>]\s*::\s*(?:~?\w+|operator\b.*)\s*$", re.DOTALL)
#: What a class begins with, some of whose arguments may be functions: `struct A<int()>`.
_CLASS_TEMPLATE = pattern(rb"(?:struct|class|union)\s+\w+\s*<")

_EMPTY = (b"{}", b"")
#: In most of these languages a body must return a value, or never return.
_NOTHING_DONE: Final = {
    "csharp": b"{throw null;}",
    "go": b"{panic(0)}",
    "java": b"{throw null;}",
    "llvm": b"{unreachable}",
    "python": b"...",
    "rust": b"{panic!()}",
    "typescript": b"{throw 0}",
}


def bodies(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty the body of each function, or to replace functions by declarations.

    An empty function can still be called, but calls nothing. After that, many definitions can be
    removed together that otherwise wait for their callers. A body is a node in the grammar's field
    of that name. Where a declaration is enough, many functions are first edited by kind.
    """
    if gate.structure.language in DECLARED_IN and len(gate.structure.functions(file.data)) >= _MANY:
        own = own_size(gate.structure, file.data)
        file = yield from alike(file, partial(declarations, gate=gate, own=own))
    edits = emptied_bodies(file.data, gate)
    total = sum(each.stop - each.start for (each,) in edits)
    if total * _MAX_DOCUMENT_TO_BODY_RATIO > len(edits) * len(file.data):
        yield propose(file, gate.structure, edits)


def declarations(data: bytes, gate: Gate, own: int = 0) -> Kinds:
    """Return for each kind of functions the edits that leave only their declarations.

    Functions are of the same kind if they have the same keywords before their names, and are alike
    in four respects: initializers of members, a deduced return type, the name of a class before
    their name, and a place in the last `own` bytes, which come from no header. A function with the
    name of a class before its name is declared there, so its definition is deleted, with its
    template clause.
    """
    kinds: defaultdict[Hashable, list[Replacement]] = defaultdict(list)
    specifiers = _SPECIFIERS & keywords(gate.structure.language)
    for body in sorted(gate.structure.functions(data), key=lambda node: node.start):
        function = body.parent
        if body.role != "body" or function is None or function.kind != _DEFINITION:
            continue
        traits = {node.kind: node.start for node in function.children if node.kind in _TRAITS}
        start = traits.get(_INITIALIZERS, body.start)
        head = data[function.start : start]
        if b"(" not in without_annotations(head) or _CLASS_TEMPLATE.match(head):
            continue  # a namespace with an attribute, or a class, that the grammar misreads
        words = words_of(head.partition(b"(")[0]) & specifiers
        if b"->" in head:
            traits.pop(_DEDUCED, None)
        name = next((node for node in function.children if node.role == "declarator"), body)
        is_outside = bool(_QUALIFIED.match(data[name.start : name.stop].partition(b"(")[0]))
        *_, around = function.outward()
        found = Replacement(around.start, around.stop) if is_outside else None
        found = found or Replacement(start, body.stop, b";")
        is_own = function.start >= len(data) - own
        if found.stop - found.start > len(found.text):
            kinds[frozenset(words), frozenset(traits), is_outside, is_own].append(found)
    return kinds


def insides(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty the outermost braces, if these are a large share of the file.

    For files without a grammar that shows bodies: the actions of a grammar, the rules of a style.
    Other brackets hold arguments, which are better deleted with what is around them.
    """
    yield from alike(
        file, lambda data: {"": found} if (found := _inside_braces(data, gate.structure)) else {}
    )


def _inside_braces(data: bytes, structure: Structure) -> list[Replacement]:
    """Return the contents of the outermost braces; [] if they are too few or too small."""
    nodes = [
        node
        for node in structure.nodes(data, smallest=_MIN_BRACED)
        if _is_braced(node)
        if not any(_is_braced(around) for around in node.outward() if around is not node)
    ]
    share = sum(map(len, nodes)) / max(len(data), 1)
    if len(nodes) < _MIN_BRACES or not _MIN_SHARE < share < 1 - _MIN_SHARE:
        return []
    return [Replacement(node.start + 1, _inner_stop(data, node)) for node in nodes]


def _inner_stop(data: bytes, node: Node) -> int:
    """Return the end of the contents of braces, before a mark that closes them: `%{ a %}`."""
    mark = data[node.start - 1 : node.start].strip()
    return node.stop - 1 - (bool(mark) and data.endswith(mark, node.start, node.stop - 1))


def _is_braced(node: Node) -> bool:
    return bool(node.children) and node.children[0].kind == "{"


def emptied_bodies(data: bytes, gate: Gate) -> list[tuple[Replacement]]:
    """Return an edit for each body of a function that is not empty."""
    found = (node for node in gate.structure.functions(data) if node.role == "body")
    return [
        (Replacement(node.start, node.stop, text),)
        for node in sorted(found, key=lambda node: node.start)
        if (text := _emptied(gate, data, node)) is not None
    ]


def _emptied(gate: Gate, data: bytes, body: Node) -> bytes | None:
    """Return a shorter text that can replace a body; None if the grammar allows none."""
    if data[body.start : body.stop] in _EMPTY:
        return None
    nothing_done = _NOTHING_DONE.get(gate.structure.language)
    return gate.shorter(data, body, (nothing_done,) if nothing_done else _EMPTY)


#: A list of fewer parts, or with fewer bodies, is left to other passes.
_MIN_PARTS, _MIN_BODIES = 16, 2
#: So many groups come first, of functions that stand together.
_FEW = 8
#: References to so many parts are removed, those nearest to what nothing uses; a part with more
#: references is left to other passes.
_MAX_PARTS, _MAX_REFERENCES = 256, 64
#: What says where a program begins, as `<?php`; without it, the grammar shows no program.
_BEGINS_PROGRAM = b"<"
#: The beginning of a part, up to the number of a name.
_FIRST_WORD = pattern(rb"\A[^\s\d]*")


def kept_bodies(file: File, gate: Gate) -> Proposals[File]:
    """Propose to empty bodies of functions, each time without all parts that nothing reaches then.

    The failure mostly needs a few functions, with the types and variables that they name. The pass
    looks for these, in a few groups and then one by one, and a candidate has nothing else: a
    function that they call is there without its body. Parts that nothing uses are elements of the
    list too; those that begin with the same word are one. After that, references to parts that
    reach much are removed, with all that only they reach.
    """
    for groups in (_FEW, 0):
        found = NamedParts.of(gate.structure, file.data, _MIN_PARTS)
        if not found or not found.declares or gate.structure.language in DECLARED_IN:
            return
        if proposal := _kept(file, found, gate):
            file = yield proposal.in_groups(groups) if groups else proposal
    found = NamedParts.of(gate.structure, file.data, _MIN_PARTS)
    if found and found.has_sigils:
        yield propose(file, None, _freed(found))


def _kept(file: File, found: NamedParts, gate: Gate) -> Proposal[File] | None:
    """Return the proposal to keep some elements, with what they reach; None if they are few.

    An element is a part with a body, all parts that nothing uses and that begin alike, or all uses
    of a kind, which do not count for what is reached if they are deleted.
    """
    stubs = dict(found.by_part(tuple(chain(*emptied_bodies(file.data, gate)))))
    unused, starts = found.unused, list[list[object]]()
    for at, text in enumerate(found.texts):
        is_one = at in unused and not text.startswith(_BEGINS_PROGRAM)
        starts.append([at] if at in stubs else _FIRST_WORD.findall(text) if is_one else [])
    groups = [*by_name(starts).values()]
    if not groups or not (len(stubs) >= _MIN_BODIES or found.has_sigils):
        return None
    always = unused.difference(*groups)
    elements = [(parts, stubs.get(parts[0], ())) for parts in groups]
    elements += [([], spans) for spans in found.removable()]

    def render(kept: Subset) -> File:
        if len(kept) == len(elements):
            return file
        roots = always.union(*(elements[at][0] for at in kept))
        cut = chain(*(spans for at, (_, spans) in enumerate(elements) if at not in kept))
        return Edits(file, [found.without(tuple(cut), roots)]).render(EMPTY)

    weights = [float(gain(spans) or found.weight(parts)) for parts, spans in elements]
    texts = [b"\n".join(found.texts[at] for at in parts) for parts, _ in elements]
    return Proposal(len(elements), render, weights, texts=lambda: texts)


def _freed(found: NamedParts) -> list[Edit]:
    """Return what deletes all references to a part, with what only that reaches; the most last."""
    used = chain(*islice(found.uses.layers(found.unused), 1, None))
    cuts = (_unreferenced(found, at) for at in islice(used, _MAX_PARTS))
    return found.freed(filter(None, cuts), found.unused)


def _unreferenced(found: NamedParts, at: int) -> Edit:
    """Return what deletes the references to a part; () if some cannot be deleted."""
    references = found.references(at)
    around = [element_around(found.data, span) for span in references[:_MAX_REFERENCES]]
    cut = tuple(Replacement(*span) for span in around if span)
    return cut if len(cut) == len(references) else ()
