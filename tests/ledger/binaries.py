"""Bytes: chains, nests, tables of offsets, records, and containers."""

from __future__ import annotations

import gzip
import struct
import tarfile
import zipfile
import zlib
from io import BytesIO
from random import Random

from containers import png, tarred, zipped
from ledger.readers import case
from ledger.texts import several


def words(seed: int, size: int) -> bytes:
    return Random(seed).randbytes(size)


# -- blocks that say how long they are -----------------------------------------------


def chunks() -> bytes:
    made = b"CHNK" + struct.pack(">I", 30)
    for i in range(30):
        body = words(i, 12 + i % 7) if i != 19 else b"key=\x00value"
        made += struct.pack(">I", len(body)) + b"DATA" + body + struct.pack(">I", zlib.crc32(body))
    return made


def zero_in_key(data: bytes) -> bool:
    """The count of chunks, their lengths and sums are right; a key ends with a zero."""
    magic, count = struct.unpack(">4sI", data[:8])
    at, found = 8, False
    for _ in range(count):
        size, _ = struct.unpack(">I4s", data[at : at + 8])
        body, (crc,) = (
            data[at + 8 : at + 8 + size],
            struct.unpack(">I", data[at + 8 + size : at + 12 + size]),
        )
        if crc != zlib.crc32(body):
            raise ValueError("a wrong sum")
        found |= b"key=\0" in body
        at += 12 + size
    return found and magic == b"CHNK" and at == len(data)


def packets() -> bytes:
    made = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for i in range(25):
        body = words(i, 20 + i) if i != 13 else b"\x45\x00\x00\x04GET"
        made += struct.pack("<IIII", 1000 + i, i, len(body), len(body)) + body
    return made


def short_header(data: bytes) -> bool:
    """The captured length of each packet is right; one has a header that is too short."""
    if struct.unpack("<I", data[:4])[0] != 0xA1B2C3D4 or len(data) < 24:
        raise ValueError("no capture")
    at, found = 24, False
    while at < len(data):
        _, _, size, real = struct.unpack("<IIII", data[at : at + 16])
        body = data[at + 16 : at + 16 + size]
        if len(body) != size or size > real:
            raise ValueError("a packet is cut")
        found |= body[:1] == b"\x45" and struct.unpack(">H", body[2:4])[0] < 20
        at += 16 + size
    return found


def nest() -> bytes:
    def block(kind: bytes, body: bytes) -> bytes:
        return kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)

    parts = [
        block(b"LIST", b"part" + block(b"name", words(i, 8)) + block(b"data", words(i, 15)))
        for i in range(16)
    ]
    parts[9] = block(b"LIST", b"part" + block(b"name", b"") + block(b"data", words(9, 4)))
    return block(b"RIFF", b"TEST" + b"".join(parts))


def empty_name(data: bytes) -> bool:
    """All blocks end where the block around them does; a list has a name without letters."""

    def blocks(data: bytes, at: int, stop: int) -> bool:
        found = False
        while at < stop:
            kind, size = struct.unpack("<4sI", data[at : at + 8])
            if at + 8 + size > stop:
                raise ValueError("a block is cut")
            if kind in {b"RIFF", b"LIST"}:
                found |= blocks(data, at + 12, at + 8 + size)
            found |= kind == b"name" and not size and data[stop - 8 : stop] != b""
            at += 8 + size + size % 2
        return found

    return (
        data[:4] == b"RIFF"
        and struct.unpack("<I", data[4:8])[0] == len(data) - 8
        and blocks(data, 0, len(data))
    )


def fields() -> bytes:
    def field(number: int, body: bytes) -> bytes:
        return bytes([number << 3 | 2, len(body)]) + body

    parts = [field(1, b"n%d" % i) + b"\x10" + bytes([i]) + field(3, words(i, 6)) for i in range(30)]
    parts[21] = field(1, b"n21") + b"\x10\x7f" + field(3, b"")
    return b"".join(field(1, part) for part in parts)


def full_field(data: bytes) -> bool:
    """Keys and lengths are right, one in another; a number is 127 beside a name."""

    def read(data: bytes) -> dict[int, int | bytes]:
        found: dict[int, int | bytes] = {}
        at = 0
        while at < len(data):
            number, kind = data[at] >> 3, data[at] & 7
            if kind == 2:
                body = data[at + 2 : at + 2 + data[at + 1]]
                if len(body) != data[at + 1] or not number:
                    raise ValueError("a field is cut")
                found[number], at = body, at + 2 + len(body)
            elif kind == 0 and data[at + 1] < 128 and number:
                found[number], at = data[at + 1], at + 2
            else:
                raise ValueError("no such kind")
        return found

    at, found = 0, False
    while at < len(data):
        if data[at] != 10 or len(data[at + 2 : at + 2 + data[at + 1]]) != data[at + 1]:
            raise ValueError("a message is cut")
        one = read(data[at + 2 : at + 2 + data[at + 1]])
        found |= one.get(2) == 127 and one.get(1, b"") != b""
        at += 2 + data[at + 1]
    return found


# -- tables --------------------------------------------------------------------------


def font() -> bytes:
    """A count at byte 4, a search range, then entries of a name, an offset and a length."""
    parts = [words(i, 24 + 4 * i) for i in range(14)]
    codes = list(range(60, 100, 2))
    ends = struct.pack(f">{len(codes)}H", *(code + 1 for code in codes))
    starts = struct.pack(f">{len(codes)}H", *codes)
    parts[5] = struct.pack(">HHH", 4, 6 + len(ends) * 2, len(codes) * 2) + ends + starts
    at = 12 + 16 * len(parts)
    made, bodies = struct.pack(">IHHHH", 0x10000, len(parts), 128, 3, 96), b""
    for i, body in enumerate(parts):
        made += (b"cmap" if i == 5 else b"tb%02d" % i) + struct.pack(
            ">III", zlib.crc32(body), at, len(body)
        )
        bodies += body
        at += len(body)
    return made + bodies


def covers_80(data: bytes) -> bool:
    """All parts lie in the file; the table of codes has as many ends as starts, and 80 in one."""
    version, count = struct.unpack(">IH", data[:6])
    found = False
    for i in range(count):
        name, _, at, size = struct.unpack(">4sIII", data[12 + 16 * i : 28 + 16 * i])
        body = data[at : at + size]
        if len(body) != size or at < 12 + 16 * count:
            raise ValueError("a part is cut")
        if name == b"cmap":
            kind, length, double = struct.unpack(">HHH", body[:6])
            if kind != 4 or length != size or size != 6 + 2 * double or double % 2:
                raise ValueError("a wrong length")
            ends = struct.unpack(f">{double // 2}H", body[6 : 6 + double])
            starts = struct.unpack(f">{double // 2}H", body[6 + double :])
            found = any(a <= 80 <= b for a, b in zip(starts, ends, strict=True))
    return found and version == 0x10000


def rows() -> bytes:
    items = [struct.pack("<IHBB", 7 * i, i, i % 5, 1) for i in range(60)]
    items[44] = struct.pack("<IHBB", 7 * 44, 44, 250, 1)
    return b"ROWS" + struct.pack("<HH", len(items), 8) + b"".join(items)


def high_level(data: bytes) -> bool:
    magic, count, size = struct.unpack("<4sHH", data[:8])
    if magic != b"ROWS" or len(data) != 8 + count * size or size != 8:
        raise ValueError("a wrong count")
    items = [struct.unpack("<IHBB", bytes(item)) for item in several([*data[8:]], 8)]
    return any(level == 250 for _, _, level, _ in items)


def bitmap() -> bytes:
    pixels = bytearray(words(1, 24 * 32 * 3))
    pixels[24 * 3 * 17 + 30 : 24 * 3 * 17 + 33] = b"\xff\x00\xfe"
    head = struct.pack("<2sIHHI", b"BM", 54 + len(pixels), 0, 0, 54)
    return (
        head + struct.pack("<IiiHHIIiiII", 40, 24, 32, 1, 24, 0, len(pixels), 0, 0, 0, 0) + pixels
    )


def magenta(data: bytes) -> bool:
    magic, size, _, _, start = struct.unpack("<2sIHHI", data[:14])
    head, width, height, planes, bits = struct.unpack("<IiiHH", data[14:30])
    if (
        (magic, head, planes, bits, size) != (b"BM", 40, 1, 24, len(data))
        or width < 1
        or height < 1
    ):
        raise ValueError("no bitmap")
    if len(data) != start + height * ((3 * width + 3) // 4 * 4) or start < 54:
        raise ValueError("a wrong size")
    lines = several([*data[start:]], (3 * width + 3) // 4 * 4)
    return any(b"\xff\x00\xfe" in bytes(line[: 3 * width]) for line in lines)


def noise() -> bytes:
    return words(5, 900) + b"\x00\x01MARK" + words(6, 700) + b"\xff\xfe" + words(7, 300)


def marked(data: bytes) -> bool:
    return b"\xff\xfe" in data[data.index(b"\x01MARK") :]


# -- containers ----------------------------------------------------------------------


def book() -> bytes:
    parts = {
        f"sheet{i}.xml": b"<s>" + b"".join(b"<c>%d</c>" % (i * k) for k in range(20)) + b"</s>"
        for i in range(8)
    }
    parts["sheet5.xml"] = b"<s>" + b"<c>1</c>" * 9 + b"<c t='n'>x</c>" + b"<c>2</c>" * 9 + b"</s>"
    listed = "".join(f'<p name="{name}"/>' for name in parts)
    return zipped({"parts.xml": f"<parts>{listed}</parts>".encode(), **parts})


def text_in_number(data: bytes) -> bool:
    """All parts that are listed exist; a cell of numbers holds a letter."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        listed = archive.read("parts.xml").split(b'name="')[1:]
        parts = [archive.read(each.split(b'"')[0].decode()) for each in listed]
    return any(b"<c t='n'>x</c>" in part and part.endswith(b"</s>") for part in parts)


def archive() -> bytes:
    files = {f"src/m{i}.txt": b"line %d\n" % i * 12 for i in range(15)}
    files["src/m9.txt"] = b"line\n" * 5 + b"tab\there\n" + b"line\n" * 5
    return tarred(files)


def tab_in_file(data: bytes) -> bool:
    with tarfile.open(fileobj=BytesIO(data)) as opened:
        files = [opened.extractfile(member) for member in opened if member.isfile()]
        return any(file is not None and b"tab\t" in file.read() for file in files)


def packed_log() -> bytes:
    text = b"".join(b"%d ok\n" % i if i != 70 else b"70 failed: code=9\n" for i in range(120))
    return gzip.compress(text, mtime=0)


def failed_line(data: bytes) -> bool:
    return any(line.startswith(b"70 failed") for line in gzip.decompress(data).splitlines())


def picture() -> bytes:
    lines = [words(i, 16) for i in range(20)]
    lines[11] = lines[11][:5] + b"\xab\xcd" + lines[11][7:]
    return png(lines)


def bright_pair(data: bytes) -> bool:
    """Chunks are right, the rows are those of the header, and one has two certain pixels."""
    at, found, body = 8, {}, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0]:
            raise ValueError("a wrong sum")
        found[kind], at = body, at + 12 + size
    width, height = struct.unpack(">II", found[b"IHDR"][:8])
    pixels = zlib.decompress(found[b"IDAT"])
    if len(pixels) != height * (width + 1) or b"IEND" not in found:
        raise ValueError("a wrong size")
    return any(b"\xab\xcd" in bytes(line[1:]) for line in several([*pixels], width + 1))


CASES = [
    case("chunks.bin", "bytes", chunks(), zero_in_key),
    case("packets.pcap", "bytes", packets(), short_header),
    case("nest.riff", "bytes", nest(), empty_name),
    case("fields.pb", "bytes", fields(), full_field),
    case("font.ttf", "bytes", font(), covers_80, "arrays beside each other in a part"),
    case("rows.bin", "bytes", rows(), high_level),
    case("picture.bmp", "bytes", bitmap(), magenta, "a count of rows, and one of columns"),
    case("noise.bin", "bytes", noise(), marked),
    case("book.xlsx", "container", book(), text_in_number),
    case("archive.tar", "container", archive(), tab_in_file),
    case("worker.log.gz", "container", packed_log(), failed_line),
    case("picture.png", "container", picture(), bright_pair),
]
