"""docs/design.md is a map: every file and every type that it names exists."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "core" / "src" / "nubbin_core", ROOT / "src" / "nubbin")
BENCH = ROOT / "bench"
TEXT = (ROOT / "docs" / "design.md").read_text()
WORDS = set(re.findall(r"`([^`\n]+)`", TEXT))


def files(pattern: str) -> list[Path]:
    """Return the files of nubbin and its core that match a pattern, in all rooms."""
    return [path for source in SOURCES for path in source.rglob(pattern)]


@cache
def modules() -> dict[str, ast.Module]:
    """Return the modules of nubbin, by name."""
    return {
        ".".join(path.relative_to(source.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): ast.parse(path.read_text())
        for source in SOURCES
        for path in source.rglob("*.py")
    }


def defined(named: str, roots: Iterable[Path] = SOURCES) -> list[str]:
    """Return what this expression finds at the beginnings of lines of the modules."""
    texts = (path.read_text() for root in roots for path in root.rglob("*.py"))
    return [name for text in texts for name in re.findall(rf"^ *{named}", text, re.MULTILINE)]


def test_every_file_exists() -> None:
    named = {word for word in WORDS if word.endswith(".py")}
    assert len(named) > 30
    roots = (*SOURCES, ROOT / "src", BENCH, ROOT)
    assert not [file for file in named if not any((root / file).is_file() for root in roots)]


def test_every_room_is_there_and_no_other() -> None:
    (listed,) = re.findall(r"core/src/nubbin_core/[^\n]*\n(.*?)\nbench/", TEXT, re.DOTALL)
    rooms = {line.split("/")[0].strip() for line in listed.splitlines() if line[0] == " "}
    packages = (path.parent for path in files("*/__init__.py"))
    assert rooms == {path.name for path in packages if path.parent in SOURCES}


def test_every_type_exists() -> None:
    types = {word for word in WORDS if re.fullmatch(r"[A-Z][A-Za-z]+|[a-z]+_[a-z_]+", word)}
    assert len(types) > 40
    found = defined(r"(?:class |def |(?=\w+ = ))(\w+)", (*SOURCES, BENCH / "nubbin_bench"))
    assert not types - set(found)


def test_every_page_exists() -> None:
    pages = set(re.findall(r"\bdocs/[\w/-]+\.md", TEXT))
    assert pages
    assert not [page for page in pages if not (ROOT / page).is_file()]


def test_no_name_of_a_module_or_a_class_stands_twice() -> None:
    stems = [path.stem for path in files("*.py") if path.name != "__init__.py"]
    classes = [name for name in defined(r"class (\w+)") if not name.startswith("_")]
    count = Counter(stems + classes)
    assert [name for name, number in count.items() if number > 1] == []


def imported(module: ast.Module) -> set[str]:
    """Return the modules of nubbin that a module imports, also inside its functions."""
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{each.name}" for each in node.names}
            found |= names & modules().keys() or {str(node.module)}
    return found & modules().keys()


def test_no_circle_of_imports() -> None:
    imports = {name: imported(module) for name, module in modules().items()}
    assert sum(map(len, imports.values())) > 1000
    TopologicalSorter(imports).prepare()


def test_no_folder_has_more_modules_than_a_person_looks_through() -> None:
    counts = Counter(path.parent for path in files("*.py") if path.stem != "__init__")
    assert max(counts.values()) <= 15
