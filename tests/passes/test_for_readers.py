"""Comments of a folder go at once."""

from __future__ import annotations

import pytest

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.passes.folders.mentions import for_readers
from nubbin.passes.proposal import next_proposal
from nubbin.passes.table import FileView
from nubbin_core.minimizers import EMPTY

PROJECT = {
    "p/a.py": b'"""Of a."""\n# More.\ndef f():\n    """Of f."""\n    return "text"\n\n\ndef g():\n'
    b'    # Of g.\n    """Of g alone."""\n',
    "p/b.java": b'/** Of B. */\nclass B { int x; /* of x */ String s = "// no"; }\n',
}


def test_all_comments_go_in_one_question_and_then_file_by_file() -> None:
    document = Document("p", tuple(File(*each) for each in PROJECT.items()))
    structures = {file.path: FileView(file).structure for file in document.files}
    running = for_readers(document, structures)
    first = next_proposal(running)
    assert first is not None
    assert first.size == 1
    assert first.is_plausible(EMPTY)
    without = first.render(EMPTY)
    assert without.contents["p/a.py"].split() == (
        b'def f(): return "text" def g(): """Of g alone."""'.split()
    )
    assert without.contents["p/b.java"].split() == b'class B { int x; String s = "// no"; }'.split()
    second = next_proposal(running, document)
    assert second is not None
    assert second.size == 2
    assert next_proposal(running, document) is None


@pytest.mark.parametrize("data", [b"f()\n" * 99 + b"# One.\n", b""])
def test_few_comments_are_left_to_other_passes(data: bytes) -> None:
    document = Document("p", (File("p/a.py", data), File("p/b.py", b"")))
    structures = {file.path: FileView(file).structure for file in document.files}
    assert next_proposal(for_readers(document, structures)) is None
