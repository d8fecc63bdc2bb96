"""Guess by counting which numbers of a file depend on the rest of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from nubbin.documents.consistency.in_texts.arrays import arrays
from nubbin.documents.consistency.in_texts.counted_lists import counted_lists
from nubbin.documents.consistency.in_texts.join import join
from nubbin.documents.consistency.in_texts.lengths import lengths
from nubbin.documents.consistency.in_texts.listed import runs, uncounted
from nubbin.documents.consistency.in_texts.sequences import sequences
from nubbin.documents.consistency.in_texts.text_lines import Text
from nubbin.documents.consistency.items import Hypothesis
from nubbin.documents.parsing.syntax import no_collection
from nubbin_core.late import late

#: Larger files are not searched.
_MAX_BYTES = 1 << 20
#: Control characters that a text does not contain.
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b"))


@lru_cache(maxsize=16)
@no_collection()
def hypotheses(data: bytes) -> tuple[Hypothesis, ...]:
    """Return the hypotheses about the numbers of a file; linear, cached. Most files have none."""
    if len(data) > _MAX_BYTES:
        return ()
    if data.translate(None, _CONTROLS) == data:
        text = Text(data)
        heads, lists = counted_lists(text)
        found = [*join([*lists, *runs(text, lists)], heads), *sequences(data)]
        return (*(found or join(uncounted(text))), *arrays(data), *lengths(data))
    return tuple(next(filter(None, (find(data) for find in _FINDERS)), ()))


def may_be_counted(data: bytes) -> bool:
    """Tell whether there are hypotheses about a file, or can be when it is smaller."""
    return len(data) > _MAX_BYTES or bool(hypotheses(data))


_IN_BYTES = "nubbin.documents.consistency.in_bytes"
#: What finds numbers in bytes, which few files need: the first that finds some decides.
_FINDERS: tuple[Callable[[bytes], Sequence[Hypothesis]], ...] = (
    late(f"{_IN_BYTES}.blocks:fields_in"),
    late(f"{_IN_BYTES}.blocks:chain_in"),
    late(f"{_IN_BYTES}.blocks:nest_in"),
    late(f"{_IN_BYTES}.offsets:directories_in"),
    late(f"{_IN_BYTES}.offsets:pointers_in"),
    late(f"{_IN_BYTES}.grids:grids_in"),
    late(f"{_IN_BYTES}.grids:vector_in"),
)
