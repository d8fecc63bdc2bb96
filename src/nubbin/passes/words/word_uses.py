"""Find out by their words which parts of a list use which others."""

from __future__ import annotations

from collections.abc import Sequence

from nubbin.documents.outlines.lexis import NAME
from nubbin_core.minimizers import Uses

#: Reading more, or looking at longer lists after each run, would take longer than it saves.
_MAX_BYTES, _MAX_PARTS = 1 << 22, 1 << 14


def uses(texts: Sequence[bytes]) -> Uses | None:
    """Return which parts use which: a part uses those with the first occurrence of its words.

    In any language, the first occurrence of a name is mostly its declaration. None if no part uses
    another, or if the list is long or large. Linear in the texts.
    """
    if len(texts) > _MAX_PARTS or sum(map(len, texts)) > _MAX_BYTES:
        return None
    first: dict[bytes, int] = {}
    targets: list[list[int]] = []
    for part, text in enumerate(texts):
        found = {first.setdefault(word, part) for word in set(NAME.findall(text))}
        targets.append(sorted(found - {part}))
    return Uses.of_each(targets) if any(targets) else None
