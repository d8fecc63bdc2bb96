"""Doubt: whether a tree with few errors still may be the wrong reading of a text."""

from __future__ import annotations

import numpy as np

from nubbin.documents.parsing.syntax import Leaves, Syntax
from nubbin.documents.splice import BLANKS, LINE_ENDS, Offsets
from nubbin.pattern import pattern

#: If more of the bytes are part of no construct, a text may be in another language: up to 0.025 in
#: those of the right one, 0.05 to 1 in Prolog as Perl, 0.1 in Forth as F#.
_MAX_STRAY_FRACTION = 0.03
#: If a tree shows fewer of the words, the text may as well be read as lines: 0.8 to 1 in programs,
#: 0.4 in a template of HTML, 0.2 in prose, 0 in a list of packages as YAML.
_MIN_SHOWN_FRACTION = 0.5

_IS_IN_WORD = bytes(byte not in BLANKS + LINE_ENDS for byte in range(256))
#: Leaves of these kinds are long in programs too.
_QUOTED = pattern("comment|string|pod")


def is_doubtful(syntax: Syntax, data: bytes) -> bool:
    """Tell whether a tree leaves much of a text, or of its words, without a node. Linear."""
    tree = syntax.tree(data)
    if tree is None or tree.facts.stray_bytes > _MAX_STRAY_FRACTION * len(data):
        return True
    is_in_word = np.frombuffer(data.translate(_IS_IN_WORD), dtype=np.int8)
    words = (np.diff(is_in_word, prepend=0) > 0).nonzero()[0]
    return _shown(syntax.leaves(data), words) < _MIN_SHOWN_FRACTION * len(words)


def _shown(leaves: Leaves, words: Offsets) -> int:
    """Return how many words, given by their starts, have a leaf that begins in them.

    All words of a comment and of a string count as shown.
    """
    quoted = np.array([bool(_QUOTED.search(name)) for name in leaves.names], dtype=np.bool_)
    ends = np.where(quoted[leaves.kinds], leaves.stops, leaves.starts + 1)
    first = np.searchsorted(words, leaves.starts, "right")
    after = np.maximum(first, np.searchsorted(words, ends)) + 1
    change = np.zeros(len(words) + 2, dtype=np.int64)
    np.add.at(change, first, 1)
    np.add.at(change, after, -1)
    return int(np.count_nonzero(np.cumsum(change)[1:]))
