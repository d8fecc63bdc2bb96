"""Option: what a declaration of an option says, and what is done with declarations.

Options of a kind are a TypedDict, each of whose fields is annotated with an `Option`. Imports next
to nothing, so that `--help` is instant.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, ParamSpec, TypeVar, cast, get_type_hints

from nubbin_core.argument_types import checked

P = ParamSpec("P")
T = TypeVar("T")

#: The heading in the help of what a candidate must do to fail.
CONDITIONS = "Conditions (a candidate must meet all that you give)"

#: Earlier names of options. They work for one release: as keywords here, and in `nubbin.cli.usage`.
EARLIER_OPTIONS = {"signature": "prints", "minimality": "smallest", "atom": "smallest"}

_DURATION = re.compile(r"(?:(\d+)h)?\s*(?:(\d+)m(?:in)?)?\s*(?:(\d+(?:\.\d+)?)s?)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What there is to know of an option besides its name and its type.

    `section` is the heading in the help of the command line; None for an option that only the
    library has. One that is for `daily` use is on the short help, with the first sentence of its
    help. An option with a `unit` is a positive number of these; `least` is the smallest
    number that is allowed. Beside the `choices`, values for which `others` is true are allowed.
    """

    help: str
    section: str | None
    daily: bool = False
    default: Any = None
    short: str | None = None
    metavar: str | None = None
    unit: (
        Literal["bytes", "seconds", "path", "address", "probability", "refused queries"] | None
    ) = None
    least: int | None = None
    choices: tuple[str, ...] = ()
    others: Callable[[str], bool] = lambda value: False


def declared(options: type) -> dict[str, tuple[type, Option]]:
    """Return the type and the declaration of each option, by name, in the order of the help."""
    hints = get_type_hints(options, include_extras=True)
    return {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}


def completed(options: T, kind: type[T]) -> T:
    """Return options with the defaults of those that are not given.

    Raises TypeError for a name that is not an option or a value of another type, ValueError for a
    value that an option cannot have. Warns the caller's caller of an earlier name.
    """
    known = declared(kind)
    complete = {name: option.default for name, (_, option) in known.items()}
    for word, given in cast("dict[str, Any]", options).items():
        name = EARLIER_OPTIONS.get(word, word)
        if name != word:
            told = f"{word} is an earlier name, for this release; pass {name}"
            warnings.warn(told, DeprecationWarning, stacklevel=3)
        if name not in known:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(known)}")
        hint, option = known[name]
        value = complete[name] = checked(name, given, hint)
        if option.choices and value not in option.choices and not option.others(value):
            raise ValueError(f"no {name} {value!r}; there are {', '.join(option.choices)}")
        if option.least is not None and value is not None and value < option.least:
            raise ValueError(f"{name} is at least {option.least}, not {value}")
        if option.unit in {"bytes", "seconds"} and value is not None and not value > 0:
            raise ValueError(f"{name} is more than 0 {option.unit}, not {value}")
        if option.unit == "refused queries" and not 0 < value < inf:
            raise ValueError(f"{name} is a finite number of {option.unit} over 0, not {value}")
        if option.unit == "probability" and not 0 < value < 1:
            raise ValueError(f"{name} is a probability between 0 and 1, not {value}")
    return cast("T", complete)


def chosen(options: Any, kind: type[T]) -> T:
    """Return those of complete options that are of a kind."""
    return cast("T", {name: options[name] for name in declared(kind)})


_EXAMPLES_OF_UNIT = re.compile(r" \([^()]*\d[^()]*\)")


def _help_of(option: Option) -> str:
    """Return a line for a keyword argument, which is a plain number where text has a unit."""
    first = first_sentence(option.help)
    if option.unit not in {"bytes", "seconds"}:
        return first
    return f"{_EXAMPLES_OF_UNIT.sub('', first)} In {option.unit}."


def first_sentence(text: str) -> str:
    """Return what a short help says."""
    return re.split(r"(?<=\.)\s(?=[A-Z]|nubbin )", text)[0]


def takes(options: type) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Give a function with `**options` the signature and the help of what it takes."""

    def documented(function: Callable[P, T]) -> Callable[P, T]:
        known = declared(options)
        signature = inspect.signature(function)
        keywords = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=hint
            )
            for name, (hint, option) in known.items()
        ]
        named = [each for each in signature.parameters.values() if each.name != "options"]
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*named, *keywords]
        )
        lines = [f"    {name}: {_help_of(option)}" for name, (_, option) in known.items()]
        text = inspect.cleandoc(function.__doc__ or "")
        function.__doc__ = "\n".join([text, "", "Options, whose values are in capitals:", *lines])
        return function

    return documented


def seconds_in(text: str) -> float:
    """Return the seconds in `30`, `0.5s`, `10m` or `1h30m`; raises ValueError for other texts."""
    match = _DURATION.fullmatch(text.strip())
    hours, minutes, seconds = match.groups() if match else (None, None, None)
    total = 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds or 0)
    if total <= 0:
        raise ValueError(f"{text!r} is not a duration. Write 30, 10m or 1h30m.")
    return total
