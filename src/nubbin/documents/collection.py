"""Collection: Python's search for garbage, and when there is none to find."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Look for no garbage in the block, which makes a tree of many nodes and throws none away.

    Otherwise all of them are looked at again and again while there are more and more: two thirds
    of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
