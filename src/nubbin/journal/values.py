"""What values in a journal may be: types for `msgspec`, which holds what is read to them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

#: No time is later, in seconds since 1970: some 3,000 years, which calendars still know.
MAX_TIME_S = 1e11

_MAX_NUMBER = 1 << 60
Count = Annotated[int, Meta(ge=0, le=_MAX_NUMBER)]
Number = Annotated[int, Meta(ge=1, le=_MAX_NUMBER)]
Seconds = Annotated[float, Meta(ge=0, le=MAX_TIME_S)]
AnyPath = Annotated[str, Meta(pattern=r"^[^\x00]+$")]
AbsolutePath = Annotated[str, Meta(pattern=r"^/[^\x00]*$")]
