"""What must stay does: --keep, --only, and lines that say so; and where a run may end early."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from examples import mostly_nightly
from nubbin.documents.document import Document
from nubbin.reduction import protection
from nubbin.reduction.protection import Protection
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError

Script = Callable[..., Path]

TEXT = b"alpha(1, 22);\nbeta(2); // nubbin: keep\ngamma(3);\ndelta(4);\ngamma(5);\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "input.c"
    path.write_bytes(TEXT.replace(b" // nubbin: keep", b""))
    return path


def test_marked_lines_stay(script: Script, source: Path) -> None:
    source.write_bytes(TEXT)
    result = reduce(script("grep -q delta input.c"), source)
    assert result.data == b"beta(2); // nubbin: keep\ndelta"
    assert result.minimal


def test_what_keep_matches_stays(script: Script, source: Path) -> None:
    result = reduce(script("grep -q delta input.c"), source, keep=r"gamma\(\d\)")
    assert result.data == b"gamma(3)deltagamma(5)"


def test_a_marked_line_and_what_keep_matches_stay(script: Script, source: Path) -> None:
    source.write_bytes(TEXT)
    result = reduce(script("grep -q delta input.c"), source, keep=r"beta\(2\)|gamma\(\d\)")
    assert result.data == b"beta(2); // nubbin: keep\ngamma(3)deltagamma(5)"


def test_only_what_only_matches_goes(script: Script, source: Path) -> None:
    result = reduce(script("grep -q 'delta(4)' input.c"), source, only=r"\d+|^alpha.*\n")
    assert result.data == b"beta();\ngamma();\ndelta(4);\ngamma();\n"


def test_protection_costs_no_query(script: Script, source: Path) -> None:
    free = reduce(script("grep -q delta input.c"), source)
    small = source.with_name("small")
    test = script("grep -q delta input.c")
    whole = reduce(test, source, keep=r"(?s).*gamma.*", output=small)
    assert whole.data.endswith(b"gamma(5);\n")
    assert whole.runs < free.runs


@pytest.mark.parametrize(
    ("options", "words"),
    [({"keep": "omega"}, "matches nothing"), ({"only": "("}, "not a regular expression")],
)
def test_wrong_expressions(
    script: Script, source: Path, options: dict[str, str], words: str
) -> None:
    with pytest.raises(NubbinError, match=words):
        reduce(script("true"), source, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("option", mostly_nightly(["keep", "only"], ["keep"]))
def test_expressions_that_never_end(
    script: Script, source: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    expression = {option: "(a+)+b"}
    given = {"keep": None, "only": None, **expression}
    protection_of_all = Protection.of(Document.single("x", b"aab\n" + b"ac" * 64), **given)
    monkeypatch.setattr(protection, "MATCH_LIMIT_S", 0.1)
    source.write_bytes(b"a" * 64 + b"!")
    with pytest.raises(NubbinError, match=f"more than 0.1 s to match --{option} .* in the input"):
        reduce(script("true"), source, **expression)  # type: ignore[arg-type]
    assert not protection_of_all.is_allowed(Document.single("x", b"aab\n" + b"a" * 64))


@pytest.mark.parametrize(
    ("smallest", "left"),
    [("tree", b"alpha;"), ("token", b"alpha"), ("char", b"l")],
)
def test_the_smallest_unit_ends_the_run_earlier(
    script: Script, source: Path, smallest: str, left: bytes
) -> None:
    result = reduce(script("grep -q l input.c"), source, smallest=smallest)
    assert result.data == left


def test_target_size_ends_the_run(script: Script, source: Path) -> None:
    result = reduce(script("grep -q delta input.c"), source, target_size=40)
    assert result.reason == "target-size"
    assert 5 < len(result.data) <= 40
    assert result.output.read_bytes() == result.data
