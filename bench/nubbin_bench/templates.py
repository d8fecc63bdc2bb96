"""Pages that are templates with tables put in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

#: @name@ or @name argument argument@, on one line.
PLACE = re.compile(r"@([\w-]+)((?: [\w/,.-]+)*)@")


def fill(template: Path, parts: Mapping[str, Callable[..., str]]) -> str:
    """Return the text of a template, each place filled by the part of its name.

    A part is called with the arguments in the place, as strings. KeyError if there is no such part.
    """
    text = template.read_text(encoding="utf-8")
    return PLACE.sub(lambda place: parts[place[1]](*place[2].split()), text)
