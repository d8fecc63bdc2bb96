"""Find out by their names which parts of a long list use which others."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain

from nubbin.documents.edits import Edit
from nubbin.documents.outlines.lexis import QUOTED, words_of
from nubbin.documents.parsing.grammars import keywords
from nubbin.documents.parsing.syntax import Structure
from nubbin.documents.spans import Replacement
from nubbin.documents.splice import Span
from nubbin.passes.headers import (
    C_LIKE,
    DECLARED_IN,
    MAX_ROOTS_FRACTION,
    PartHead,
    head_of,
    main_file,
    without_annotations,
)
from nubbin.passes.nodes.long_list import LongList
from nubbin.passes.words.definition import find_words
from nubbin.pattern import pattern
from nubbin_core.minimizers.uses import Uses, by_name, declaring

#: A word that more parts seem to declare is a key or a keyword.
_MAX_DECLARATIONS = 4
#: Cuts that free a smaller share of what the roots reach are left to other passes.
_MIN_FREED = 1 / 64
#: The most parts that become roots at once.
_MAX_NEW_ROOTS = 8

#: Languages in which a mark before each name tells its kind, and a name may be a number.
_WITH_SIGILS = frozenset({"llvm"})
_NAME = rb'([@%!#$](?:[-\w.$]+|"[^"\n]*"))'
_SIGIL_NAME = pattern(_NAME)
#: The beginning of a part that declares a name: `@f(`, `@x =`, `attributes #0 =`.
_SIGIL_DEFINED = pattern(rb'\A(?:[^"\n]|"[^"\n]*")*?' + _NAME + rb"(?: *=|\()")
#: Uses of a name that can be deleted: after a key, as in `, !dbg !5`, or a call without a result.
_REMOVABLE = (
    pattern(rb",?[ \t]+([@%!#$][-\w.$]+)[ \t]+" + _NAME + rb"(?=[\s,])"),
    pattern(rb"^[ \t]+([a-z][\w \t]*" + _NAME + rb")\([^\n]*\n(?![ \t]{3})", re.MULTILINE),
)
#: A section, which a keyword alone names in a function of the same name.
_SECTION, _FUNCTION = b"$", b"@"

#: What names no part: a text in quotes, and a class that is a friend.
_NO_USE = pattern(QUOTED + rb"|\bfriend\s+(?:class|struct)\s+\w+\s*;", re.DOTALL)
#: A text up to its last bracket; what precedes the first bracket is a group.
_BRACKETED = pattern(rb"\A([^({\[]*+)[({\[].*[)}\]]", re.DOTALL)


class NamedParts(LongList):
    """The parts of a long list, and which of them use which others.

    A part uses those that declare the names in it. The roots are the parts that the rest of the
    file exists for, such as the end of a program.
    """

    @cached_property
    def has_sigils(self) -> bool:
        """Whether a mark before each name tells its kind."""
        return self.language in _WITH_SIGILS

    @cached_property
    def is_mostly_declarations(self) -> bool:
        """Whether most of the file is in parts that declare a name, unlike blocks of namespaces."""
        parts = {*self._waiting, *chain.from_iterable(self._declared.values())}
        return 2 * self.weight(parts) >= len(self.data)

    @cached_property
    def _declared(self) -> Mapping[bytes, Collection[int]]:
        """The parts that declare each name, unless they wait; those in C and C++ by their heads.

        Elsewhere, these are the parts that have a word outside of brackets, of words of a few such
        parts.
        """
        if self.language in C_LIKE:
            names = (head.names for head in self._heads)
            return by_name(() if at in self._waiting else each for at, each in enumerate(names))
        found = self._by_word.items()
        return {word: parts for word, parts in found if len(parts) <= _MAX_DECLARATIONS}

    @cached_property
    def _by_word(self) -> Mapping[bytes, list[int]]:
        return by_name(_declared_in(text, self.language) for text in self.texts)

    @cached_property
    def _heads(self) -> Sequence[PartHead]:
        return [head_of(text) for text in self.texts]

    @cached_property
    def _waiting(self) -> Mapping[int, frozenset[bytes]]:
        """The parts of C++ that are needed only when all of some names are, with these names.

        A name leads to an overload or a specialization, and a type to an operator, only if all
        types in its head are named as well. A member outside of its class needs the class.
        """
        heads = self._heads if self.language in DECLARED_IN else []
        types = set[bytes]().union(*(head.names for head in heads if head.is_type))
        overloads = by_name(head.names if head.awaited else () for head in heads)
        found = dict[int, frozenset[bytes]]()
        for at, head in enumerate(heads):
            is_shared = any(len(overloads[name]) > 1 for name in head.names if head.awaited)
            if (awaited := head.awaited & types) and (is_shared or head.is_partial):
                found[at] = head.names | awaited
        return found

    @cached_property
    def _first(self) -> Mapping[bytes, Collection[int]]:
        """The first part that may declare each name, where parts have no heads."""
        if self.language in C_LIKE:
            return {}
        return {word: parts[:1] for word, parts in self._by_word.items()}

    def named_in(self, text: bytes) -> set[int]:
        """Return the parts that declare the names in a text."""
        return declaring(words_in(text, self.language), self._declared)

    def _used_by(self, text: bytes) -> set[int]:
        """Return the parts that a part with this text uses, whatever else is needed."""
        return self.named_in(text) | declaring(words_in(text, self.language), self._first)

    def named_by(self, roots: Iterable[int]) -> set[int]:
        """Return the parts that declare the names in the roots and around the list."""
        return self.named_in(self.around).union(*(self.named_in(self.texts[at]) for at in roots))

    @cached_property
    def uses(self) -> Uses:
        """Which parts use which others."""
        each = (self._used_by(text) - {at} for at, text in enumerate(self.texts))
        return Uses.of_each(map(sorted, each))

    @cached_property
    def unused(self) -> set[int]:
        """The parts that nothing else uses."""
        return self.uses.unused - self.named_in(self.around)

    def reach(self, roots: Iterable[int], cut: Edit = ()) -> set[int]:
        """Return the roots and the parts that they and the text around the list need.

        A `cut` edits some of the parts, which then need only what their remaining text names.
        """
        texts = {at: self.edited(at, spans) for at, spans in self.by_part(cut)}
        edited = {at: self._used_by(text) for at, text in texts.items()}
        reached, named = set[int](), {*words_in(self.around, self.language)}
        ready = self.named_in(self.around).union(roots)
        while ready:
            new = self.uses.reach(reached | ready, edited) - reached
            reached |= new
            for at in new if self._waiting else ():
                named |= words_in(texts.get(at, self.texts[at]), self.language)
            ready = {at for at, names in self._waiting.items() if names <= named} - reached
        return reached

    def without(self, cut: Edit, roots: Iterable[int]) -> Edit:
        """Return a cut with the removal of all parts that the roots do not reach any more."""
        return (*cut, *self.all_but(self.reach(roots, cut)))

    def freed(self, cuts: Iterable[Edit], roots: Collection[int]) -> list[Edit]:
        """Return the cuts that free much, each with the removal of that; the most last."""
        whole = self.weight(self.reach(roots))
        found: list[tuple[int, Edit]] = []
        for cut in cuts:
            reached = self.reach(roots, cut)
            size = whole - self.weight(reached)
            if size > _MIN_FREED * whole:
                found.append((size, (*cut, *self.all_but(reached))))
        return [edit for _, edit in sorted(found)]

    def references(self, at: int) -> list[Span]:
        """Return the spans outside of a part of the names it declares, if names have sigils."""
        start, stop = self.parts[at]
        names = _declared_in(self.texts[at], self.language)
        found = chain(*(self._named.get(name, ()) for name in names))
        return [span for span in found if not start <= span[0] < stop]

    def removable(self) -> list[Edit]:
        """Return what deletes all uses of a kind, if names have sigils, for each kind.

        A kind is the names after one key, or the calls of one name.
        """
        kinds: defaultdict[bytes, list[Replacement]] = defaultdict(list)
        for uses in _REMOVABLE if self.has_sigils else ():
            for found in uses.finditer(self.data):
                if found[2] in self._declared:
                    kinds[found[1]].append(Replacement(*found.span()))
        return [*map(tuple, kinds.values())]

    @cached_property
    def _named(self) -> Mapping[bytes, Sequence[Span]]:
        return find_words(self.data, _SIGIL_NAME)

    # -- roots -------------------------------------------------------------------------

    def texts_used(self) -> frozenset[bytes]:
        """Return the texts of the parts other than the roots; none if the roots are no small rest.

        The text around the list is a root. If it names no part, the roots are the last parts: of a
        preprocessed program the main file, or else the last part that declares a name, with those
        before it that only other roots name. Names with sigils are in no order, so there are none.
        """
        first = len(self.parts)
        if self.has_sigils or not self.is_mostly_declarations:
            return frozenset()
        if not self.named_in(self.around):
            main = main_file(self.data)
            if main:
                first = bisect_left(self.parts, main, key=lambda part: part[0])
            elif any(len(self.parts) - 1 in parts for parts in self._declared.values()):
                first = self._first_root()
        roots = set(range(first, len(self.parts)))
        return self._texts_but(roots) if self.reach(roots) - roots else frozenset()

    def texts_still_used(self, used: Collection[bytes]) -> frozenset[bytes]:
        """Return some texts of parts without those that the other parts name, if these are few."""
        roots = {at for at, text in enumerate(self.texts) if text not in used}
        named = self.named_by(roots) - roots
        is_few = 0 < len(named) <= _MAX_NEW_ROOTS
        return self._texts_but(roots | named) if is_few else frozenset()

    def _first_root(self) -> int:
        first_user = [len(self.parts)] * len(self.parts)
        for at, text in enumerate(self.texts):
            for each in self.named_in(text) - {at}:
                first_user[each] = min(first_user[each], at)
        root = len(self.parts) - 1
        while root and root <= first_user[root - 1] < len(self.parts):
            root -= 1
        return root

    def _texts_but(self, roots: Collection[int]) -> frozenset[bytes]:
        """Return the texts of all parts but the roots, if these are a small share of the file."""
        own = {self.texts[at] for at in roots}
        is_small = len(self.around) + sum(map(len, own)) <= MAX_ROOTS_FRACTION * len(self.data)
        return frozenset(self.texts) - own if is_small else frozenset()


def own_size(structure: Structure, data: bytes, known: NamedParts | None = None) -> int:
    """Return how many bytes at the end of a program come from no header; 0 if nothing shows it.

    `known` are the parts of the program, if they have been read.
    """
    if main := main_file(data):
        return len(data) - main
    found = known or NamedParts.of(structure, data)
    if not found or not (used := found.texts_used()):
        return 0
    roots = (
        start for (start, _), text in zip(found.parts, found.texts, strict=True) if text not in used
    )
    return len(data) - next(roots, len(data))


@lru_cache(maxsize=1 << 14)
def words_in(text: bytes, language: str) -> frozenset[bytes]:
    """Return the names in a part, without keywords, attributes and line markers.

    Cached, because most parts do not change.
    """
    if language in _WITH_SIGILS:
        return frozenset(words_of(text, _SIGIL_NAME))
    text = without_annotations(text)
    if language in C_LIKE:
        text = _NO_USE.sub(b" ", text)
    return frozenset(words_of(text)) - keywords(language)


def _declared_in(text: bytes, language: str) -> frozenset[bytes]:
    """Return the words of a part that are outside of brackets, or its own names with sigils."""
    if language in _WITH_SIGILS:
        found = _SIGIL_DEFINED.findall(text)
        also = (_FUNCTION + name[1:] for name in found if name.startswith(_SECTION))
        return frozenset((*found, *also))
    outside = _BRACKETED.sub(rb"\1 ", without_annotations(text))
    return words_in(text, language) & words_of(outside)
