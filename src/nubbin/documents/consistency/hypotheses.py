"""Guess by counting which numbers of a file depend on the rest of it."""

from __future__ import annotations

from functools import lru_cache

from nubbin.documents.consistency.in_texts.arrays import arrays
from nubbin.documents.consistency.in_texts.counted_lists import counted_lists
from nubbin.documents.consistency.in_texts.join import join
from nubbin.documents.consistency.in_texts.lengths import lengths
from nubbin.documents.consistency.in_texts.lists import runs, uncounted
from nubbin.documents.consistency.in_texts.sequences import sequences
from nubbin.documents.consistency.in_texts.text_lines import Text
from nubbin.documents.consistency.items import Hypothesis
from nubbin.documents.parsing.syntax import no_collection

#: Larger files are not searched.
_MAX_BYTES = 1 << 20
#: Control characters that a text does not contain.
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1b"))
#: In chains with more blocks, the blocks themselves are not searched.
_MAX_BLOCKS_LOOKED_INTO = 64


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
    return _of_bytes(data)


def may_be_counted(data: bytes) -> bool:
    """Tell whether there are hypotheses about a file, or can be when it is smaller."""
    return len(data) > _MAX_BYTES or bool(hypotheses(data))


def _of_bytes(data: bytes) -> tuple[Hypothesis, ...]:
    """Return fields; or a chain of blocks, with vectors in them; or the first of some others.

    These are nested blocks, a directory of parts with pointers in them, pointers, items of one
    length, and a vector.
    """
    # Texts need none of these.
    from nubbin.documents.consistency.in_bytes.chains import chain_in  # noqa: PLC0415
    from nubbin.documents.consistency.in_bytes.directories import directories_in  # noqa: PLC0415
    from nubbin.documents.consistency.in_bytes.grids import grids_in  # noqa: PLC0415
    from nubbin.documents.consistency.in_bytes.nests import fields_in, nest_in  # noqa: PLC0415
    from nubbin.documents.consistency.in_bytes.pointers import pointers_in  # noqa: PLC0415
    from nubbin.documents.consistency.in_bytes.vectors import vector_in  # noqa: PLC0415

    if fields := fields_in(data):
        return (fields,)
    chain = chain_in(data)
    if chain is None:
        if nest := nest_in(data):
            return (nest,)
        if tables := directories_in(data):
            parts = [item[-1] for item in tables[-1].items.places]
            return (*tables, *(each for part in parts for each in pointers_in(data, *part)))
        if tables := pointers_in(data, 0, len(data)) or grids_in(data):
            return tuple(tables)
        vector = vector_in(data, 0, len(data))
        return (vector,) if vector else ()
    inside = []
    if len(chain.items.places) <= _MAX_BLOCKS_LOOKED_INTO:
        bodies = [(each.first, each.last) for each in chain.regions if each.checksum < 0]
        inside = [vector_in(data, *body, len(bodies)) for body in bodies]
    return (chain, *(vector for vector in inside if vector))
