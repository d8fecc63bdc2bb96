"""Recorded runs of real reductions, whose names, contents and output are hostile."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from nubbin.reduction.reduce import reduce

HOSTILE = "</script></pre><img src=x onerror=alert(1)><!-- ``` | @here \x1b[31m \u202e &amp;"
NAME = "<img src=x onerror=alert(1)> & `rm` | '.txt"
LINES = [HOSTILE, "keep one", "noise", "a bug: yes", "more noise", "keep two é", ""]
TEXT = "\n".join(LINES * 5).encode()
#: The first argument is the input; the last line that matters is printed if it shows another bug.
TEST = """if grep -rq one "$1" && grep -rq two "$1"; then exit 0; fi
if grep -rq bug "$1"; then printf 'error: %s\\n' "$HOSTILE"; exit 101; fi
exit 1"""

Runs = dict[str, Path]


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The folders of three recorded runs: of a text, of a folder, and of an archive."""
    found: Runs = {}
    for kind, make in {"text": _text, "folder": _folder, "archive": _archive}.items():
        folder = tmp_path_factory.mktemp(kind)
        test = folder / "test.sh"
        test.write_text(f"#!/bin/sh\nHOSTILE=\"$(cat <<'E'\n{HOSTILE}\nE\n)\"\n{TEST}\n")
        test.chmod(0o755)
        if kind == "archive":
            test.write_text('#!/bin/sh\nunzip -p "$1" | grep -q one')
        reduce(test, make(folder), jobs=1, smallest="char", record=folder / "run")
        found[kind] = folder / "run"
    return found


def _text(folder: Path) -> Path:
    source = folder / NAME
    source.write_bytes(TEXT)
    return source


def _folder(folder: Path) -> Path:
    source = folder / "<b>in"
    (source / "deep").mkdir(parents=True)
    (source / NAME).write_bytes(TEXT)
    (source / "deep" / "gone.txt").write_bytes(TEXT[:100])
    (source / "deep" / "binary").write_bytes(bytes(range(256)) * 3 + b"one")
    return source


def _archive(folder: Path) -> Path:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", TEXT)
        archive.writestr("b.bin", bytes(1000))
    source = folder / "in.zip"
    source.write_bytes(packed.getvalue())
    return source
