"""Definitions go with all that names them, in all files."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.parsing.injected import syntax_of
from nubbin.passes.folders.definitions_across import definitions_across
from nubbin.passes.proposal import next_proposal
from nubbin_core.minimizers.subset import Subset

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
    running = definitions_across(document, {file.path: syntax for file in document.files})
    proposal = next_proposal(running)
    if proposal is None:
        return []
    everything = Subset.full(proposal.size)
    assert proposal.render(everything).key == document.key
    alone = [everything.without(at, at + 1) for at in range(proposal.size)]
    rendered = [proposal.render(kept) for kept in alone]
    assert all(map(proposal.is_plausible, alone))
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


EMPTY = """\
class Spare:
    @mark
    def one(self):
        ...

    def two(self): ...


class Base:
    def three(self):
        pass


class Derived(Base):
    @mark(1)
    def four(self):
        ...

    # why
    def used(self):
        ...


class Needed:
    @mark
    def five(self):
        ...

    def six(self):
        return Derived.used


def seven():
    ...


def eight(): ...


print(Needed, eight)
"""


def after(document: Document, *accepted: bool) -> str:
    """Return what is left of a file after questions that delete all that they ask for, or not."""
    syntax = syntax_of("python")
    running = definitions_across(document, {file.path: syntax for file in document.files})
    proposal = next_proposal(running)
    for yes in accepted:
        assert proposal is not None
        assert proposal.size == 1
        nothing = Subset.full(1).without(0, 1)
        candidate = proposal.render(nothing)
        assert proposal.is_plausible(nothing)
        document = candidate if yes else document
        proposal = next_proposal(running, document)
    assert proposal is None or proposal.size > 1
    return document.data["p/a.py"].decode()


def test_what_holds_nothing_and_is_named_nowhere_goes_at_once() -> None:
    document = Document("p", (File("p/a.py", EMPTY.encode()), File("p/b.py", b"import a\n")))
    left = after(document, True)
    gone = ("Spare", "one", "two", "mark(1)", "four", "five", "seven")
    assert not [each for each in gone if each in left]
    kept = ("def used(self):", "Derived(Base)", "def three", "def six", "def eight(): ...")
    assert [each for each in kept if each not in left] == []


def test_a_class_stays_with_one_of_its_members_if_it_must() -> None:
    document = Document("p", (File("p/a.py", EMPTY.encode()), File("p/b.py", b"import a\n")))
    left = after(document, False, True)
    assert "class Spare" in left
    assert ("one" in left) != ("two" in left)
    assert "seven" not in left


def test_what_was_named_by_what_went_goes_next() -> None:
    text = "def f():\n    ...\n\n\n@f\ndef g():\n    ...\n"
    document = Document("p", (File("p/a.py", text.encode()), File("p/b.py", b"x = 1\n")))
    assert after(document, True, True).strip() == ""


#: Prints a digest of what a list deletes of every other file of a package.
DIGEST = """
import hashlib
from pathlib import Path

import nubbin.documents.parsing
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.documents.parsing.injected import syntax_of
from nubbin_core.minimizers.subset import Subset
from nubbin.passes.folders.definitions_across import definitions_across

syntax = syntax_of("python")
package = Path(nubbin.documents.parsing.__file__).parent
files = tuple(
    File(f"p/{at}.py", path.read_bytes()) for at, path in enumerate(sorted(package.glob("*.py")))
)
structures = {file.path: syntax for file in files}
proposal = next(definitions_across(Document("p", files), structures))
digest = hashlib.sha256()
for at in range(0, proposal.size, 8):
    kept = Subset.full(proposal.size).without(at, at + 8)
    digest.update(proposal.render(kept).key)
print(proposal.size, digest.hexdigest())
"""


def test_a_list_is_the_same_in_each_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of names differ between processes, and a run that is resumed has to ask the same."""
    digests = set()
    for seed in "12":
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        digests.add(subprocess.check_output([sys.executable, "-c", DIGEST]))
    assert len(digests) == 1
