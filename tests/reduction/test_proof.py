from __future__ import annotations

import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from nubbin.documents.document import Document
from nubbin.documents.spans import Replacement
from nubbin.journal.reading import candidate
from nubbin.journal.recorded_run import RecordedRun
from nubbin.reduction.job import Job
from nubbin.reduction.recorded import inspection as module
from nubbin.reduction.recorded.inspection import Proof, proof
from nubbin.reduction.reduce import reduce
from nubbin_core.verdict import Verdict

Script = Callable[..., Path]


@pytest.fixture
def run(script: Script, tmp_path: Path) -> Path:
    source = tmp_path / "in.txt"
    source.write_text("one\naabb\ntwo\n" * 9)
    reduce(script("grep -q aabb in.txt"), source, jobs=1, smallest="char", record=tmp_path / "run")
    return tmp_path / "run"


def looked_up(run: Path) -> Proof:
    job = Job.of(RecordedRun.open(run).facts, candidate(run, 1))
    return proof(job, job.document(candidate(run, None)), RecordedRun.open(run).ran())


def test_each_removal_of_a_result_is_found_where_it_is(run: Path) -> None:
    found = looked_up(run)
    assert found.holds
    parts = [removal.part for removal in found.removals]
    assert parts == [Replacement(at, at + 1, b"") for at in range(4)]
    assert all(removal.ran and removal.ran.exit_code == 1 for removal in found.removals)


def test_a_verdict_that_is_missing_or_another_proves_nothing(run: Path) -> None:
    job = Job.of(RecordedRun.open(run).facts, candidate(run, 1))
    result = job.document(candidate(run, None))
    known = RecordedRun.open(run).ran()
    key = Document.single("in.txt", b"abb").key
    assert not proof(job, result, {each: ran for each, ran in known.items() if each != key}).holds
    other = known[key]._replace(verdict=Verdict.INTERESTING)
    assert not proof(job, result, {**known, key: other}).holds
    assert not proof(job, job.document({"in.txt": b""}), known).holds


def test_a_part_of_a_tree_that_cannot_go_alone_is_no_piece(script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "a.py").write_text("import b\nprint(b.half(3), end='needle')\n")
    (folder / "b.py").write_text("def half(n):\n    return n / 2\n")
    made = script("python3 -S p/a.py | grep -q needle")
    result = reduce(made, folder, jobs=1, smallest="tree", record=tmp_path / "run")
    assert result.minimal
    assert set(result.pieces) == {"a file", "a part of the tree"}
    found = looked_up(tmp_path / "run")
    assert found.holds
    assert all(removal.ran for removal in found.removals)


@pytest.mark.parametrize("keep", [None, "one"])
def test_members_are_pieces_also_if_parts_are_protected(
    script: Script, tmp_path: Path, keep: str | None
) -> None:
    source = tmp_path / "in.tar"
    with tarfile.open(source, "w") as archive:
        for name in ("one", "two"):
            member = tarfile.TarInfo(name)
            member.size = len(name)
            archive.addfile(member, BytesIO(name.encode()))
    made = script("tar xf in.tar && grep -q one one && grep -q two two")
    result = reduce(made, source, jobs=1, smallest="char", keep=keep)
    assert result.minimal
    assert set(result.pieces) == {"a member of the container", "a character"}


def test_a_large_proof_is_not_looked_up_to_the_end(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_REMOVALS", 3)
    found = looked_up(run)
    assert (len(found.removals), found.whole, found.holds) == (3, False, False)
