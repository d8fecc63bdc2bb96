"""PDF: numbered objects, some with a stream; a table has the offset of each."""

from __future__ import annotations

import re
import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import partial

from nubbin.documents.containers.unpacked import Members, NotUnpacked, Unpacked, inflated
from nubbin.documents.file import File

_OBJECT = re.compile(rb"(?<![^\s])(\d{1,9})\s+(\d{1,5})\s+obj\b")
_BODY_END = re.compile(rb"\bstream\r?\n|\bendobj\b|(?=\bxref\b)|(?=\bstartxref\b)|\Z")
_LENGTH = re.compile(rb"/Length\s+\d+(\s+\d+\s+R)?")
_DEFLATED = re.compile(rb"/Filter\s*(?:/FlateDecode|\[\s*/FlateDecode\s*\])")
_ENDSTREAM = b"endstream"
_TRAILER = re.compile(rb"\btrailer\b(.*?)\bstartxref\b", re.DOTALL)
_OF_TABLES = re.compile(rb"/Type\s*/XRef\b")
_OF_OBJECTS = re.compile(rb"/Type\s*/ObjStm\b")
#: What a trailer says of tables elsewhere, and a table in a stream of itself.
_PLACES = re.compile(
    rb"\s*(?:/(?:Prev|XRefStm|Length|Size)\s+\d+(?:\s+\d+\s+R)?|/Type\s*/XRef\b"
    rb"|/(?:W|Index)\s*\[[^\]]*\]|/Filter\s*(?:/\w+|\[[^\]]*\])|/DecodeParms\s*<<.*?>>)",
    re.DOTALL,
)
#: A reference to an object, with the key that it is the value of, if it is none of an array.
_REFERENCE = re.compile(rb"\s*(?:/[^\s/<>\[\]()]+\s+)?(?<![\w.])(\d+)\s+(\d+)\s+R\b")
_HEAD, _TAIL = "head", "trailer"


@dataclass(frozen=True, slots=True)
class _Object:
    """An object: what is said of it, and its stream, inflated if that is how it is packed."""

    body: bytes
    stream: bytes | None = None


def unpack(file: File, limit: int) -> Unpacked:
    """Take a document apart into objects and streams; of updated ones, the last counts."""
    data = file.data
    objects: dict[str, _Object] = {}
    trailers = [trailer[1] for trailer in _TRAILER.finditer(data)]
    for name, each in _objects(data, limit):
        limit -= len(each.body) + len(each.stream or b"")
        if limit < 0:
            raise NotUnpacked("too large")
        if each.stream is not None and _OF_TABLES.search(each.body):
            trailers.append(each.body)
        elif each.stream is not None and _OF_OBJECTS.search(each.body):
            for inner, body in _inner(each):
                objects.setdefault(inner, _Object(body))
        else:
            objects.pop(name, None)
            objects[name] = each
    trailer = next((each for each in reversed(trailers) if b"/Root" in each), None)
    if trailer is None or b"/Encrypt" in trailer or not objects:
        raise NotUnpacked("no trailer, or secret contents")
    first = _OBJECT.search(data)
    members = {_HEAD: data[: first.start()] if first else b""}
    for name, each in objects.items():
        members[f"{name} obj"] = each.body
        if each.stream is not None:
            members[f"{name} stream"] = each.stream
    return Unpacked({**members, _TAIL: _PLACES.sub(b"", trailer.strip())}, partial(_pack, objects))


def _objects(data: bytes, limit: int) -> Iterator[tuple[str, _Object]]:
    at = 0
    while start := _OBJECT.search(data, at):
        end = _BODY_END.search(data, start.end())
        assert end is not None
        body, at = data[start.end() : end.start()].strip(), end.end()
        stream = None
        if end[0].startswith(b"stream"):
            at = data.find(_ENDSTREAM, end.end())
            if at < 0:
                raise NotUnpacked("a stream without an end")
            stream = data[end.end() : at].removesuffix(b"\n").removesuffix(b"\r")
            if _DEFLATED.search(body):
                stream = inflated(data[end.end() : at], limit)
        yield f"{int(start[1])} {int(start[2])}", _Object(body, stream)


def _inner(each: _Object) -> Iterator[tuple[str, bytes]]:
    """Yield the names and the bodies of objects in a stream."""
    count, first = (re.search(rb"/%b\s+(\d+)" % key, each.body) for key in (b"N", b"First"))
    if each.stream is None or count is None or first is None:
        raise NotUnpacked("a list of objects that says not where they are")
    numbers = [int(word) for word in each.stream[: int(first[1])].split()[: 2 * int(count[1])]]
    starts = [int(first[1]) + offset for offset in numbers[1::2]]
    ends = [*starts[1:], len(each.stream)]
    for number, start, end in zip(numbers[::2], starts, ends, strict=True):
        yield f"{number} 0", each.stream[start:end].strip()


def _pack(objects: Container[str], members: Members) -> bytes:
    """Return a document with a table of its objects; what is deflated tells the object itself.

    References to objects that are gone go with them.
    """

    def left(reference: re.Match[bytes]) -> bytes:
        name = f"{int(reference[1])} {int(reference[2])}"
        return b"" if name in objects and f"{name} obj" not in members else reference[0]

    parts = [members.get(_HEAD, b"%PDF-1.4\n")]
    offsets: dict[int, tuple[int, int]] = {}
    at = len(parts[0])
    for name, body in members.items():
        if not name.endswith(" obj"):
            continue
        number, generation = map(int, name.split()[:2])
        offsets[number] = at, generation
        stream = members.get(name[:-3] + "stream")
        written = _written(b"%d %d" % (number, generation), _REFERENCE.sub(left, body), stream)
        parts.append(written)
        at += len(written)
    size = max(offsets, default=0) + 1
    rows = [b"0000000000 65535 f \n"]
    for number in range(1, size):
        rows.append(b"%010d %05d n \n" % offsets[number] if number in offsets else rows[0])
    trailer = members.get(_TAIL, b"")
    if trailer.startswith(b"<<"):
        trailer = b"<</Size %d%b" % (size, _REFERENCE.sub(left, trailer[2:]))
    end = b"trailer\n%b\nstartxref\n%d\n%%%%EOF\n" % (trailer, at)
    return b"".join((*parts, b"xref\n0 %d\n" % size, *rows, end))


def _written(name: bytes, body: bytes, stream: bytes | None) -> bytes:
    if stream is None:
        return b"%b obj\n%b\nendobj\n" % (name, body)
    if _DEFLATED.search(body):
        stream = zlib.compress(stream)
    body = _LENGTH.sub(b"/Length %d" % len(stream), body, count=1)
    return b"%b obj\n%b\nstream\n%b\nendstream\nendobj\n" % (name, body, stream)
