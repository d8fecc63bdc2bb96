"""Definitions go with all that names them, in all files."""

from __future__ import annotations

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.parsing.injected import syntax_of
from nubbin.minimizers.subset import Subset
from nubbin.passes.folders.definitions_across import DefinitionsAcross
from nubbin.passes.proposal import next_proposal

CORE = """\
class Base:
    def run(self):
        return 1


def spare(value):
    return Base


def needed(value):
    return value
"""
API = "from .core import (\n    Base,\n    needed,\n    spare,\n)\nlast = spare(1)\nprint(last)\n"
TEST = "from p.api import needed\nassert needed(2)\n"
WHOLE = Document(
    "p",
    (
        File("p/core.py", CORE.encode()),
        File("p/api.py", API.encode()),
        File("p/test.py", TEST.encode()),
    ),
)


def results(document: Document) -> list[dict[str, bytes]]:
    """Return what each edit alone leaves."""
    syntax = syntax_of("python")
    passes = DefinitionsAcross({file.path: syntax for file in document.files})
    proposal = next_proposal(passes.propose(document))
    if proposal is None:
        return []
    everything = Subset.full(proposal.size)
    assert proposal.render(everything).key == document.key
    alone = [everything.without(at, at + 1) for at in range(proposal.size)]
    rendered = [proposal.render(kept) for kept in alone]
    assert all(map(proposal.is_plausible, alone, rendered))
    return [each.data for each in rendered]


def test_a_definition_goes_with_its_imports_and_what_needs_them() -> None:
    left = next(each for each in results(WHOLE) if b"spare" not in b"".join(each.values()))
    assert b"last" not in left["p/api.py"]
    assert left["p/test.py"] == TEST.encode()
    assert all(name in left["p/api.py"] for name in (b"Base", b"needed"))
    assert b"def needed(value):\n    return value" in left["p/core.py"]


def test_what_is_used_least_comes_last() -> None:
    gone = [
        [name for name in (b"run", b"Base", b"spare", b"needed") if name not in b"".join(each)]
        for each in (left.values() for left in results(WHOLE))
    ]
    assert (gone[-1], gone[0]) == ([b"run"], [b"needed"])


def test_there_is_nothing_to_ask_of_what_defines_nothing() -> None:
    assert not results(Document("p", (File("p/a.py", b"x = 1\n"), File("p/b.py", b"y = 2\n"))))
