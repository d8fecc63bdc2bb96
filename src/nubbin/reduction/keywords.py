"""Take options as keyword arguments: types for editors and type checkers, and validation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, ParamSpec, TypedDict, TypeVar

from nubbin.option import Group
from nubbin.reduction.options import Options, options_in_groups
from nubbin_core.argument_types import StrPath

P = ParamSpec("P")
T = TypeVar("T")


class _Workers(TypedDict, total=False):
    timeout: float | None
    jobs: int | None
    cluster: str | None


class _Test(_Workers, total=False):
    all_files: bool
    memory: int | None
    runs: int | None
    sandbox: bool


class _Choices(TypedDict, total=False):
    format: str | None
    without: tuple[str, ...]
    max_queries: int | None
    max_time: float | None
    target_size: int | None


class CheckKeywords(_Test, total=False):
    """The options of `nubbin.check`."""

    executor: Executor | None


class CampaignKeywords(_Test, _Choices, total=False):
    """The options of `nubbin.campaign`."""

    pretty: bool
    obfuscate: bool
    smallest: str
    keep: str | None
    only: str | None
    passes: tuple[str | Callable[..., Any], ...]
    reduce_with: tuple[str, ...]
    price: float
    algorithm: str
    p0: float
    seed: int


class ReduceKeywords(CampaignKeywords, total=False):
    """The options of `nubbin.reduce`."""

    executor: Executor | None
    output: StrPath | None
    in_place: bool


class ResumeKeywords(_Workers, _Choices, total=False):
    """The options of `nubbin.resume`."""

    executor: Executor | None
    trust: bool


def options_given(keywords: Mapping[str, Any], groups: Group) -> Options:
    """Return the options that keyword arguments give; raises TypeError and ValueError."""
    known = {each.name: each for each in options_in_groups(groups)}
    values = {}
    for name, value in keywords.items():
        if name not in known:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(known)}")
        values[name] = known[name].checked(value)
    return Options(**values)


def takes(groups: Group) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Add the options of some groups to the signature and help of a function with `**options`."""

    def documented(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)
        keywords = [
            inspect.Parameter(
                each.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=each.default,
                annotation=each.type,
            )
            for each in options_in_groups(groups)
        ]
        named = [each for each in signature.parameters.values() if each.name != "options"]
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*named, *keywords]
        )
        lines = [each.line for each in options_in_groups(groups)]
        text = inspect.cleandoc(function.__doc__ or "")
        function.__doc__ = "\n".join([text, "", "Options, whose values are in capitals:", *lines])
        return function

    return documented
