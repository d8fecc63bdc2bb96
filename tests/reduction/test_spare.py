"""A folder that is not needed any more becomes the next result."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.reduction.result.output_path import contents_at, contents_of
from nubbin.reduction.result.place import ResultPlace

folders = st.dictionaries(
    st.sampled_from(["a", "b", "c/d", "c/e", "f/g/h"]), st.binary(max_size=2)
).map(lambda files: Document("in", tuple(File(f"in/{at}", files[at]) for at in sorted(files))))


@given(st.lists(folders, min_size=1, max_size=6))
def test_every_result_is_whole(documents: list[Document]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "out")
        with ResultPlace(Path(folder), place) as best:
            for document in documents:
                best.write(document)
                assert contents_at(place) == contents_of(document, place, Path(folder))
                assert all(any(each.iterdir()) for each in place.rglob("*") if each.is_dir())
        assert [path.name for path in Path(folder).iterdir()] == ["out"]


def test_a_file_that_stays_is_not_written_again(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with ResultPlace(tmp_path, place) as best:
        seen = []
        for data in (b"one", b"two", b"one", b"two"):
            best.write(Document("in", (File("in/a", data), File("in/b", b"stays"))))
            seen.append([(place / name).stat().st_ino for name in ("a", "b")])
    assert seen[2][1] == seen[0][1] != seen[1][1] == seen[3][1]
    assert len({a for a, _ in seen}) >= 2


def test_what_somebody_wrote_to_the_spare_folder_is_in_no_result(tmp_path: Path) -> None:
    documents = [Document("in", (File("in/a", b"stays"), File("in/b", b"%d" % i))) for i in (1, 2)]
    with ResultPlace(tmp_path, tmp_path / "out") as best:
        best.write(documents[0])
        kept = (tmp_path / "out/a").open("r+b")
        best.write(documents[1])
        with kept:
            kept.write(b"late")
        (tmp_path / ".out.nubbin/spare/more").mkdir()
        best.write(documents[0])
        assert contents_at(tmp_path / "out") == contents_of(
            documents[0], tmp_path / "out", tmp_path
        )
        assert not (tmp_path / "out/more").exists()
