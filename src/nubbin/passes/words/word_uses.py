"""Which parts of a list use which others, by their words."""

from __future__ import annotations

from collections.abc import Sequence

from nubbin.documents.outlines.lexis import NAME
from nubbin_core.minimizers import Uses

#: To read more, or to look at longer lists after each run, would take longer than it saves.
_MAX_BYTES, _MAX_PARTS = 1 << 22, 1 << 14


def uses(texts: Sequence[bytes]) -> Uses | None:
    """Return which parts use which: a part uses those in which its words stand first.

    What comes first is mostly what declares a name, in any language. None if nothing uses anything,
    or if the list is long or large. Linear in the texts.
    """
    if len(texts) > _MAX_PARTS or sum(map(len, texts)) > _MAX_BYTES:
        return None
    first: dict[bytes, int] = {}
    targets: list[list[int]] = []
    for part, text in enumerate(texts):
        found = {first.setdefault(word, part) for word in set(NAME.findall(text))}
        targets.append(sorted(found - {part}))
    return Uses.of_each(targets) if any(targets) else None
