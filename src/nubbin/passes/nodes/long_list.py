"""A long list that most of a file is, and what uses which of its parts."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, chain, groupby, starmap

from nubbin.documents.edits import Edit
from nubbin.documents.outlines.lexis import STRING, words_of
from nubbin.documents.outlines.members import members
from nubbin.documents.parsing.grammars import keywords
from nubbin.documents.parsing.syntax import Node, Structure
from nubbin.documents.parts import Parts
from nubbin.documents.replacement import Replacement
from nubbin.passes.headers import DECLARED_IN, is_border, main_file, without_annotations
from nubbin.pattern import pattern
from nubbin_core.minimizers.uses import Uses

#: Shorter lists are asked about as they are.
_MIN_PARTS = 256
#: The users are at most this share of the file.
_MAX_USERS_FRACTION = 1 / 16
#: A name is declared in so many parts at most; a word of more is a key or a keyword.
_MAX_DECLARATIONS = 4
#: A namespace, or `extern "C"`, and what it holds; these are in one another so deep at most.
_NAMESPACES, _IN_NAMESPACE = ("namespace_definition", "linkage_specification"), "declaration_list"
_MAX_NAMESPACES = 2 * 3
#: A cut that frees a smaller share of what the users reach is left to other passes.
_MIN_FREED = 1 / 64
#: So many parts become users at once at most.
_MAX_NEW_USERS = 8


@dataclass(frozen=True)
class LongList:
    """The parts of a long list that most of a file is, and what uses which of them."""

    data: bytes
    parts: Sequence[Replacement]
    namespaces: Sequence[tuple[int, int]]
    span: Replacement  # of the list, with the namespaces around parts
    language: str

    @classmethod
    def of(cls, structure: Structure, data: bytes, min_parts: int = _MIN_PARTS) -> LongList | None:
        """Return the children of the first node of many, on the way to what is most of a file.

        What a namespace holds stands for it.
        """
        depth, node = 0, _node(structure, data, 0, None)
        while node and 2 * len(node) >= len(data):
            parts = [child for child in node.children if child.named]
            depth += 1
            namespaces: list[Node] = []
            units = list(_outside_of_namespaces(parts, namespaces))
            if len(units) >= min_parts:
                span = Replacement(parts[0].start, parts[-1].stop)
                is_read = all(
                    each.kind != _MISREAD
                    for each in chain(units, *(each.children for each in units))
                )
                if is_read or structure.language not in _WITH_MEMBERS_BY_BRACKETS:
                    blocks = [(each.start, each.stop) for each in namespaces]
                    return cls(data, _units(data, units), blocks, span, structure.language)
                spans, blocks = members(data)
                return cls(data, [*starmap(Replacement, spans)], blocks, span, structure.language)
            start = max(parts, key=len).start if parts else -1
            node = _node(structure, data, depth, start)
        return None

    @cached_property
    def texts(self) -> list[bytes]:
        """The texts of the parts."""
        return [self.data[part.start : part.stop] for part in self.parts]

    def _words(self, text: bytes) -> frozenset[bytes]:
        return words_in(text, self.language)

    @property
    def around(self) -> bytes:
        """What stands around the list."""
        return self.data[: self.span.start] + b"\n" + self.data[self.span.stop :]

    @cached_property
    def declared(self) -> Mapping[bytes, Sequence[int]]:
        """In which parts each name is declared, or else where it stands first."""
        if self.declares:
            return self._declared
        return {word: [at] for word, at in _first(map(self._words, self.texts)).items()}

    @cached_property
    def _surely(self) -> Mapping[bytes, Set[int]]:
        """The part that declares each name first, and those that surely declare it."""
        declared = (_declared_in(text, self.language) for text in self.texts)
        found = {word: {at} for word, at in _first(declared).items()}
        certain = _CERTAIN if self.language in DECLARED_IN else _WITH_MEMBERS
        for at, text in enumerate(self.texts):
            for each in certain.finditer(without_annotations(text)):
                for word in filter(None, each.groups()):
                    found.setdefault(word, set()).add(at)
        return found

    @cached_property
    def declares(self) -> bool:
        """Whether most of the file is in parts that declare a name, unlike blocks of namespaces."""
        declaring = set(chain.from_iterable(self._declared.values()))
        return 2 * self.weight(declaring) >= len(self.data)

    @cached_property
    def _declared(self) -> Mapping[bytes, Sequence[int]]:
        """Which parts, a few at most, have a word outside of brackets."""
        found: defaultdict[bytes, list[int]] = defaultdict(list)
        for at, text in enumerate(self.texts):
            for word in _declaring(text, self.language):
                found[word].append(at)
        return {word: parts for word, parts in found.items() if len(parts) <= _MAX_DECLARATIONS}

    def named_in(self, text: bytes) -> set[int]:
        """Return the parts that declare what a text names."""
        return set(chain.from_iterable(self.declared.get(word, ()) for word in self._words(text)))

    def named_by(self, users: Set[int]) -> set[int]:
        """Return the parts that declare what users name, and what is named around the list."""
        named = self.named_in(self.around)
        return named.union(*(self.named_in(self.texts[at]) for at in users))

    def weight(self, some: Iterable[int]) -> int:
        """Return how many bytes some parts have."""
        return sum(len(self.texts[at]) for at in some)

    def reach(self, users: Iterable[int], cut: Edit = ()) -> set[int]:
        """Return the users and what they use, with what that uses, and so on.

        What seems to be declared wherever it is used, as `size_t`, is so where it stands first, and
        where its members are. An operator, which no name leads to, is used if what it takes is. A
        cut is an edit of some of the parts: they use what is left of them.
        """
        roots = self.named_in(self.around).union(users)
        edited = {
            at: self._used_by(self._without_cut(at, spans)) for at, spans in self.holding(cut)
        }
        while True:
            reached = self.uses.reach(roots, edited)
            operators = {at for at, takes in self._operators if takes & reached} - reached
            if not operators:
                return reached
            roots |= operators

    def without(self, cut: Edit, users: Iterable[int]) -> Edit:
        """Return a cut with the removal of all that users do not reach any more."""
        return (*cut, *self.all_but(self.reach(users, cut)))

    def freed(self, cuts: Iterable[Edit], users: Collection[int]) -> list[Edit]:
        """Return cuts with all that users do not reach any more, if that is much; the most last."""
        whole = self.weight(self.reach(users))
        found: list[tuple[int, Edit]] = []
        for cut in cuts:
            reached = self.reach(users, cut)
            weight = whole - self.weight(reached)
            if weight > _MIN_FREED * whole:
                found.append((weight, (*cut, *self.all_but(reached))))
        return [edit for _, edit in sorted(found)]

    def holding(self, cut: Edit) -> Iterator[tuple[int, Edit]]:
        """Yield the parts in which spans of a cut start, with these spans in order."""
        starts = self._starts
        for at, spans in groupby(sorted(cut), lambda span: bisect_right(starts, span.start) - 1):
            if at >= 0:
                yield at, tuple(spans)

    @cached_property
    def _starts(self) -> list[int]:
        return [part.start for part in self.parts]

    @cached_property
    def uses(self) -> Uses:
        """Which parts use which others."""
        each = map(self._used_by, self.texts)
        return Uses.of_each(used - {at} for at, used in enumerate(each))

    @cached_property
    def unused(self) -> set[int]:
        """The parts that no others use."""
        return set(range(len(self.parts))).difference(self.uses.targets, self.named_in(self.around))

    @property
    def has_sigils(self) -> bool:
        """Whether a mark before each name tells its kind."""
        return self.language in _WITH_SIGILS

    def references(self, at: int) -> list[tuple[int, int]]:
        """Return where other parts name what a part declares, if names have sigils."""
        part, names = self.parts[at], _declaring(self.texts[at], self.language)
        found = chain(*(self._named.get(name, ()) for name in names))
        return [span for span in found if not part.start <= span[0] < part.stop]

    @cached_property
    def _named(self) -> Mapping[bytes, Sequence[tuple[int, int]]]:
        """Where each name with a sigil stands."""
        found: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
        for name in _SIGIL_NAME.finditer(self.data):
            found[name[0]].append(name.span())
        return found

    def _used_by(self, text: bytes) -> set[int]:
        """Return the parts that a text names, those among them that have the members."""
        sure = (self._surely.get(word, ()) for word in self._words(text))
        return self.named_in(text).union(*sure)

    @cached_property
    def _operators(self) -> list[tuple[int, set[int]]]:
        """The parts that declare an operator, each with the parts that declare what it takes."""
        found = ((at, _OPERATOR.match(text)) for at, text in enumerate(self.texts))
        return [
            (at, set().union(*(self._surely.get(word, ()) for word in self._words(each[1]))))
            for at, each in found
            if each
        ]

    def _without_cut(self, at: int, cut: Edit) -> bytes:
        done, stop = self.parts[at].start, self.parts[at].stop
        pieces: list[bytes] = []
        for span in cut:
            if done < span.stop and span.start < stop:
                pieces += [self.data[done : span.start], span.text]
                done = span.stop
        return b"".join((*pieces, self.data[done:stop]))

    def used(self) -> frozenset[bytes]:
        """Return the texts of the parts that a small rest of the file uses; or none.

        The users are what stands around the list. If that names nothing of it, they are the last
        parts: of a preprocessed program the main file, or else the last one, if it declares a name,
        and those before it that only other users name. Where names have sigils, no order is meant.
        """
        if self.has_sigils:
            return frozenset()
        first = len(self.parts)
        if not self.named_in(self.around):
            main = main_file(self.data)
            if main:
                first = bisect_left(self.parts, main, key=lambda part: part.start)
            elif any(len(self.parts) - 1 in parts for parts in self._declared.values()):
                first = self._last_users()
        users = set(range(first, len(self.parts)))
        return self._without(users) if self.reach(users) - users else frozenset()

    def less(self, used: Set[bytes]) -> frozenset[bytes]:
        """Return some texts of parts without those that the others name, if they are a few."""
        users = {at for at, text in enumerate(self.texts) if text not in used}
        named = self.named_by(users) - users
        is_few = self.declares and 0 < len(named) <= _MAX_NEW_USERS
        return self._without(users | named) if is_few else frozenset()

    def _last_users(self) -> int:
        first_user = [len(self.parts)] * len(self.parts)
        for at, text in enumerate(self.texts):
            for each in self.named_in(text) - {at}:
                first_user[each] = min(first_user[each], at)
        users = len(self.parts) - 1
        while users and users <= first_user[users - 1] < len(self.parts):
            users -= 1
        return users

    def _without(self, users: Collection[int]) -> frozenset[bytes]:
        """Return the texts of all parts but the users, if these are a small share of the file."""
        own = {self.texts[at] for at in users}
        is_small = len(self.around) + sum(map(len, own)) <= _MAX_USERS_FRACTION * len(self.data)
        return (
            frozenset(text for text in self.texts if text not in own) if is_small else frozenset()
        )

    def all_but(self, kept: Collection[int], *, borders: bool = False) -> Edit:
        """Return what deletes the parts that are not kept, and the namespaces that held only these.

        The marks between parts go with them. The `borders` of headers may stay, for who looks at
        headers next.
        """
        stays = [at in kept or (borders and is_border(text)) for at, text in enumerate(self.texts)]
        if not any(stays):
            return (self.span,)
        block = list(accumulate(self._is_between_blocks(at) for at in range(len(stays))))
        groups = groupby(range(len(stays)), lambda at: (stays[at], block[at]))
        runs = [list(run) for (stay, _), run in groups if not stay]
        starts = [part.start for part, stay in zip(self.parts, stays, strict=True) if stay]
        empty = [
            (start, stop)
            for start, stop in self.namespaces
            if bisect_left(starts, start) == bisect_left(starts, stop)
            and not _INLINE.search(self.data, start, stop)
        ]
        gone = Parts.covering([*(self._span(run[0], run[-1]) for run in runs), *empty])
        return tuple(map(Replacement, *gone))

    def between(self, users: Iterable[int]) -> Iterator[tuple[int, int]]:
        """Yield what stands before some parts, between them and after them."""
        at = self.span.start
        for user in sorted(users):
            if at < self.parts[user].start:
                yield at, self.parts[user].start
            at = self.parts[user].stop
        if at < self.span.stop:
            yield at, self.span.stop

    def _is_between_blocks(self, at: int) -> bool:
        """Tell whether a namespace begins or ends before a part."""
        before = self.data[self.parts[at - 1].stop : self.parts[at].start] if at else b""
        return b"{" in before or b"}" in before

    def _span(self, first: int, last: int) -> tuple[int, int]:
        """Return where parts stand, with the marks after them, or before them at the end."""
        start, stop = self.parts[first].start, self.parts[last].stop
        if last + 1 == len(self.parts):
            start = self.parts[first - 1].stop if first else start
        elif not self._is_between_blocks(last + 1):
            stop = self.parts[last + 1].start
            line, next_line = self._line(start), self._line(stop)
            if line is None:
                stop = stop if next_line is None else next_line - 1
            elif next_line is not None:
                start, stop = line, next_line
        return start, stop

    def _line(self, at: int) -> int | None:
        """Return where the line of a part begins if the part is the first there.

        A directive of a preprocessed program must begin its line, without an indent.
        """
        line = self.data.rfind(b"\n", 0, at) + 1
        return None if self.data[line:at].strip() else line


def own_size(structure: Structure, data: bytes) -> int:
    """Return how many bytes at the end of a program come from no header; 0 if nothing shows it."""
    if main := main_file(data):
        return len(data) - main
    found = LongList.of(structure, data)
    if not found or not (used := found.used()):
        return 0
    users = (part for part, text in zip(found.parts, found.texts, strict=True) if text not in used)
    return len(data) - next((part.start for part in users), len(data))


@lru_cache(maxsize=1 << 14)
def words_in(text: bytes, language: str) -> frozenset[bytes]:
    """Return the names in a part, which is mostly asked for again when others have changed.

    A line that says from which file the next ones are names nothing, nor does an attribute or a
    keyword.
    """
    if language in _WITH_SIGILS:
        return frozenset(words_of(text, _SIGIL_NAME))
    return frozenset(words_of(without_annotations(text))) - keywords(language)


#: Languages in which a mark before each name tells its kind, and a name may be a number.
_WITH_SIGILS = frozenset({"llvm"})
_SIGIL_NAME = pattern(rb'[@%!#$](?:[-\w.$]+|"[^"\n]*")')
#: What a part begins with that declares a name: `@f(`, `@x =`, `attributes #0 =`.
_SIGIL_DEFINED = pattern(rb'\A(?:[^"\n]|"[^"\n]*")*?([@%!#$](?:[-\w.$]+|"[^"\n]*"))(?: *=|\()')
#: A section, which is named in a function of the same name by a keyword alone.
_SECTION, _FUNCTION = b"$", b"@"


def _declaring(text: bytes, language: str) -> frozenset[bytes]:
    """Return the words of a part that are outside of brackets."""
    if language in _WITH_SIGILS:
        found = _SIGIL_DEFINED.findall(text)
        also = (_FUNCTION + name[1:] for name in found if name.startswith(_SECTION))
        return frozenset((*found, *also))
    return words_in(text, language) & words_of(_outside_of_brackets(text))


#: What grammars call a node that they cannot read. In these languages, brackets show the parts.
_MISREAD, _WITH_MEMBERS_BY_BRACKETS = "ERROR", frozenset({"c", *DECLARED_IN})
_POINTER = pattern(rb"\A[^({\[]*\(\s*\*+\s*(\w+)\s*\)")
_ENUMERATION = pattern(rb"\benum\b")
_WITH_MEMBERS = pattern(rb"\b(?:struct|union)\s+(\w+)\s*\{")
#: The same where headers declare names again and again.
_CERTAIN = pattern(
    rb"""\b(?:class|struct|union)\s+(?:\w+\s*::\s*)*(\w+)[^;(){}]*\{  # with members
    | \A(?:template\b[^;{]*?>\s*)(?:class|struct|union)\s+(\w+)\s*<  # a specialization
    | \A(?:template\s*<[^;{]*?>\s*(?=[\w:]))?(?:using\s+(\w+)\s*=|[^({=]*?(\w+)\s*\((?!\s*\*))
    | (\w+)\s*;?\s*\Z""",
    re.VERBOSE,
)
#: What shows at the end of a part that the next one belongs to it: a `;`, or a word on its line.
_GOES_ON = pattern(rb"[\w)][ \t]+\w|.\s*;\Z", re.DOTALL)
#: What an operator takes, up to the first of its brackets.
_OPERATOR = pattern(rb"[^{;]*?\boperator\b[^\w({;]*(?:\(\s*\))?[^({;]*\(([^{;)]*)")
#: A namespace that is inline in one place is so in all others.
_INLINE = pattern(rb"\binline\s+namespace\b")
_OPENING = pattern(rb"[({\[]")


@lru_cache(maxsize=1 << 14)
def _declared_in(text: bytes, language: str) -> frozenset[bytes]:
    """Return the words outside of brackets, the constants of enumerations and `f` in `(*f)`."""
    names = words_in(text, language)
    if not names:
        return names
    if language in _WITH_SIGILS:
        return _declaring(text, language)
    text = without_annotations(text)
    declaring = [_outside_of_brackets(text), *_POINTER.findall(text)]
    declaring += [STRING.sub(b"", text)] if _ENUMERATION.search(text) else []
    return names.intersection(chain.from_iterable(words_of(each) for each in declaring))


def _node(structure: Structure, data: bytes, depth: int, start: int | None) -> Node | None:
    """Return the node of a depth that starts there, with its children and what namespaces hold."""
    node = None
    for below in (1, 1 + _MAX_NAMESPACES):
        nodes = (each for each in structure.nodes(data, depth + below) if each.depth == depth)
        node = next((each for each in nodes if start in (None, each.start)), None)
        if not (node and any(child.kind in _NAMESPACES for child in node.children)):
            break
    return node


def _outside_of_namespaces(nodes: Iterable[Node], namespaces: list[Node]) -> Iterator[Node]:
    """Yield nodes, and in the place of a namespace what it holds; add it to the namespaces."""
    for node in nodes:
        held = [child for child in node.children if child.kind == _IN_NAMESPACE]
        if node.kind in _NAMESPACES and held:
            namespaces.append(node)
            inside = (child for child in held[0].children if child.named)
            yield from _outside_of_namespaces(inside, namespaces)
        else:
            yield node


def _units(data: bytes, nodes: Sequence[Node]) -> list[Replacement]:
    """Return where nodes stand; what goes on after a node, with it."""
    spans: list[Replacement] = []
    for node in nodes:
        goes_on = bool(spans) and _GOES_ON.match(data, max(spans[-1].stop - 1, 0), node.stop)
        start = spans.pop().start if goes_on and goes_on.end() > node.start else node.start
        spans.append(Replacement(start, node.stop))
    return spans


def _first(words: Iterable[Set[bytes]]) -> dict[bytes, int]:
    """Return where each word is first."""
    first: dict[bytes, int] = {}
    for at, each in enumerate(words):
        for word in each:
            first.setdefault(word, at)
    return first


def _outside_of_brackets(text: bytes) -> bytes:
    """Return what stands before the first bracket of a text and after the last."""
    text = without_annotations(text)
    opening = _OPENING.search(text)
    if opening is None:
        return text
    return text[: opening.start()] + b" " + text[1 + max(map(text.rfind, (b")", b"}", b"]"))) :]
