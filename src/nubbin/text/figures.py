"""Write numbers, lists, curves, texts and bytes for people."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

_COLUMNS = 16  # bytes in a row of a hex dump
_MAX_UNREADABLE_FRACTION = 0.1
_LAYOUT = b"\t\n\r\f\x1b"
_CONTROLS = bytes(byte for byte in range(32) if byte not in _LAYOUT)
_ASCII = bytes(byte if 32 <= byte < 127 else ord(".") for byte in range(256))


def count(number: int) -> str:
    """Return a number with a comma after thousands: `48,213`."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural if needed: `1 line`, `31 lines`."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count(number)} {plural}"


def listed(words: Sequence[str], most: int | None = None, *, last: str = "and") -> str:
    """Return a list in a sentence: `a`, `a, b and c`; the first `most` as `a, b and 7 more`."""
    shown = list(words[:most])
    if left := len(words) - len(shown):
        shown.append(f"{count(left)} more")
    *some, end = shown
    return f"{', '.join(some)} {last} {end}" if some else end


def share(part: int, whole: int) -> str:
    """Return a percentage that never rounds up to 100: `97.5 %`, `99.94 %`, `99.9961 %`.

    Above 99 %, it has enough decimals to show the rest with two digits. It is `0 %` if `whole` is
    0.
    """
    if part == 0 or whole == 0:
        return "0 %"
    if part == whole:
        return "100 %"
    left = 100 * (whole - part) / whole
    decimals = min(max(1, math.ceil(-math.log10(left)) + 1), 9)
    return f"{min(100 - left, 100 - 10**-decimals):.{decimals}f} %"


def clock(seconds: float) -> str:
    """Return a time as on a clock: `0:42`, `12:05`, `1:02:03`."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"


def duration(seconds: float) -> str:
    """Return a duration: `42 ms`, `8.3 s`, `42 s`, `12 min 5 s`, `1 h 2 min`."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, second = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {second} s"
    hours, minute = divmod(minutes, 60)
    return f"{hours} h {minute} min"


def rate(per_second: float) -> str:
    """Return a rate: `412/s`, `3.2/s`, `12/min`, `5/h`; "" for 0."""
    if per_second >= 9.95:
        return f"{per_second:,.0f}/s"
    if per_second >= 1:
        return f"{per_second:.1f}/s"
    if per_second * 60 >= 1:
        return f"{per_second * 60:.0f}/min"
    return f"{per_second * 3600:.0f}/h" if per_second else ""


#: Bits of a braille cell's two columns, each from the bottom dot up (Unicode block U+2800).
_BRAILLE = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))


def curve(
    times: Sequence[float], sizes: Sequence[int], *, end: float, columns: int, rows: int
) -> list[str]:
    """Draw the area under `sizes` over `times`: `rows` strings of `columns` cells each.

    Each size holds until the time of the next, and the last until `end`. The height is logarithmic,
    from the smallest size (one dot) to the largest, so that each halving looks the same. Takes time
    O(columns * rows + len(sizes)).
    """
    width, height = 2 * columns, 4 * rows
    levels = _levels(sizes, height)
    cells = [[0] * columns for _ in range(rows)]
    at = 0
    for x in range(width):
        moment = times[0] + (end - times[0]) * (x + 1) / width
        while at + 1 < len(times) and times[at + 1] <= moment:
            at += 1
        for y in range(levels[at]):
            cells[rows - 1 - y // 4][x // 2] |= _BRAILLE[x % 2][y % 4]
    return ["".join(chr(0x2800 + cell) for cell in row) for row in cells]


def _levels(sizes: Sequence[int], height: int) -> list[int]:
    logs = [math.log1p(size) for size in sizes]
    low, high = min(logs), max(logs)
    if low == high:
        return [height] * len(logs)
    return [1 + round((height - 1) * (log - low) / (high - low)) for log in logs]


def visible(text: str) -> str:
    r"""Return a text with escapes for everything unprintable, except line breaks and tabs.

    Control characters, marks that change the direction of text, and bytes that are not UTF-8
    become `\x1b`, `\u202e`, `\xff` and so on. Takes linear time.
    """
    return text if text.isprintable() else "".join(map(_visible, text))


def printable(value: object) -> str:
    """Return a value, such as a name or a path, on one line, with the escapes of `visible`."""
    return "".join(char if char.isprintable() else _escape(char) for char in str(value))


def utf8(value: object) -> str:
    r"""Return a name or a path for JSON, with `\xff` for a byte that is not UTF-8."""
    return str(value).encode(errors="surrogateescape").decode(errors="backslashreplace")


def folded(text: str, columns: int, indent: str = "") -> str:
    """Return a text in lines of at most so many columns, each after the indent.

    Lines that begin with a blank, such as quoted ones, are kept. Words are not broken, because a
    reader may want to copy a path.
    """
    wrapper = textwrap.TextWrapper(
        columns,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(
        f"{indent}{line}" if line.startswith(" ") else wrapper.fill(line)
        for line in text.splitlines()
    )


def _visible(char: str) -> str:
    return char if char.isprintable() or char in "\n\t" else _escape(char)


def _escape(char: str) -> str:
    if "\udc80" <= char <= "\udcff":  # Python decodes a byte that is not UTF-8 as one of these
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode()


def is_text(data: bytes) -> bool:
    """Tell whether most of the bytes are readable text; takes linear time."""
    text = data.decode(errors="replace")
    unreadable = text.count("\ufffd") + len(data) - len(data.translate(None, _CONTROLS))
    return unreadable <= _MAX_UNREADABLE_FRACTION * len(data) and b"\0" not in data


def readable(data: bytes, limit: int) -> str:
    """Return bytes as text or as a hex dump, cut after about `limit` characters with a note."""
    start = data[:limit]
    whole = as_text(start) if is_text(data) else "\n".join(" ".join(row) for row in hex_rows(start))
    if len(whole) <= limit and len(data) <= limit:
        return whole
    cut = whole[:limit].rpartition("\n")[0] or whole[:limit]
    return f"{cut}\n... cut off here: these are {count(len(data))} bytes in all"


def as_text(data: bytes) -> str:
    """Return bytes as UTF-8; escapes replace anything unprintable or not UTF-8, as in `visible`."""
    return visible(data.decode(errors="surrogateescape"))


def hex_rows(data: bytes, at: int = 0) -> Iterator[tuple[str, str]]:
    """Yield rows of 16 bytes: the offset, counted from `at`, and the bytes in hex and ASCII."""
    for start in range(0, len(data), _COLUMNS):
        row = data[start : start + _COLUMNS]
        ascii_ = row.translate(_ASCII).decode()
        yield f"{at + start:08x}", f" {row.hex(' '):{3 * _COLUMNS}} {ascii_}"
