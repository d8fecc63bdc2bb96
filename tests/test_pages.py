"""Every block of code in the pages that people write runs, or its page says why it cannot.

The blocks of a page run one after the other in one folder. A block of `text` is what the block
before it prints, or, if it begins with `nubbin: `, what nubbin says meanwhile, with `...` for
anything. A comment before a block, which readers do not see, says
that it runs only if there is a program, `<!-- needs PROGRAM -->`, or cannot run at all,
`<!-- not run: REASON -->`; at least its syntax is checked then.
"""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path
from typing import get_args

import pytest

from examples import mostly_nightly
from nubbin.reduction import events
from nubbin.report.json_lines import event_name, keys_of

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    # tests/bench runs the page for an algorithm of one's own.
    *sorted(page for page in DOCS.glob("*.md") if page.stem != "new-algorithm"),
    *sorted(DOCS.glob("guides/*.md")),
    ROOT / "record/evaluation/cases.md",
]
#: What everybody reads first; the syntax of all pages is checked by day, too.
BY_DAY = {"README", "commands"}
PATH = "/usr/bin:/bin"
_BLOCK = re.compile(
    r"^(?:<!-- (?:not run: (?P<reason>.+?)|needs (?P<program>\S+)) -->\n)?"
    r"```(?P<language>.*)\n(?P<code>(?s:.*?))^```$",
    re.MULTILINE,
)


@dataclass
class Block:
    language: str
    code: str
    runs: bool


def blocks(page: Path) -> list[Block]:
    return [
        Block(each["language"], each["code"], not each["reason"] and is_there(each["program"]))
        for each in _BLOCK.finditer(page.read_text())
    ]


def is_there(program: str | None) -> bool:
    return program is None or shutil.which(program, path=PATH) is not None


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder for the PATH, in which `nubbin`, `nubbin-bench` and `python3` are this test's."""
    folder = tmp_path / "programs"
    folder.mkdir()
    modules = {"nubbin": "-m nubbin", "nubbin-bench": "-m nubbin_bench", "python3": ""}
    for name, words in modules.items():
        (folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (folder / name).chmod(0o755)
    return folder


@pytest.mark.parametrize(
    "page",
    mostly_nightly(PAGES, [each for each in PAGES if each.stem in BY_DAY]),
    ids=lambda page: page.stem,
)
def test_the_blocks_of_a_page_run(page: Path, tmp_path: Path, programs: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    printed = said_of_nubbin = ""
    for number, block in enumerate(blocks(page)):
        if block.language == "text" and block.runs:
            wanted = said_of_nubbin if block.code.startswith("nubbin: ") else printed
            assert OutputChecker().check_output(block.code, wanted, ELLIPSIS), wanted
        elif block.runs and block.language in {"sh", "python"}:
            file = here / f"block{number}.{block.language}"
            file.write_text(block.code)
            program = ["/bin/sh", "-eu"] if block.language == "sh" else [sys.executable]
            said = subprocess.run(
                [*program, file],
                cwd=here,
                env={"PATH": f"{programs}:{PATH}", "PYTHONPATH": ":".join(sys.path)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert said.returncode == 0, f"{block.code}\n{said.stdout}\n{said.stderr}"
            printed = said.stdout.rstrip("\n") + "\n"
            said_of_nubbin = said.stderr
        else:
            check_syntax(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_blocks_of_a_page_are_right_in_form(page: Path) -> None:
    for block in blocks(page):
        check_syntax(block)


def check_syntax(block: Block) -> None:
    match block.language:
        case "sh":
            subprocess.run(["/bin/sh", "-n"], input=block.code, text=True, check=True)
        case "python":
            ast.parse(block.code)
        case "json":
            for line in block.code.splitlines():
                json.loads(line)
        case "toml":
            tomllib.loads(block.code)
        case directive if directive.startswith("{"):
            pass  # script/docs checks it
        case "text":
            pass  # compared with what is printed
        case _:
            assert not block.runs, f"nothing runs {block.language!r}: say why it is not run"


OUTSIDE = [
    *(ROOT / name for name in ("CONTRIBUTING.md", "bench/README.md")),
    *sorted(ROOT.glob("record/**/*.md")),
]


@pytest.mark.parametrize("page", OUTSIDE, ids=lambda page: f"{page.parent.stem}-{page.stem}")
def test_a_link_of_a_page_outside_the_site_leads_somewhere(page: Path) -> None:
    """As Sphinx checks those of the site: the file is there, and has the heading."""
    for path, anchor in re.findall(r"\]\((?![a-z]+:)([^)\s#]*)#?([^)\s]*)\)", page.read_text()):
        target = page.parent / path if path else page
        assert target.exists(), path
        if anchor:
            heads = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
            assert anchor in {anchor_of(head) for head in heads}, f"{path}#{anchor}"


def anchor_of(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def is_kind(named: object) -> bool:
    """Tell whether a name in the module of events is a kind of event of its own."""
    is_event = isinstance(named, type) and issubclass(named, events.ReductionEvent)
    return is_event and not getattr(named, "__name__", "_").startswith("_")


def test_the_page_for_programs_names_every_event_and_key() -> None:
    text = (ROOT / "docs" / "agents.md").read_text().split("\n## Other commands\n")[0]
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (.*?) ?\|", text, re.MULTILINE))
    kinds = {each for each in vars(events).values() if is_kind(each)} | {*get_args(events.Event)}
    kinds -= {events.ReductionEvent, events.AboutTest, events.Finished}
    written = {event_name(each): each for each in kinds}
    assert set(rows) == {"begin", "result", "error", *written}
    for name, event in written.items():
        keys = set(re.findall(r"`([a-z_]+)`", rows[name]))
        assert set(keys_of(event)) <= keys, name
