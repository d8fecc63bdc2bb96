"""The file on disk is whole at every moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from nubbin.documents.document import Document
from nubbin.reduction.best import Best


def test_a_failed_write_leaves_the_old_best_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "in"
    source.write_bytes(b"input")

    def fail(self: Path, target: Path) -> None:
        raise OSError("disk full")

    with Best(tmp_path, tmp_path / "out") as best:
        best.write(Document.single("in", b"first"))
        monkeypatch.setattr(Path, "replace", fail)
        with pytest.raises(OSError, match="disk full"):
            best.write(Document.single("in", b"second"))
    assert (tmp_path / "out").read_bytes() == b"first"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]
