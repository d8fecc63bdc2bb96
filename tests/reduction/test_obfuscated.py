"""--obfuscate: a result that shows nothing but what the failure needs, and a table for the user."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce

Script = Callable[..., Path]


def test_the_result_has_no_other_word_than_the_failure_needs(
    script: Script, tmp_path: Path
) -> None:
    source = tmp_path / "note.txt"
    source.write_text("Dear Meier,\nMeier owes 1250\nsincerely\n")
    test = script("grep -q ' owes [0-9]' note.txt")
    result = reduce(test, source, obfuscate=True, smallest="lines", record=tmp_path / "run")
    assert result.data == b"Bbbbb owes 3333\n"
    assert result.minimal
    assert not result.exposed
    assert result.words == tmp_path / "note.reduced.txt.words.tsv"
    assert result.words.read_bytes() == b"3333\t1250\nBbbbb\tMeier\n"
    assert result.words.stat().st_mode & 0o777 == 0o600


def test_the_result_has_names_of_files_that_mean_nothing(script: Script, tmp_path: Path) -> None:
    source = tmp_path / "in"
    (source / "meier").mkdir(parents=True)
    (source / "meier/bill.txt").write_text("owes 1250\n")
    (source / "meier/main.txt").write_text("see bill\n")
    test = script("grep -q owes in/*/*.txt && [ -e in/*/main.txt ] && grep -q see in/*/main.txt")
    result = reduce(test, source, obfuscate=True, smallest="lines", record=tmp_path / "run")
    assert {*result.files} == {"in/hhhhh/gggg.txt", "in/hhhhh/main.txt"}
    assert result.minimal
    assert resume(tmp_path / "run").files == result.files
    assert b"hhhhh\tmeier" in (result.words or source).read_bytes()


def test_a_run_that_is_stopped_says_what_it_lacks_and_goes_on(
    script: Script, tmp_path: Path
) -> None:
    source, run = tmp_path / "note.txt", tmp_path / "run"
    source.write_text("Meier owes 1250\n")
    test = script("grep -q ' owes [0-9]' note.txt")
    stopped = reduce(
        test, source, obfuscate=True, smallest="lines", record=run, max_queries=1, keep="1250"
    )
    assert stopped.exposed
    assert stopped.words is None
    first = resume(run)
    assert (first.data, first.exposed) == (b"Bbbbb owes 1250\n", False)
    again = resume(run, max_queries=1)  # it ends before it has come to what it knows
    assert again.data == first.data
    assert again.words is None or again.words == first.words
