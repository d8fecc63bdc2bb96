"""A process that matches regular expressions, so that nubbin can kill a match that takes too long.

Run as a program by `failures.regex`. It imports nothing of nubbin, so it starts fast. A request is
a line of JSON, followed by texts: an expression, the sizes of the texts, whether to return all
matches, and a timeout in seconds. The response is a line of JSON: for each text, the places of all
matches, or of the first.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
from contextlib import suppress
from itertools import accumulate, chain, pairwise

TYPE_CHECKING = False  # as in `typing`, whose import takes longer than most matches
if TYPE_CHECKING:
    from typing import Any

_MAX_MEMORY_BYTES = 4 << 30
_ANYTHING = "(?s:.*)"


def main() -> None:
    """Answer until standard input ends."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # a timeout ends this process even without nubbin
    with suppress(ValueError, OSError):  # not every system limits it
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY_BYTES, _MAX_MEMORY_BYTES))
    requests = sys.stdin.buffer
    while line := requests.readline():
        text, sizes, every, seconds = json.loads(line)
        texts = [requests.read(size) for size in sizes]
        requests.readline()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        response = [_places(text, each, every=every) for each in texts]
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(json.dumps(response) + "\n")
        sys.stdout.flush()


def _places(text: str, data: bytes, *, every: bool) -> list[tuple[int, int]]:
    """Return the places of matches in bytes: of characters if the data is UTF-8, else of bytes."""
    read: Any = data
    with suppress(UnicodeDecodeError):
        read = data.decode()
    pattern = _compiled(text, read)
    if not _may_match(text, read):
        return []
    found = pattern.finditer(read) if every else filter(None, [pattern.search(read)])
    spans = [each.span() for each in found]
    return spans if data.isascii() or read is data else _in_bytes(read, spans)


def _in_bytes(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return where spans of characters, in their order, begin and end in bytes."""
    bounds = [0, *chain.from_iterable(spans)]
    places = [*accumulate(len(text[at:to].encode()) for at, to in pairwise(bounds))]
    return list(zip(places[::2], places[1::2], strict=True))


def _may_match(text: str, data: str | bytes) -> bool:
    """Tell whether the parts of an expression between each `(?s:.*)` occur one after the other.

    If a part is missing, `re` would look for it anew behind each match of the part before. Takes
    time linear in the data if each part does.
    """
    start = 0
    for part in _parts(text, data):
        found = _compiled(part, data).search(data, start)
        if found is None:
            return False
        start = found.start()  # a match of the whole may end this part earlier than `found` does
    return True


def _parts(text: str, data: str | bytes) -> list[str]:
    """Return the parts between each `(?s:.*)`; [] if they cannot be matched one by one."""
    if _ANYTHING not in text or "|" in re.sub(r"\\.", "", text, flags=re.DOTALL):
        return []
    parts = text.split(_ANYTHING)
    try:
        patterns = [_compiled(each, data) for each in parts]
    except re.error:  # a group is around it, or refers to another part
        return []
    plain = _compiled("", data).flags
    are_alone = all(each.flags == plain and each.groups == 0 for each in patterns)
    return parts if are_alone else []


def _compiled(text: str, data: str | bytes) -> re.Pattern[Any]:
    encoded = text if isinstance(data, str) else text.encode(errors="surrogateescape")
    return re.compile(encoded, re.MULTILINE)


if __name__ == "__main__":
    main()
