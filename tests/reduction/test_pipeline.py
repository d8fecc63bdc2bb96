"""Which passes run on a document, in which order: `resume` and `verify` depend on it."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.parsing import syntax
from nubbin.documents.parsing.trees import ParserProcess, parsing
from nubbin.passes import table
from nubbin.passes.grain import GRAIN_OF_LIST
from nubbin.passes.table import PASSES
from nubbin.reduction.pipeline import passes_for
from snippets import SNIPPETS

C = File("p/a.c", SNIPPETS["c"])
TEXT = File("p/b.txt", b"Some words, and (more).\n")
BINARY = File("a.bin", b"one\n\0two\n")
STANZAS = b"Package: a\nDepends: b (>= 1), c\nDescription: some words\n and: more\n\n" * 20
RUBBLE = b"] ) } @ # ? " * 9
CNF = File("p/c.cnf", b"p cnf 2 6\n" + b"1 -2 0\n" * 6)

ON_LINES = (
    "columns, bodies, records, large parts, nested lines, unwrapping, {}fusing names, "
    "arguments, inlining"
)
ON_TEXT = (
    f"{ON_LINES.format('fractions, ')}, "
    "white space, brackets, hoisting, tokens, names, repeated texts"
)
FIRST_ON_TREE = "reached parts, kept bodies"
ON_TREE = (
    "empty parts, roots first, subtrees, bodies, tree levels, "
    "names with their uses, fractions, simplest parts, hoisting, duplicates, arguments, tables, "
    "inlining, empty elements, white space, names, repeated texts, brackets, neighbours"
)
TO_THE_END = "cuts, phrases, numbers, single blanks, chars"
FROM_A_TREE = "cuts, phrases, numbers, tokens, single blanks, chars"
ON_COUNTED = "consistency"

#: The passes of folders alone, or of files that are not here, by the row before which they run.
ACROSS = {
    "bodies": "headers",
    "tree levels": "definitions, long lists",
    "names with their uses": "consistency",
    "names, repeated": "names across files",
}


def names(document: Document, smallest: str = "char") -> str:
    return ", ".join(each.name for each in passes_for(document, smallest=smallest))


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (C, f"{FIRST_ON_TREE}, {ON_TREE}, {FROM_A_TREE}"),
        (TEXT, f"{ON_TEXT}, {TO_THE_END}"),
        (CNF, f"{ON_COUNTED}, {ON_TEXT}, definitions, {TO_THE_END}"),
        (BINARY, f"list elements, lines, {ON_TEXT}, {TO_THE_END}"),
        # A few errors are usual; many say that the name lies.
        (File("a.c", RUBBLE), f"{ON_TEXT}, {TO_THE_END}"),
        # A tree that says little is not the only reading.
        (
            File("a.yaml", STANZAS),
            f"{FIRST_ON_TREE}, {ON_LINES.format('')}, {ON_TREE}, {FROM_A_TREE}",
        ),
    ],
    ids=lambda each: each.path if isinstance(each, File) else "",
)
def test_passes_of_a_file(file: File, expected: str) -> None:
    assert names(Document.single(file.path, file.data)) == f"comments, {expected}"


def test_the_user_has_the_last_word_on_the_language() -> None:
    passes = passes_for(Document.single("a.c", RUBBLE), language="c")
    expected = f"comments, {FIRST_ON_TREE}, {ON_LINES.format('')}, {ON_TREE}, {FROM_A_TREE}"
    assert ", ".join(each.name for each in passes) == expected
    passes = passes_for(Document.single("a.yaml", STANZAS), language="yaml")
    expected = f"comments, {FIRST_ON_TREE}, {ON_TREE}, {FROM_A_TREE}"
    assert ", ".join(each.name for each in passes) == expected


def test_passes_of_a_folder_are_those_of_any_file() -> None:
    document = Document("p", (C, TEXT, CNF))
    text = ON_TEXT.replace("large parts", "commands, fusing names, hoisting")
    text = text.replace("arguments", "plain values, arguments")
    tree = ON_TREE.replace("subtrees, ", "")
    for row, across in ACROSS.items():
        tree = tree.replace(row, f"{across}, {row}")
    first = f"comments, entries, files, merging, large parts, annotations, {FIRST_ON_TREE}"
    proof = FROM_A_TREE.replace("chars", "single files, chars")
    flat = "list elements, lines"
    assert names(document) == f"{first}, {ON_COUNTED}, {flat}, {text}, {tree}, {proof}"


def test_a_flat_list_has_one_pass_of_its_own_and_one_over_files() -> None:
    passes = passes_for(Document("p", (C, TEXT)), smallest="lines")
    assert [each.name for each in passes] == ["files", "single files", "lines"]


@pytest.mark.parametrize(
    ("smallest", "proofs"),
    [
        ("char", ["single files", "chars"]),
        ("token", ["tokens", "single files", "tokens"]),
        ("tree", ["lines", "nested lines", "single files", "tree levels"]),
    ],
)
def test_the_finest_grain_and_the_files_are_the_proof(smallest: str, proofs: list[str]) -> None:
    passes = passes_for(Document("p", (C, TEXT)), smallest=smallest)
    assert [each.name for each in passes if each.piece] == proofs


@pytest.mark.parametrize(
    ("files", "pieces"),
    [
        ((TEXT,), ["a token"]),
        ((BINARY,), ["a character"]),
        ((TEXT, BINARY), ["a token", "a token", "a file", "a character"]),
    ],
)
def test_tokens_of_a_binary_file_are_its_characters(
    files: tuple[File, ...], pieces: list[str]
) -> None:
    passes = passes_for(Document("p" if files[1:] else files[0].path, files), "token")
    assert [each.piece for each in passes if each.piece] == pieces


@pytest.mark.parametrize("unit", GRAIN_OF_LIST)
def test_the_only_pass_of_a_flat_list_is_the_proof(unit: str) -> None:
    (only,) = passes_for(Document.single(C.path, C.data), unit)
    assert only.name == unit
    assert only.piece


def test_no_pass_is_finer_than_asked_for() -> None:
    document = Document.single(CNF.path, CNF.data)
    assert names(document, "token") == (
        f"comments, {ON_COUNTED}, {ON_TEXT}, definitions, cuts, phrases, numbers"
    )
    assert names(document, "tree") == (
        "comments, consistency, "
        "columns, bodies, records, large parts, nested lines, unwrapping, fractions, fusing names, "
        "arguments, inlining, white space, brackets, hoisting, names, repeated texts, "
        "definitions, numbers"
    )


def test_unknown_names_are_refused() -> None:
    document = Document.single(C.path, C.data)
    with pytest.raises(ValueError, match="no unit 'words'; there are tree, token, char, lines"):
        passes_for(document, "words")


def test_passes_of_one_name_are_golf_together() -> None:
    """A reproduction leaves them out by name."""
    golf = {each.name for each in PASSES if each.is_golf}
    assert golf.isdisjoint(each.name for each in PASSES if not each.is_golf)


def test_each_file_is_parsed_once_and_after_the_first_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also if the trees of all files are too many to be kept."""
    monkeypatch.setattr(syntax, "_MAX_BYTES_WITH_TREES", 0)
    texts = [b"int f%d(int x)\n{\n    return x;\n}\n" % number for number in range(5)]
    files = (File(f"p/{number}.c", text) for number, text in enumerate(texts))
    document = Document("p", tuple(files))
    asked = patch.object(ParserProcess, "ask", autospec=True, side_effect=ParserProcess.ask)
    with parsing(), asked as ask:
        _comments, _entries, files_go, *others = passes_for(document)
        next(files_go.propose(document))
        assert not ask.called
        for_files = [list(each.paths) for each in others if each.row]
        assert any(for_files)
    parsed = [call.args[2] for call in ask.call_args_list if call.args[4] == "facts"]
    assert parsed == texts


def test_what_several_rows_ask_of_a_file_is_found_out_once() -> None:
    with patch.object(table, "is_of_expressions", return_value=False) as asked:
        assert passes_for(Document.single("some.log", TEXT.data))
    asked.assert_called_once_with(TEXT.data)
