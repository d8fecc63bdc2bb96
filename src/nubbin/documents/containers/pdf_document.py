"""PDF: numbered objects, some with a stream, and a table with their offsets."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from nubbin.documents.edits import File
from nubbin.documents.packing import Members, NotUnpacked, Unpacked, inflated
from nubbin.pattern import pattern

_OBJECT = pattern(rb"(?<![^\s])(\d{1,9})\s+(\d{1,5})\s+obj\b")
_BODY_END = pattern(rb"\bstream\r?\n|\bendobj\b|(?=\bxref\b)|(?=\bstartxref\b)|\Z")
_LENGTH = pattern(rb"/Length\s+\d+(\s+\d+\s+R)?")
_DEFLATED = pattern(rb"/Filter\s*(?:/FlateDecode|\[\s*/FlateDecode\s*\])")
_ENDSTREAM = b"endstream"
_TRAILER = pattern(rb"\btrailer\b(.*?)\bstartxref\b", re.DOTALL)
_OF_TABLES = pattern(rb"/Type\s*/XRef\b")
_OF_OBJECTS = pattern(rb"/Type\s*/ObjStm\b")
#: Entries of a trailer about other tables, and of a stream about the table in it.
_PLACES = pattern(
    rb"\s*(?:/(?:Prev|XRefStm|Length|Size)\s+\d+(?:\s+\d+\s+R)?|/Type\s*/XRef\b"
    rb"|/(?:W|Index)\s*\[[^\]]*\]|/Filter\s*(?:/\w+|\[[^\]]*\])|/DecodeParms\s*<<.*?>>)",
    re.DOTALL,
)
#: A reference to an object, with its key unless it is an element of an array.
_REFERENCE = pattern(rb"\s*(?:/[^\s/<>\[\]()]+\s+)?(?<![\w.])(\d+)\s+(\d+)\s+R\b")
_HEAD, _TAIL = "head", "trailer"


@dataclass(frozen=True, slots=True)
class _Object:
    """An object: its body, and its stream, which may have been `deflated`."""

    body: bytes
    stream: bytes | None = None
    deflated: bool = False


def unpack(file: File, limit: int) -> Unpacked:
    """Take a document apart into objects and streams; the last version of an object counts."""
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
    if not objects:
        raise NotUnpacked("no objects")
    first = _OBJECT.search(data)
    members = {_HEAD: data[: first.start()] if first else b""}
    for name, each in objects.items():
        members[f"{name} obj"] = each.body
        if each.stream is not None:
            members[f"{name} stream"] = each.stream
    if trailer is not None:
        members[_TAIL] = _PLACES.sub(b"", trailer.strip())
    return Unpacked(members, partial(_pack, objects))


def _objects(data: bytes, limit: int) -> Iterator[tuple[str, _Object]]:
    at = 0
    while start := _OBJECT.search(data, at):
        end = _BODY_END.search(data, start.end())
        assert end is not None
        body, at = data[start.end() : end.start()].strip(), end.end()
        stream, deflated = None, False
        if end[0].startswith(b"stream"):
            at = data.find(_ENDSTREAM, end.end())
            if at < 0:
                raise NotUnpacked("a stream without an end")
            stream = data[end.end() : at].removesuffix(b"\n").removesuffix(b"\r")
            if _DEFLATED.search(body):
                with suppress(NotUnpacked):  # it may be damaged, or encrypted
                    stream, deflated = inflated(data[end.end() : at], limit), True
        yield f"{int(start[1])} {int(start[2])}", _Object(body, stream, deflated)


def _inner(each: _Object) -> Iterator[tuple[str, bytes]]:
    """Yield the names and the bodies of the objects in a stream."""
    count, first = (re.search(rb"/%b\s+(\d+)" % key, each.body) for key in (b"N", b"First"))
    if each.stream is None or not each.deflated or count is None or first is None:
        raise NotUnpacked("an object stream without a count or an offset")
    numbers = [int(word) for word in each.stream[: int(first[1])].split()[: 2 * int(count[1])]]
    starts = [int(first[1]) + offset for offset in numbers[1::2]]
    ends = [*starts[1:], len(each.stream)]
    for number, start, end in zip(numbers[::2], starts, ends, strict=True):
        yield f"{number} 0", each.stream[start:end].strip()


def _pack(objects: Mapping[str, _Object], members: Members) -> bytes:
    """Return a document with a table of its objects, if it has a trailer.

    References to removed objects are removed.
    """

    def left(reference: re.Match[bytes]) -> bytes:
        name = f"{int(reference[1])} {int(reference[2])}"
        return b"" if name in objects and f"{name} obj" not in members else reference[0]

    parts = [members.get(_HEAD, b"%PDF-1.4\n")]
    offsets: dict[int, tuple[int, int]] = {}
    at = len(parts[0])
    for name, each in objects.items():
        if f"{name} obj" in members:
            body = _REFERENCE.sub(left, members[f"{name} obj"])
            stream = members.get(f"{name} stream")
            if stream is not None:
                body = _with_stream(body, stream, each)
            number, generation = map(int, name.split())
            offsets[number] = at, generation
            parts.append(b"%d %d obj\n%b\nendobj\n" % (number, generation, body))
            at += len(parts[-1])
    if (trailer := members.get(_TAIL)) is not None:
        if trailer.startswith(b"<<"):
            size = max(offsets, default=0) + 1
            trailer = b"<</Size %d%b" % (size, _REFERENCE.sub(left, trailer[2:]))
        table = b"".join(_table(offsets))
        parts.append(b"%btrailer\n%b\nstartxref\n%d\n%%%%EOF\n" % (table, trailer, at))
    return b"".join(parts)


def _with_stream(body: bytes, stream: bytes, each: _Object) -> bytes:
    """Return an object with its stream, deflated if it was and the body still says so."""
    if each.deflated and _DEFLATED.search(body):
        stream = zlib.compress(stream)
    body = _LENGTH.sub(b"/Length %d" % len(stream), body, count=1)
    return b"%b\nstream\n%b\nendstream" % (body, stream)


def _table(offsets: Mapping[int, tuple[int, int]]) -> Iterator[bytes]:
    """Yield the table of objects: sections of consecutive numbers, 20 bytes an entry."""
    yield b"xref\n0 1\n0000000000 65535 f \n"
    numbers = sorted(offsets)
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        section = [number for _, number in run]
        yield b"%d %d\n" % (section[0], len(section))
        for number in section:
            yield b"%010d %05d n \n" % offsets[number]
