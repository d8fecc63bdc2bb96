"""Check the types of arguments that callers of the library pass."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from types import NoneType
from typing import Any, get_args, get_origin

#: A path that a caller gives.
StrPath = str | PathLike[str]

_IN_WORDS = {
    NoneType: "None",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
    PathLike: "a path",
}
_EXECUTOR = "an executor with the method submit"


def checked(name: str, value: Any, declared: Any) -> Any:
    """Return a value as its declared type; a number of NumPy becomes one of Python.

    True and False are not numbers here. Raises TypeError with a sentence that names the argument.
    """
    kinds = [get_origin(each) or each for each in get_args(declared) or (declared,)]
    if get_origin(declared) is tuple:
        kinds = [tuple]
    for kind in kinds:
        with suppress(TypeError):
            return _as(kind, value)
    words = " or ".join(_IN_WORDS.get(kind, _EXECUTOR) for kind in kinds)
    raise TypeError(f"{name} is {words}, not {reprlib.repr(value)}")


def _as(kind: type, value: Any) -> Any:
    """Return a value as an instance of `kind`; raises TypeError."""
    truth = isinstance(value, bool) or type(value).__name__ in {"bool", "bool_"}  # NumPy's
    if kind is bool and truth:
        return bool(value)
    if kind is int and not truth:
        return operator.index(value)
    if kind is float and not truth and hasattr(value, "__float__"):
        return float(value)
    if kind is tuple and isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return tuple(_as(str, each) for each in value)
    is_executor = hasattr(kind, "submit") and callable(getattr(value, "submit", None))
    if is_executor or (kind not in {bool, int, float, tuple} and isinstance(value, kind)):
        return value
    raise TypeError
