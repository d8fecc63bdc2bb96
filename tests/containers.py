"""A container of each kind, made by what usually writes it."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from contextlib import closing
from io import BytesIO

from nubbin.documents.containers.zstd import zstd

TEXT = b"first line\nsecond line\n" * 20


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
        archive.comment = b"a comment"
    return made.getvalue()


def tarred(members: dict[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    made = BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, BytesIO(data))
    return made.getvalue()


def png(rows: list[bytes], *, interlaced: bool = False) -> bytes:
    """Return a grey image of the rows, without filters, and with a text."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, interlaced)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    chunks = (b"IHDR", header), (b"tEXt", b"Author\0Somebody"), (b"IDAT", pixels), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        len(body).to_bytes(4) + kind + body + zlib.crc32(kind + body).to_bytes(4)
        for kind, body in chunks
    )


def database() -> bytes:
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(
            "PRAGMA page_size=1024; PRAGMA user_version=7;"
            "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX i ON t (name);"
            "INSERT INTO t VALUES (1, 'one'), (2, 'two');"
        )
        return made.serialize()


#: Functions `a` and `b` of no parameters, which return numbers, and a datum that `a` drops.
WASM = (
    b"\0asm\1\0\0\0"
    b"\x01\x05\x01\x60\x00\x01\x7f"  # a type: no parameters, an i32
    b"\x03\x03\x02\x00\x00"  # two functions of it
    b"\x05\x03\x01\x00\x01"  # a memory
    b"\x07\x09\x02\x01a\x00\x00\x01b\x00\x01"  # exported
    b"\x0c\x01\x01"  # one datum
    b"\x0a\x0e\x02\x07\x00\xfc\x09\x00\x41\x01\x0b\x04\x00\x41\x02\x0b"
    b"\x0b\x08\x01\x00\x41\x00\x0b\x02hi"
)


def java_class() -> bytes:
    """Return a class with a field and a method, `int f() { return 7; }`, whose line is known."""
    texts = [b"A", b"java/lang/Object", b"x", b"I", b"f", b"()I", b"Code", b"LineNumberTable"]
    constants = [b"\1" + len(text).to_bytes(2) + text for text in texts]  # 1 to 8
    constants += [b"\7\0\1", b"\7\0\2", b"\5" + bytes(8)]  # 9 and 10: classes; 11: a long
    line = b"\0\x08" + (6).to_bytes(4) + b"\0\1\0\0\0\1"
    code = b"\0\1\0\1" + (3).to_bytes(4) + b"\x10\x07\xac" + b"\0\0" + b"\0\1" + line
    method = b"\0\1\0\5\0\6" + b"\0\1" + b"\0\7" + len(code).to_bytes(4) + code
    parts = [b"\xca\xfe\xba\xbe\0\0\0\x34", (13).to_bytes(2), *constants]
    parts += [b"\0\x21\0\x09\0\x0a", b"\0\1\0\x0a"]  # its flags, itself, above it; an interface
    parts += [b"\0\1", b"\0\2\0\3\0\4\0\0", b"\0\1", method, b"\0\0"]
    return b"".join(parts)


def pdf() -> bytes:
    """Return a document whose page is deflated, and has the objects of the catalogue in a list."""
    page = zlib.compress(b"BT (Hello) Tj ET")
    inner = b"1 0 2 36 " + b"<</Type /Catalog /Pages 2 0 R>>".ljust(36)
    inner += b"<</Type /Pages /Kids [3 0 R] /Count 1>>"
    packed = zlib.compress(inner)
    parts = [b"%PDF-1.5\n"]
    parts.append(b"3 0 obj\n<</Type /Page /Parent 2 0 R /Contents 4 0 R>>\nendobj\n")
    parts.append(
        b"4 0 obj\n<</Filter /FlateDecode /Length %d>>\nstream\n%b\nendstream\nendobj\n"
        % (len(page), page)
    )
    parts.append(
        b"5 0 obj\n<</Type /ObjStm /N 2 /First 9 /Filter /FlateDecode /Length %d>>\n"
        b"stream\n%b\nendstream\nendobj\n" % (len(packed), packed)
    )
    parts.append(b"trailer\n<</Root 1 0 R /Size 6>>\nstartxref\n0\n%%EOF\n")
    return b"".join(parts)


#: By the name of a file.
SAMPLES = {
    "a.zip": zipped({"one.txt": TEXT, "two/": b"", "two/three.json": b"[1]", "empty": b""}),
    "a.docx": zipped({"mimetype": b"x", "word/document.xml": b"<a><b/></a>"}, zipfile.ZIP_STORED),
    "a.tar": tarred({"one.txt": TEXT, "x" * 120: b"long", "two/three.json": b"[1]"}),
    "b.tar": tarred({"one.txt": TEXT, "x" * 120: b"long"}, tarfile.GNU_FORMAT),
    "a.txt.gz": gzip.compress(TEXT),
    "a.txt.bz2": bz2.compress(TEXT),
    "a.txt.xz": lzma.compress(TEXT),
    "a.txt.zst": zstd.compress(TEXT),
    "a.tar.gz": gzip.compress(tarred({"in.zip": zipped({"one.txt": TEXT}), "y": b"y"})),
    "a.png": png([b"\1\2\3\4", b"\5\6\7\x08", b"\x09\x0a\x0b\x0c"]),
    "b.png": png([b"\1\2\3\4", b"\5\6\7\x08"], interlaced=True),
    "a.wasm": WASM,
    "A.class": java_class(),
    "a.db": database(),
    "a.pdf": pdf(),
}
