"""Regular expressions that a user gives."""

from __future__ import annotations

import os
import re

from nubbin.oracles.errors import OptionError


def compiled(option: str, text: str) -> re.Pattern[bytes]:
    """Return a regular expression over bytes; ^ and $ match at the ends of lines.

    Raises OptionError, which names `option`, if the text is not a regular expression.
    """
    try:
        return re.compile(os.fsencode(text), re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        raise OptionError(f"{option} {text!r} is no regular expression: {error}.") from None
