"""The sections of a WebAssembly module."""

from __future__ import annotations

from enum import IntEnum


class Section(IntEnum):
    """The sections, in their order: the count of data precedes the code that refers to them."""

    CUSTOM = 0
    TYPE = 1
    IMPORT = 2
    FUNCTION = 3
    TABLE = 4
    MEMORY = 5
    GLOBAL = 6
    EXPORT = 7
    START = 8
    ELEMENT = 9
    DATA_COUNT = 12
    CODE = 10
    DATA = 11
