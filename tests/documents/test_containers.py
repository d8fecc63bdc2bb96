"""Containers: taken apart, and packed again so that a reader of theirs finds what is left."""

from __future__ import annotations

import gzip
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import closing
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from containers import SAMPLES, TEXT, zipped
from nubbin.documents import packing
from nubbin.documents.document import Document
from nubbin.documents.edits import File
from nubbin.oracles.processes.cancellation import CancelToken

each_sample = pytest.mark.parametrize("name", SAMPLES)


def taken(name: str, data: bytes | None = None) -> Document:
    return Document.single(name, SAMPLES[name] if data is None else data).unpacked()


def changed(document: Document, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """Return the container whose members were changed; their names are those in it."""
    left = {path.removeprefix(f"{document.name}/"): data for path, data in document.data.items()}
    change(left)
    files = tuple(File(f"{document.name}/{name}", data) for name, data in left.items())
    return replace(document, files=files).contents[document.name]


@pytest.mark.parametrize("name", ["a.txt.gz", "a.txt.bz2", "a.txt.xz"])
def test_what_nobody_waits_for_is_not_packed_to_its_end(name: str) -> None:
    token = CancelToken()
    token.cancel()
    with token.as_current(), pytest.raises(CancelledError):
        changed(taken(name), lambda left: left.update(dict.fromkeys(left, b"other")))


@each_sample
def test_nothing_changes_where_nothing_changed(name: str) -> None:
    document = taken(name)
    assert document.packing is not None
    assert not document.is_single
    assert document.packed.is_single
    assert document.contents == {name: SAMPLES[name]}
    assert document.key == Document.single(name, SAMPLES[name]).key


@each_sample
def test_packed_anew_it_holds_the_same(name: str) -> None:
    again = taken(name).repacked.packed.unpacked()
    assert sorted(again.data.values()) == sorted(taken(name).data.values())
    assert again.repacked.contents == again.contents


@pytest.mark.parametrize(
    "name", ["a.zip", "a.docx", "a.tar", "b.tar", "a.png", "a.wasm", "A.class"]
)
def test_packed_anew_these_are_the_same_bytes(name: str) -> None:
    assert taken(name).repacked.contents == {name: SAMPLES[name]}


@each_sample
def test_what_is_left_is_found_again(name: str) -> None:
    document = taken(name)
    for file in document.files:
        left = document.only(lambda each, gone=file.path: each.path != gone)  # type: ignore[misc]
        assert left.key != document.key
        if left.can_be_packed:
            again = left.packed.unpacked()
            assert file.path not in again.data or name.endswith((".wasm", ".class", ".png", ".pdf"))
    nothing = document.only(lambda each: False)
    assert nothing.contents == {name: b""}


def test_sizes_are_those_on_disk_and_of_what_is_reduced() -> None:
    document = taken("a.zip")
    assert document.sizes.bytes == len(SAMPLES["a.zip"])
    assert document.sizes.lines == 41
    assert document.extent == len(TEXT) + 3 + 4


# -- each by its own reader -----------------------------------------------------------------


@given(
    st.dictionaries(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
        st.binary(max_size=99).map(b"_".__add__),
        min_size=1,
    ),
    st.sampled_from([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_LZMA]),
    st.binary(max_size=50),
)
def test_zip(members: dict[str, bytes], method: int, data: bytes) -> None:
    document = taken("a.zip", zipped(members, method))
    expected = list(members.values())

    def change(left: dict[str, bytes]) -> None:
        del left[next(iter(left))]
        if left and method != zipfile.ZIP_LZMA:
            left[next(iter(left))] = expected[1] = data

    if len(members) == 1 or document.packing is None or len(document.files) < len(members):
        return
    with zipfile.ZipFile(BytesIO(changed(document, change))) as archive:
        assert archive.testzip() is None
        assert [archive.read(info) for info in archive.infolist()] == expected[1:]
        assert archive.comment == b"a comment"


def test_entries_of_one_name_are_told_apart() -> None:
    made = BytesIO()
    with pytest.warns(UserWarning), zipfile.ZipFile(made, "w") as archive:
        archive.writestr("x", "one")
        archive.writestr("x", "two")
    document = taken("a.zip", made.getvalue())
    assert list(document.data.values()) == [b"one", b"two"]
    with zipfile.ZipFile(BytesIO(changed(document, lambda left: left.__delitem__("x")))) as left:
        assert [left.read(info) for info in left.infolist()] == [b"two"]


@pytest.mark.parametrize("name", ["a.tar", "b.tar"])
def test_tar(name: str) -> None:
    def change(left: dict[str, bytes]) -> None:
        del left["one.txt"]
        left["x" * 120] = b"something longer"

    with tarfile.open(fileobj=BytesIO(changed(taken(name), change))) as archive:
        info = archive.getmembers()[0]
        stream = archive.extractfile(info)
        assert (info.name, stream and stream.read()) == ("x" * 120, b"something longer")


def test_containers_in_containers() -> None:
    def change(left: dict[str, bytes]) -> None:
        assert list(left) == ["a.tar/in.zip/one.txt", "a.tar/y"]
        left["a.tar/in.zip/one.txt"] = b"1"

    with tarfile.open(fileobj=BytesIO(gzip.decompress(changed(taken("a.tar.gz"), change)))) as tar:
        stream = tar.extractfile("in.zip")
        assert stream is not None
        with zipfile.ZipFile(stream) as archive:
            assert archive.read("one.txt") == b"1"


def test_png() -> None:
    def change(left: dict[str, bytes]) -> None:
        assert list(left) == ["IHDR 0", "tEXt 1", "row 0", "row 1", "row 2", "IEND 3"]
        del left["tEXt 1"], left["row 0"]
        left["row 2"] = b"\0\x63"

    assert _pixels(changed(taken("a.png"), change)) == [b"\5\6\7\x08", b"\x63\0\0\0"]


def test_the_pixels_of_a_png_are_compressed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []

    def compress(data: bytes) -> bytes:
        sizes.append(len(data))
        return data

    def change(left: dict[str, bytes]) -> None:
        del left["row 2"]

    document = taken("a.png")
    monkeypatch.setattr(zlib, "compress", compress)
    changed(document, change)
    assert len(sizes) == 1


def test_a_png_is_as_wide_as_its_rows() -> None:
    def change(left: dict[str, bytes]) -> None:
        del left["tEXt 1"], left["row 0"]
        left["row 1"], left["row 2"] = b"", b"\0\x63\x64"

    assert _pixels(changed(taken("a.png"), change)) == [b"\0\0", b"\x63\x64"]


def _pixels(data: bytes) -> list[bytes]:
    """Return the rows of an image like `containers.png`."""
    assert b"tEXt" not in data
    width, height = struct.unpack(">II", data[16:24])
    (size,) = struct.unpack(">I", data[33:37])
    assert data[37:41] == b"IDAT"
    pixels = zlib.decompress(data[41 : 41 + size])
    assert zlib.crc32(data[37 : 41 + size]).to_bytes(4) == data[41 + size : 45 + size]
    assert len(pixels) == height * (width + 1)
    return [pixels[at + 1 : at + 1 + width] for at in range(0, len(pixels), width + 1)]


def test_java_class() -> None:
    def change(left: dict[str, bytes]) -> None:
        assert left["method 0/Code 0"] == b"\x10\x07\xac"
        assert left["text 5"] == b"f"
        left["method 0/Code 0"] = b""
        left["text 5"] = b"longer"
        del left["field 0/flags"], left["interface 0"], left["text 3"]

    made = changed(taken("A.class"), change)
    assert b"\1\0\0\1\0\1I\1\0\6longer" in made  # no text, then two
    assert made.endswith(
        b"\0\0\0\0\0\1\0\1\0\5\0\6\0\1\0\7\0\0\0\x0e"  # no interface, no field, a method
        b"\0\2\1\0\0\0\0\2\x03\xac\0\0\0\0\0\0"  # that returns 0
    )


def test_a_java_class_without_its_code() -> None:
    def change(left: dict[str, bytes]) -> None:
        del left["method 0/Code 0"]

    assert changed(taken("A.class"), change).endswith(b"\0\1\0\1\0\5\0\6\0\0\0\0")


def test_no_text_of_a_java_class_is_too_long() -> None:
    def all_long(file: File) -> File:
        return file.with_data(b"x" * 0x10000) if "text" in file.path else file

    assert not taken("A.class").each(all_long).can_be_packed


def test_sqlite() -> None:
    def change(left: dict[str, bytes]) -> None:
        left["dump.sql"] = left["dump.sql"].replace(b"INSERT INTO \"t\" VALUES(1,'one');", b"")

    with closing(sqlite3.connect(":memory:")) as made:
        made.deserialize(changed(taken("a.db"), change))
        assert made.execute("SELECT * FROM t").fetchall() == [(2, "two")]
        assert made.execute("PRAGMA user_version").fetchone() == (7,)
        assert made.execute("PRAGMA page_size").fetchone() == (1024,)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE (",
        "ATTACH '{0}' AS other; CREATE TABLE other.t (x);",
        "CREATE TABLE t (x); VACUUM INTO '{0}';",
        "PRAGMA temp_store_directory='{0}';",
        pytest.param(
            "CREATE TABLE t AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT 1 FROM r) "
            "SELECT count(*) FROM r;",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_no_statement_reaches_out(text: str, tmp_path: Path) -> None:
    document = taken("a.db")
    dump = text.format(tmp_path / "written").encode()
    assert not document.each(lambda file: file.with_data(dump)).can_be_packed
    assert not list(tmp_path.iterdir())


def test_pdf() -> None:
    names = [path.removeprefix("a.pdf/") for path in taken("a.pdf").data]
    assert sorted(names) == [
        "1 0 obj",
        "2 0 obj",
        "3 0 obj",
        "4 0 obj",
        "4 0 stream",
        "head",
        "trailer",
    ]

    def change(left: dict[str, bytes]) -> None:
        assert left["4 0 stream"] == b"BT (Hello) Tj ET"
        left["4 0 stream"] = b"BT ET"
        left["4 0 obj"] = b"<</Length 99>>"

    made = changed(taken("a.pdf"), change)
    assert b"4 0 obj\n<</Length 5>>\nstream\nBT ET\nendstream" in made
    table = int(made.split(b"startxref\n")[1].split()[0])
    rows = made[table:].split(b"\n")
    assert rows[:2] == [b"xref", b"0 1"]
    assert rows[3] == b"1 4"
    for number, row in enumerate(rows[4:8], 1):
        assert made[int(row.split()[0]) :].startswith(b"%d 0 obj" % number)


def test_references_in_a_pdf_go_with_their_object() -> None:
    def change(left: dict[str, bytes]) -> None:
        del left["3 0 obj"], left["4 0 stream"]

    made = changed(taken("a.pdf"), change)
    assert b"<</Type /Pages /Kids [] /Count 1>>" in made
    assert b"<</Type /Catalog /Pages 2 0 R>>" in made
    assert b"4 0 obj\n<</Filter /FlateDecode /Length 24>>\nendobj" in made


def test_a_pdf_of_damaged_streams_and_strange_numbers() -> None:
    data = SAMPLES["a.pdf"].replace(b"3 0 obj", b"999999999 0 obj").replace(b"BT", b"")
    data = data.replace(zlib.compress(b"BT (Hello) Tj ET"), b"nothing deflated")
    document = taken("a.pdf", data)
    assert document.data["a.pdf/4 0 stream"] == b"nothing deflated"
    made = document.repacked.contents["a.pdf"]
    assert b"/Length 16>>\nstream\nnothing deflated\nendstream" in made
    assert b"999999999 1\n" in made
    assert len(made) < 999


# -- what is not taken apart ----------------------------------------------------------------


def test_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MAX_UNPACKED_BYTES", len(TEXT) - 1)
    for name in ("a.zip", "a.tar", "a.txt.gz", "a.txt.bz2", "a.txt.xz", "a.txt.zst"):
        assert taken(name).packing is None
    monkeypatch.setattr(packing, "MAX_UNPACKED_BYTES", 10)
    for name in SAMPLES.keys() - {"b.png"}:
        assert taken(name).packing is None, name
    bomb = zipped({"zeros": bytes(1 << 20)})
    monkeypatch.setattr(packing, "MAX_UNPACKED_BYTES", 1 << 19)
    assert taken("a.zip", bomb).packing is None


def test_a_size_in_a_container_does_not_lead_back() -> None:
    data = packing.Bytes(b"ab")
    data.take(2)
    with pytest.raises(ValueError, match="negative"):
        data.take(-1)


def test_no_deeper_than_the_limit() -> None:
    data = b"x"
    for _ in range(9):
        data = zipped({"in": data})
    (file,) = taken("a.zip", data).files
    assert file.path == "a.zip" + "/in" * packing.MAX_DEPTH


def test_names_that_would_leave_the_folder_are_labels() -> None:
    document = taken("a.zip", zipped({"../../x": b"1", "/etc/passwd": b"2"}))
    assert document.contents.keys() == {"a.zip"}
    assert document.only(lambda file: file.data == b"1").contents.keys() == {"a.zip"}


def test_a_container_beside_a_folder_of_its_name_stays() -> None:
    inner = zipped({"x": b"1"})
    document = taken("a.zip", zipped({"in": inner, "in/x": b"2"}))
    assert document.data == {"a.zip/in": inner, "a.zip/in/x": b"2"}


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_damaged_containers_are_no_surprise(name: str, data: st.DataObject) -> None:
    whole = SAMPLES[name]
    at = data.draw(st.integers(0, len(whole) - 1))
    damage = data.draw(st.binary(max_size=4))
    broken = whole[:at] + damage + whole[at + data.draw(st.integers(0, 8)) :]
    document = taken(name, broken)
    assert document.contents == {name: broken}
    assert document.repacked.can_be_packed in (True, False)
    if document.files:
        assert document.only(lambda file: file != document.files[0]).can_be_packed in (True, False)


def test_folders_may_hold_containers() -> None:
    files = (File("d/a.zip", SAMPLES["a.zip"]), File("d/b.txt", b"b"))
    document = Document("d", files).unpacked()
    assert document.packed.files == files
    assert document.only(lambda file: file.path == "d/b.txt").contents == {"d/b.txt": b"b"}
