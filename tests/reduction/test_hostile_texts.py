"""Texts that grammars do not survive are reduced all the same, to a proven result."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nubbin.documents import parser_process, trees
from nubbin.reduction.events import Event
from nubbin.reduction.reduce import reduce


def opened(path: Path) -> bool:
    return path.read_bytes().count(b"[") >= 260


def has_boom(path: Path) -> bool:
    return b"boom" in path.read_bytes()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("input.typ", b"[" * 3000),  # it crashes at once, and the result does too
        ("input.typ", b"[x]" * 300),  # only candidates crash
    ],
)
def test_what_crashes_the_grammar(tmp_path: Path, name: str, data: bytes) -> None:
    source = tmp_path / name
    source.write_bytes(data)
    children = set()

    def look(_: Event) -> None:
        children.add(trees._parser(os.getpid())._popen)

    result = reduce(opened, source, observers=[look])
    assert result.minimal
    assert result.data == b"[" * 260
    assert all(child is None or child.returncode is not None for child in children)
    assert len(children) > 1


def test_what_hangs_in_the_grammar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_process, "_PATIENCE_SECONDS", 0.5)
    source = tmp_path / "input.cob"
    source.write_bytes(b"a\n\n" * 500 + b"boom\n" + b"a\n\n" * 500)
    result = reduce(has_boom, source)
    assert result.minimal
    assert result.data == b"boom"
