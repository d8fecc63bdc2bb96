"""Find the lines of JavaScript that ran, in the reports that node writes to NODE_V8_COVERAGE."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from nubbin.disk import beginning

#: Larger reports are skipped. The run may have replaced a report by anything.
_MAX_BYTES = 256 << 20


class _Range(msgspec.Struct):
    startOffset: int
    endOffset: int
    count: int


class _Function(msgspec.Struct):
    ranges: list[_Range]


class _Script(msgspec.Struct):
    url: str
    functions: list[_Function]


class _Report(msgspec.Struct):
    result: list[_Script]


def lines_that_ran(folder: Path, real: str) -> Iterator[tuple[str, set[int]]]:
    """Yield the path of each file below the path `real`, and the numbers of the lines that ran.

    A file comes once for each process that has loaded it. Ranges of V8 count the units of UTF-16.
    """
    for report in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError, msgspec.MsgspecError):
            data = beginning(report, _MAX_BYTES) or b""
            for script in msgspec.json.decode(data, type=_Report).result:
                path = unquote(urlsplit(script.url).path)
                text = beginning(path, _MAX_BYTES) if path.startswith(real) else None
                if script.url.startswith("file:") and text is not None:
                    yield path, _ran(text.decode(errors="replace"), script)


def _ran(text: str, script: _Script) -> set[int]:
    lines = text.splitlines(keepends=True)
    begins = list(accumulate((len(each.encode("utf-16-le")) // 2 for each in lines), initial=0))
    ran = bytearray(b"\1") * begins[-1]
    ranges = [each for function in script.functions for each in function.ranges]
    # A range inside of another one overrides it.
    for each in sorted(ranges, key=lambda each: (each.startOffset, -each.endOffset)):
        begin, end = max(each.startOffset, 0), min(each.endOffset, len(ran))
        if begin < end:
            ran[begin:end] = bytes([each.count > 0]) * (end - begin)
    return {
        number
        for number, (line, begin) in enumerate(zip(lines, begins, strict=False), 1)
        if 1 in ran[begin : begin + len(line.rstrip())]
    }
