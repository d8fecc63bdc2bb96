"""Types of the values in a journal, which `msgspec` checks when the journal is read."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

#: The latest possible time in seconds since 1970: about 3,000 years, which `datetime` can show.
MAX_TIME_S = 1e11

_MAX_NUMBER = 1 << 60
Count = Annotated[int, Meta(ge=0, le=_MAX_NUMBER)]
Number = Annotated[int, Meta(ge=1, le=_MAX_NUMBER)]
Seconds = Annotated[float, Meta(ge=0, le=MAX_TIME_S)]
AnyPath = Annotated[str, Meta(pattern=r"^[^\x00]+$")]
AbsolutePath = Annotated[str, Meta(pattern=r"^/[^\x00]*$")]
