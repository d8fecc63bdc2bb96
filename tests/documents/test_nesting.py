"""What is nested beyond what a grammar survives is not given to it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from nubbin.documents.nesting import breaks
from nubbin.documents.parse import parse

DEEP = {
    "yaml": [
        b"- " * 2000,
        b"? " * 2000,
        b"".join(b" " * i + b"a:\n" for i in range(600)),
        b"".join(b" " * i + b"a:\r" for i in range(600)),
        b"".join(b" " * i + b"a:\n" + b" " * i + b"-\n" for i in range(300)),
    ],
    "markdown": [
        b"> " * 2000,
        b">" * 2000,
        b"- " * 2000,
        b"".join(b"  " * i + b"- a\n" for i in range(500)),
    ],
    "kotlin": [b'"${' * 2000],
}


@pytest.mark.parametrize(
    ("language", "data"), [(name, data) for name in DEEP for data in DEEP[name]]
)
def test_no_document_ends_the_process(language: str, data: bytes) -> None:
    assert breaks(language, data)
    assert parse(data, language) is None


@pytest.mark.parametrize(
    ("language", "data"),
    [
        # As deep as the guard lets pass.
        ("yaml", b"".join(b" " * i + b"a:\n" + b" " * i + b"-\n" for i in range(99))),
        ("yaml", b"- " * 49 + b"a"),
        ("markdown", b">" * 199),
        ("markdown", b"".join(b" " * 2 * i + b"- a\n" for i in range(99))),
        ("kotlin", b'"${' * 500),
    ],
)
def test_what_is_let_through_is_survived(language: str, data: bytes) -> None:
    assert not breaks(language, data)
    code = (
        "import sys; from nubbin.documents.parse import parse;"
        f"sys.exit(parse(sys.stdin.buffer.read(), {language!r}) is None)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=data, check=False)
    assert done.returncode == 0


def test_other_languages_may_be_as_deep_as_they_like() -> None:
    assert not breaks("json", b"[" * 100_000)
    assert not breaks("yaml", b"a: [" * 1000 + b"\n" + b"b: " + b"-" * 500)
