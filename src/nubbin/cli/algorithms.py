"""The names of algorithms, as they are given on the command line."""

from __future__ import annotations

from typing import Any

import click

#: The keys of `nubbin.minimizers.ALGORITHMS`, written out so that help need not import them.
ALGORITHMS = (
    "auto",
    "adaptive",
    "bisect",
    "cdd",
    "ddmin",
    "exhaustive",
    "greedy",
    "heavy-first",
    "linear",
    "lithium",
    "opdd",
    "probdd",
    "probdd-no-random",
    "waves",
    "wdd",
)


class Algorithm(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """A name of an algorithm, or of one with `hdd:` before it."""

    def __init__(self) -> None:
        super().__init__([*ALGORITHMS, *(f"hdd:{name}" for name in ALGORITHMS)])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name; a usage error names those that are close to one that is unknown."""
        if value in self.choices:
            return value
        from difflib import get_close_matches  # noqa: PLC0415

        near = " or ".join(get_close_matches(value, self.choices))
        hint = f"Did you mean {near}?" if near else "--help lists them."
        return self.fail(f"there is no algorithm {value!r}. {hint}", param, ctx)
