from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from nubbin.journal.reading import candidate
from nubbin.reduction.job import Job
from nubbin.report.page.html import html
from nubbin.report.page.recording import Recording
from nubbin.report.page.weave import NEVER
from report.page.conftest import HOSTILE, NAME, Runs

_VOID = {"meta", "input", "br", "img", "link"}
_ALLOWED = re.compile(
    r"html|head|meta|title|style|body|header|p|h[1-4]|table|thead|tbody|t[rdh]|nav|a|main|noscript"
    r"|section|div|pre|code|mark|del|ins|figure|figcaption|svg|path|text|button|input|d[ltd]"
    r"|details|summary|footer|script"
)


class Page(HTMLParser):
    """A page taken apart; it fails for tags that do not match, or that the template has not."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert _ALLOWED.fullmatch(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.texts.setdefault(tag, [])
        if tag not in _VOID:
            self.open.append(tag)
            self.texts[tag].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self.open):
            self.texts[tag][-1] += data

    def values(self, name: str) -> list[str]:
        return [value for _, each, value in self.attributes if each == name]


def page_of(run: Path) -> Page:
    return Page(html(Recording.of(run)))


def data_of(page: Page) -> dict[str, Any]:
    packed = page.texts["script"][0]
    return dict(json.loads(zlib.decompress(base64.b64decode(packed, validate=True))))


@pytest.mark.parametrize("kind", ["text", "folder", "archive"])
def test_nothing_comes_from_elsewhere_and_nothing_breaks_out(runs: Runs, kind: str) -> None:
    page = page_of(runs[kind])
    assert all(value.startswith("#") for value in page.values("href"))
    assert not page.values("src") + page.values("style") + page.values("action")
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert len(page.texts["script"]) == 2
    assert len(page.texts["style"]) == 1
    (policy,) = (value for value in page.values("content") if "default-src" in value)
    assert policy.startswith("default-src 'none'; ")
    hashes = re.findall(r"'sha256-([^']+)'", policy)
    for text, told in zip((page.texts["style"][0], page.texts["script"][1]), hashes, strict=True):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() == told


@pytest.mark.parametrize("kind", ["text", "folder", "archive"])
def test_the_script_gets_every_candidate(runs: Runs, kind: str) -> None:
    recording = Recording.of(runs[kind])
    data = data_of(page_of(runs[kind]))
    job = Job.of(recording.run.facts, candidate(runs[kind], 1))
    numbers = range(1, len(recording.run.steps) + 1)
    assert len(recording.run.steps) > 3
    for number in numbers:
        files = job.document(candidate(runs[kind], number)).unpacked(job.depth).data
        assert {name: text for name, text in _at(data, number).items() if text} == {
            name.replace("\x1b", r"\x1b"): text for name, text in files.items() if text
        }
    assert data["steps"]["bytes"] == [step.bytes for step in recording.run.steps]


def _at(data: dict[str, Any], step: int) -> dict[str, bytes]:
    found = {}
    for file in data["files"]:
        text, at, parts = file["text"].encode("latin-1"), 0, []
        segments = file["segments"]
        for size, born, died in zip(
            *(segments[k] for k in ("length", "born", "died")), strict=True
        ):
            if born <= step and (died == NEVER or step < died):
                parts.append(text[at : at + size])
            at += size
        found[file["path"]] = b"".join(parts)
    return found


def test_a_proof_that_was_not_made_is_no_proof(runs: Runs) -> None:
    whole = Recording.of(runs["text"])
    assert whole.proof is not None
    whole.run.state = "died"
    assert "has not ended yet" in whole.proof_in_words
    large = replace(whole, proof=replace(whole.proof, whole=False))
    assert "has not ended yet: of the first" in large.proof_in_words
    whole.run.state = "fixpoint"
    assert "The result is large" in large.proof_in_words


def test_the_facts_are_there(runs: Runs) -> None:
    recording = Recording.of(runs["text"])
    page = page_of(runs["text"])
    text = "\n".join(page.texts["body"])
    assert page.texts["h1"] == [NAME]
    assert "1-minimal: the test rejects" in text
    assert (
        f"The test rejected each of the {len(recording.result.files[0].data)} single removals"
        in text
    )
    assert f"{recording.run.queries} queries in" in text
    assert 'if grep -rq one "$1"' in text
    assert f"nubbin reduce {runs['text'].parent}/test.sh" in text
    assert recording.run.tally is not None
    passes = page.texts["table"][1]
    assert all(each.name in passes for each in recording.run.tally.passes)
    assert all(kind in page.texts["table"][2] for kind in recording.run.tally.kinds)
    hostile = HOSTILE.replace("\x1b", r"\x1b").replace("\u202e", r"\u202e")
    assert any(f"error: {hostile}" in bug for bug in page.texts["details"])
    data = data_of(page)["removals"]
    assert data["rejected"] == [1] * len(recording.result.files[0].data)
    assert sorted(data["start"]) == list(range(len(recording.result.files[0].data)))


def test_a_folder_has_its_files(runs: Runs) -> None:
    data = data_of(page_of(runs["folder"]))
    assert {file["path"]: file["binary"] for file in data["files"]} == {
        f"<b>in/{NAME}": False,
        "<b>in/deep/gone.txt": False,
        "<b>in/deep/binary": True,
    }


def test_a_changed_test_is_not_shown(runs: Runs, tmp_path: Path) -> None:
    test = runs["text"].parent / "test.sh"
    before = test.read_text()
    try:
        test.write_text(before + "# changed\n")
        assert "grep" not in "\n".join(page_of(runs["text"]).texts["pre"])
    finally:
        test.write_text(before)
