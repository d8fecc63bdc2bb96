"""Warnings of the library, printed as a sentence each when the display has ended."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console


@contextmanager
def late_warnings(console: Console) -> Iterator[None]:
    """Collect the warnings of all threads in the block, and print them at its end."""
    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        finally:
            for each in caught:
                console.print(
                    f"nubbin: {each.message}", markup=False, highlight=False, soft_wrap=True
                )
