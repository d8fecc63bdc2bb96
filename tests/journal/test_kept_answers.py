"""Answers survive the end of a process, and half an answer is none."""

from __future__ import annotations

from pathlib import Path

from nubbin.journal.run_folders import OF_PASSES, KeptAnswers


def reopened(folder: Path) -> KeptAnswers:
    answers = KeptAnswers()
    answers.open(folder)
    return answers


def test_half_an_answer_is_asked_again(tmp_path: Path) -> None:
    reopened(tmp_path).keep("one", b'["a b", {}]')
    with (tmp_path / OF_PASSES).open("ab") as file:
        file.write(b'two {"half": {}')
    killed = reopened(tmp_path)
    assert (killed.get("one"), killed.get("two")) == (b'["a b", {}]', None)
    killed.keep("two", b'{"whole": 1}')
    assert reopened(tmp_path).get("two") == b'{"whole": 1}'
