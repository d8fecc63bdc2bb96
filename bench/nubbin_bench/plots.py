"""Plots as SVG files that are the same for the same figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: For plots among text: small letters, which stay text.
SMALL = {"svg.fonttype": "none", "font.size": 8}


@contextmanager
def drawing(
    path: Path, width: float, height: float, salt: str, style: Mapping[Any, Any] = SMALL
) -> Iterator[Figure]:
    """Yield a figure to draw on, `width` by `height` inches; write it to `path` at the end.

    `salt` decides on the ids in the file: an SVG in the same page must have another.
    """
    import matplotlib as mpl  # noqa: PLC0415 - half a second: few draw
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({**style, "svg.hashsalt": salt}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(path, metadata={"Date": None})
