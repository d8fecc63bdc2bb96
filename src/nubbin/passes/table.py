"""The table of passes: their names, their grains, the files they are for, and their order.

The schedule, `--smallest` and the tests all go by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from nubbin.documents.consistency.hypotheses import may_be_counted
from nubbin.documents.edits import File
from nubbin.documents.outlines import pieces
from nubbin.documents.outlines.outline import Outline, is_of_expressions
from nubbin.documents.outside import Outside, WholeLines
from nubbin.documents.parsing.grammars import grammar
from nubbin.documents.parsing.injected import syntax_of
from nubbin.documents.parsing.language_names import OUTLINED
from nubbin.documents.parsing.languages import language_of
from nubbin.documents.parsing.syntax import Structure, Syntax
from nubbin.documents.spans import Protected
from nubbin.passes import flat
from nubbin.passes.grain import GRAIN_OF_LIST, Grain
from nubbin.passes.headers import has_headers, headers, unannotated
from nubbin.passes.proposal import FilePass, Proposals
from nubbin.passes.syntactic import Gate
from nubbin.text.figures import is_text
from nubbin_core.late import late


def _late(module: str, names: str) -> list[Callable[..., Any]]:
    """Return passes of a module of this package, which is imported when one of them runs."""
    return [late(f"nubbin.passes.{module}:{name}") for name in names.split()]


consistent, counted_items, definitions = _late("consistent", "consistent counted_items definitions")
blanks, single_blanks, cuts, phrases = _late("cuts", "blanks single_blanks cuts phrases")
bodies, empty_parts, insides = _late("nodes.bodies", "bodies empty_parts insides")
brackets, empty_elements, hoist, minimal_replacements = _late(
    "nodes.simpler", "brackets empty_elements hoist minimal_replacements"
)
fractions, numbers, plain_values = _late("nodes.simpler", "fractions numbers plain_values")
commands, joining, levels, subtrees = _late("nodes.subtrees", "commands joining levels subtrees")
arguments, columns, tables = _late("nodes.lists", "arguments columns tables")
kept_bodies, reached, roots_first = _late("nodes.roots", "kept_bodies reached roots_first")
def_use, fuse, inline = _late("words.def_use", "def_use fuse inline")
duplicates, names, repeats, words = _late("words.names", "duplicates names repeats words")


@dataclass(frozen=True)
class FileView:
    """A file as the table of passes sees it; each fact is found when it is first needed.

    `format` is the language that the user names, if any. Views of one document share what
    `syntax_of` returns, which caches trees. If `by_lines`, only whole lines are removed.
    """

    file: File
    format: str | None = None
    syntax_of: Callable[[str], Syntax] = syntax_of
    protected: Protected | None = None
    by_lines: bool = False

    @cached_property
    def syntax(self) -> Syntax | None:
        """The syntax of the file's language; None if it is unknown or has no grammar here.

        None as well if many nodes are errors, unless the user names the language.
        """
        language = language_of(
            self.file.path,
            self.file.data,
            self.format or "",
            lambda data, language: self.syntax_of(language).tree(data),
        )
        if language is None or language in OUTLINED or grammar(language) is None:
            return None
        syntax, data = self.syntax_of(language), self.file.data
        is_rubble = syntax.parses(data) and not syntax.is_reliable(data)
        return None if is_rubble and not self.format else syntax

    @cached_property
    def has_doubtful_tree(self) -> bool:
        """Whether the tree has few errors but may be of another language than the text."""
        if self.format or self.syntax is None or not self._has_reliable_tree:
            return False
        return self.syntax.is_doubtful(self.file.data)

    @cached_property
    def _has_reliable_tree(self) -> bool:
        return self.syntax is not None and self.syntax.is_reliable(self.file.data)

    @cached_property
    def outline(self) -> Outline:
        """The structure that a text shows without a grammar."""
        return Outline()

    @cached_property
    def words(self) -> Outline:
        """The same, down to the words."""
        return Outline(words=True)

    @property
    def structure(self) -> Structure:
        """The syntax, or the outline if there is none."""
        return self.syntax or self.outline

    @property
    def open_structure(self) -> Structure:
        """The structure without the insides of protected nodes, and of whole lines."""
        return self._open(self.structure)

    @property
    def open_outline(self) -> Structure:
        """The outline without these."""
        return self._open(self.outline)

    def _open(self, structure: Structure) -> Structure:
        outside = Outside(structure, self.protected) if self.protected else structure
        return WholeLines(outside) if self.by_lines else outside

    def finest(self, wanted: Grain) -> Grain:
        """Return the grain at which the file ends: a binary file has no words to keep whole."""
        in_words = wanted is not Grain.TOKEN or is_text(self.file.data)
        return wanted if in_words else Grain.CHAR

    # -- the files to which a row applies ----------------------------------------------

    def always(self) -> bool:
        """Return True: the row is for every file."""
        return True

    def is_counted(self) -> bool:
        """Tell whether numbers of the file, or of what it becomes, may depend on the rest."""
        return self.file.consistency is not None or may_be_counted(self.file.data)

    def has_grammar(self) -> bool:
        """Tell whether the file's language has a grammar; the file may be too large for a tree."""
        return self.syntax is not None

    def is_counted_program(self) -> bool:
        """Tell whether the file is counted and has a grammar, so that parts can go before items."""
        return self.has_grammar() and self.is_counted()

    def has_tree(self) -> bool:
        """Tell whether the file has a syntax tree."""
        return self.syntax is not None and self.syntax.parses(self.file.data)

    def has_no_tree(self) -> bool:
        """Tell whether the file has no syntax tree."""
        return not self.has_tree()

    def has_no_tree_beyond_doubt(self) -> bool:
        """Tell whether to read the file as records, lines and words, perhaps beside a tree."""
        return not self._has_reliable_tree or self.has_doubtful_tree

    def is_of_expressions(self) -> bool:
        """Tell whether the file has no syntax tree, and is made of expressions in parentheses."""
        return self.has_no_tree() and is_of_expressions(self.file.data)

    def has_no_structure(self) -> bool:
        """Tell whether the file has no outline either: it is too large, or binary."""
        return not self._has_reliable_tree and not self.outline.parses(self.file.data)

    def has_headers(self) -> bool:
        """Tell whether the file is a preprocessed program."""
        return has_headers(self.file.data)


@dataclass(frozen=True, slots=True)
class Row:
    """A pass over files: its name for people, its grain, the files it is for, and its maker.

    `make` is called only with views to which the row `applies`. For `piece`, see `Pass`.
    """

    name: str
    grain: Grain
    applies: Callable[[FileView], bool]
    make: Callable[[FileView], FilePass]
    piece: str = ""
    is_golf: bool = False
    waits: bool = False


#: The row of a pass that makes a text shorter, and no easier to read.
Golf = partial(Row, is_golf=True)

_GatedPass = Callable[[File, Gate], Proposals[File]]
_Make = Callable[[FileView], FilePass]


def _plain(each: FilePass) -> _Make:
    return lambda view: each


def _on(structure: str, each: _GatedPass) -> _Make:
    """Run a pass on one of the structures of a file, with a gate of its own for every document."""

    def make(view: FileView) -> FilePass:
        read: Structure = getattr(view, structure)
        return lambda file: each(file, Gate(read))

    return make


_on_tree, _on_open_tree, _on_outline, _on_words = (
    partial(_on, structure)
    for structure in ("structure", "open_structure", "open_outline", "words")
)


def _consistent(view: FileView) -> FilePass:
    return partial(consistent, with_items=not view.is_counted_program())


def _names(view: FileView) -> FilePass:
    """Go by the tree, or by all words if there is doubt that it shows the names."""
    return words if view.has_doubtful_tree else _on_tree(names)(view)


def _hoisting(view: FileView) -> FilePass:
    """Hoist words as well while the text is made of expressions in parentheses."""

    def on(file: File) -> Proposals[File]:
        of_expressions = is_of_expressions(file.data)
        structure = view.words if of_expressions else view.open_outline
        found: Proposals[File] = hoist(file, Gate(structure), of_expressions=of_expressions)
        return found

    return on


#: How the flat lists split a file, and into what.
_PIECES = {
    "lines": (pieces.lines, "a line"),
    "tokens": (pieces.tokens, "a token"),
    "chars": (pieces.chars, "a character"),
    "bytes": (pieces.single_bytes, "a byte"),
}


def _flat(name: str, applies: Callable[[FileView], bool] = FileView.always) -> Row:
    split, piece = _PIECES[name]
    return Row(name, GRAIN_OF_LIST[name], applies, _plain(flat.flat(split)), piece)


TREE, TOKEN, CHAR = Grain

# The rows that passes over a folder refer to.
LARGE_PARTS = Row("large parts", TREE, FileView.has_no_tree_beyond_doubt, _on_outline(subtrees))
SUBTREES = Row("subtrees", TREE, FileView.has_grammar, _on_open_tree(subtrees))
TREE_LEVELS = Row(
    "tree levels", TREE, FileView.has_grammar, _on_open_tree(levels), "a part of the tree"
)
NAMES = Golf("names", TREE, FileView.has_grammar, _names)

#: All passes over files, in the order in which they run; the last is the finest.
PASSES = (
    # Before numbers are made right, which takes many queries of a large file.
    Row("annotations", TREE, FileView.has_headers, _on_open_tree(unannotated)),
    Row("reached parts", TREE, FileView.has_grammar, _on_open_tree(reached)),
    Row("kept bodies", TREE, FileView.has_grammar, _on_open_tree(kept_bodies)),
    Row("consistency", TREE, FileView.is_counted, _consistent),
    Row("list elements", TREE, FileView.has_no_structure, _plain(flat.flat(pieces.elements))),
    _flat("lines", FileView.has_no_structure),
    Golf("columns", TREE, FileView.has_no_tree_beyond_doubt, _plain(columns)),
    Row("bodies", TREE, FileView.has_no_tree_beyond_doubt, _on_outline(insides)),
    Row("records", TREE, FileView.has_no_tree_beyond_doubt, _plain(flat.records)),
    # Arguments of expressions can rarely be removed, but one of them can mostly replace a term.
    Row("commands", TREE, FileView.is_of_expressions, _on_outline(commands)),
    Golf("fusing names", TREE, FileView.is_of_expressions, _on_words(fuse)),
    Row("hoisting", TREE, FileView.is_of_expressions, _hoisting),
    LARGE_PARTS,
    Row("nested lines", TREE, FileView.has_no_tree_beyond_doubt, _on_outline(levels), "a line"),
    Row("unwrapping", TREE, FileView.has_no_tree_beyond_doubt, _plain(flat.unwrapping)),
    Golf("fractions", TREE, FileView.has_no_tree, _plain(fractions)),
    # Before the others on names: it makes different declarations alike, for few queries.
    Golf("fusing names", TREE, FileView.has_no_tree_beyond_doubt, _on_words(fuse)),
    Row("plain values", TREE, FileView.is_of_expressions, _on_words(plain_values)),
    Golf("arguments", TREE, FileView.has_no_tree_beyond_doubt, _on_words(arguments)),
    Golf("inlining", TREE, FileView.has_no_tree_beyond_doubt, _on_words(inline)),
    Golf("white space", TREE, FileView.has_no_tree, _plain(blanks)),
    # Before hoisting, which would delete nested brackets one pair at a time.
    Golf("brackets", TREE, FileView.has_no_tree, _plain(brackets)),
    Row("hoisting", TREE, FileView.has_no_tree, _hoisting),
    _flat("tokens", FileView.has_no_tree),
    Golf("names", TREE, FileView.has_no_tree, _plain(words)),
    Golf("repeated texts", TREE, FileView.has_no_tree, _plain(repeats)),
    Row("empty parts", TREE, FileView.has_grammar, _on_open_tree(empty_parts)),
    Row("roots first", TREE, FileView.has_grammar, _on_open_tree(roots_first)),
    Row("headers", TREE, FileView.has_headers, _on_open_tree(headers)),
    SUBTREES,
    Row("bodies", TREE, FileView.has_grammar, _on_open_tree(bodies)),
    Row("definitions", TREE, FileView.is_counted, _plain(definitions)),
    TREE_LEVELS,
    Row("consistency", TREE, FileView.is_counted_program, _plain(counted_items)),
    Golf("names with their uses", TREE, FileView.has_grammar, _on_open_tree(def_use)),
    Golf("fractions", TREE, FileView.has_grammar, _plain(fractions)),
    # Before hoisting: simple parts need less around them.
    Golf("simplest parts", TREE, FileView.has_grammar, _on_open_tree(minimal_replacements)),
    Row("hoisting", TREE, FileView.has_grammar, _on_open_tree(hoist)),
    Golf("duplicates", TREE, FileView.has_grammar, _on_open_tree(duplicates)),
    Golf("arguments", TREE, FileView.has_grammar, _on_open_tree(arguments)),
    Golf("tables", TREE, FileView.has_grammar, _on_open_tree(tables)),
    Golf("inlining", TREE, FileView.has_grammar, _on_open_tree(inline)),
    Golf("empty elements", TREE, FileView.has_grammar, _on_tree(empty_elements)),
    Golf("white space", TREE, FileView.has_grammar, _plain(blanks)),
    NAMES,
    Golf("repeated texts", TREE, FileView.has_grammar, _plain(repeats)),
    Golf("brackets", TREE, FileView.has_grammar, _on_tree(brackets)),
    Golf("neighbours", TREE, FileView.has_grammar, _on_open_tree(joining)),
    Row("cuts", TOKEN, FileView.always, _on_tree(cuts)),
    Row("phrases", TOKEN, FileView.always, _on_tree(phrases)),
    Golf("numbers", TREE, FileView.always, _plain(numbers)),
    # After cuts, because the rejected tokens are half of the proof.
    _flat("tokens", FileView.has_grammar),
    Row("single blanks", CHAR, FileView.always, _plain(single_blanks)),
    _flat("chars"),
)

#: Where a pass of the user's own is put: before the row of this name.
PLACES = {"first": PASSES[0].name, "with": "commands", "last": "cuts"}


def with_given(rows: tuple[Row, ...], given: Sequence[tuple[str, Row]]) -> tuple[Row, ...]:
    """Return the rows with the given ones inserted at their places.

    Without its row, the place `last` is the end, and others are the start.
    """
    found = [*rows]
    for place, row in given:
        end = len(found) if place == "last" else 0
        names = [each.name for each in found]
        found.insert(names.index(PLACES[place]) if PLACES[place] in names else end, row)
    return tuple(found)


#: The only pass of hierarchical delta debugging.
HDD_PASSES = (replace(TREE_LEVELS, applies=FileView.has_tree),)

#: The only pass for each flat list that `--smallest` can name.
LIST_PASSES = {name: (_flat(name),) for name in GRAIN_OF_LIST}

#: The passes for each of the lists that `nubbin.suspects` makes.
SUSPECT_PASSES = {
    "tests": (replace(_flat("lines"), name="tests", piece="a test"),),
    "commits": (Row("commits", TREE, FileView.always, _plain(flat.commits), "a commit"),),
    "changes": (
        Row("files of a patch", TREE, FileView.always, _plain(flat.patched_files)),
        Row("hunks", TREE, FileView.always, _plain(flat.hunks)),
        Row("changed lines", TREE, FileView.always, _plain(flat.changed_lines), "a changed line"),
    ),
}
