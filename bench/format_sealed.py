"""Formats that were written when the code was done, to see what it makes of them."""

from __future__ import annotations

from format_tools import Format

SEALED: tuple[Format, ...] = ()
