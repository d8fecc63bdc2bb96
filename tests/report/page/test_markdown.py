from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.journal.run_facts import DifferentFailure
from nubbin.report.page.html import with_mark
from nubbin.report.page.markdown import markdown
from nubbin.report.page.recording import Recording
from report.page.conftest import HOSTILE, NAME, Runs

_FENCED = re.compile(r"^(`{3,})text\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
_TAGS = re.compile("h3|p|strong|em|code|pre|ul|li|table|thead|tbody|t[rhd]|details|summary")


class Rendered(HTMLParser):
    """Markdown as a tracker shows it; `outside` is the text that is not code."""

    def __init__(self, page: str):
        super().__init__()
        self.open: list[str] = []
        self.outside = ""
        self.feed(MarkdownIt("commonmark").enable("table").render(page))
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert _TAGS.fullmatch(tag)
        assert attrs in ([], [("class", "language-text")])
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "code" not in self.open:
            self.outside += data


@pytest.mark.parametrize("kind", ["text", "folder", "archive"])
@pytest.mark.parametrize("full", [False, True])
def test_what_is_hostile_is_code(runs: Runs, kind: str, full: bool) -> None:
    page = markdown(Recording.of(runs[kind]), full=full)
    assert not re.search("[<>`@]|onerror|here", Rendered(page).outside)
    assert not re.search("[\x1b\u202e]", page)


def test_the_facts_are_there(runs: Runs) -> None:
    recording = Recording.of(runs["text"])
    page = markdown(recording, full=True)
    assert f"`` {NAME} ``" in page
    assert "**1-minimal: the test rejects" in page
    texts = [match[2] for match in _FENCED.finditer(page)]
    assert recording.result.files[0].data.decode() in texts
    assert any('grep -rq one "$1"' in text for text in texts)
    assert any(re.search(r"^ +\d+  keep two é$", text, re.MULTILINE) for text in texts)
    assert any(re.search("^without ", text) for text in texts)
    assert any("error: " in text for text in texts)
    assert recording.run.tally is not None
    assert all(f"| {each.name} |" in page for each in recording.run.tally.passes)


def test_a_tracker_takes_it(runs: Runs) -> None:
    recording = Recording.of(runs["text"])
    bug = DifferentFailure(
        Path(), "error: `a`", {"a": b"a" * 100_000, "b": HOSTILE.encode() * 1000}, b"x\n" * 9_000
    )
    page = markdown(replace(recording, different_failures=[bug] * 50), full=True)
    assert len(with_mark(page).decode()) <= 65_536
    assert "and 42 more" in page
    recording.run.steps *= 1000
    assert len(with_mark(markdown(recording, full=True)).decode()) <= 65_536
    ticks = DifferentFailure(Path(), "`" * 200, {str(n): b"`" * 3000 for n in range(99)}, b"`")
    page = markdown(replace(recording, different_failures=[ticks] * 8), full=True)
    assert len(with_mark(page).decode()) <= 65_536
    assert "Left out because it would be too long here: Different failures: 8." in page


@pytest.mark.parametrize("kind", ["text", "folder", "archive"])
def test_an_issue_has_at_most_40_lines(runs: Runs, kind: str) -> None:
    recording = Recording.of(runs[kind])
    for lines in (1, 1000):
        files = (*recording.result.files, *(File(f"f{n}", b"x\n" * lines) for n in range(lines)))
        page = markdown(replace(recording, result=Document(recording.result.name, files)))
        assert len(with_mark(page).splitlines()) <= 40
        assert "nubbin reduce" in page
        assert "Python 3" in page
    short = markdown(Recording.of(runs["text"]))
    assert recording.result.files[0].data.decode() in short or kind != "text"
