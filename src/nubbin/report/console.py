"""A rich console that shows control characters in text instead of obeying them."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from nubbin.report.standard_streams import styled
from nubbin.text.visible import visible


class VisibleConsole(Console):
    """A console that makes text visible before it adds colours."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Return what to write, piece by piece."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else visible(text), style, control)


def stdout_console() -> Console:
    """Return a console that writes to standard output."""
    return VisibleConsole(file=styled(sys.stdout))


def stderr_console() -> Console:
    """Return a console that writes to standard error."""
    return VisibleConsole(file=styled(sys.stderr))
