"""Warnings of the library, a sentence each, once the display is out of the way."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def late_warnings(console: Console) -> Iterator[None]:
    """Keep what is warned of in the block, by any thread, and print it at the end."""
    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        finally:
            for each in caught:
                console.print(
                    f"nubbin: {each.message}", markup=False, highlight=False, soft_wrap=True
                )
