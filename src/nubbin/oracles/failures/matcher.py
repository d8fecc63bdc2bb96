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

_MAX_MEMORY_BYTES = 4 << 30
_ANYTHING = "(?s:.*)"


def main() -> None:
    """Answer until standard input ends."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # a timeout ends this process even without nubbin
    with suppress(ValueError, OSError):  # not every system limits it
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY_BYTES, _MAX_MEMORY_BYTES))
    questions = sys.stdin.buffer
    while line := questions.readline():
        text, sizes, every, seconds = json.loads(line)
        texts = [questions.read(size) for size in sizes]
        questions.readline()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        answer = [_places(text, each, every=every) for each in texts]
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _places(text: str, data: bytes, *, every: bool) -> list[tuple[int, int]]:
    pattern = _compiled(text)
    if not _may_match(text, data):
        return []
    if every:
        return [found.span() for found in pattern.finditer(data)]
    first = pattern.search(data)
    return [] if first is None else [first.span()]


def _may_match(text: str, data: bytes) -> bool:
    """Tell whether the parts of an expression between each `(?s:.*)` occur one after the other.

    If a part is missing, `re` would look for it anew behind each match of the part before. Takes
    time linear in the data if each part does.
    """
    start = 0
    for part in _parts(text):
        found = _compiled(part).search(data, start)
        if found is None:
            return False
        start = found.start()  # a match of the whole may end this part earlier than `found` does
    return True


def _parts(text: str) -> list[str]:
    """Return the parts between each `(?s:.*)`; [] if they cannot be matched one by one."""
    if _ANYTHING not in text or "|" in re.sub(r"\\.", "", text, flags=re.DOTALL):
        return []
    parts = text.split(_ANYTHING)
    try:
        patterns = list(map(_compiled, parts))
    except re.error:  # a group is around it, or refers to another part
        return []
    are_alone = all(each.flags == re.MULTILINE and each.groups == 0 for each in patterns)
    return parts if are_alone else []


def _compiled(text: str) -> re.Pattern[bytes]:
    return re.compile(text.encode(errors="surrogateescape"), re.MULTILINE)


if __name__ == "__main__":
    main()
