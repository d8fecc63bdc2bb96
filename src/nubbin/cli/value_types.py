"""Convert sizes, durations, addresses and paths from the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from nubbin.disk import check_lookup
from nubbin.executors.cluster_address import processes_here
from nubbin.option import seconds_in
from nubbin.pattern import pattern
from nubbin_core.errors import NubbinError

#: As a path on the command line, this means standard output.
STANDARD_OUTPUT = Path("-")

_SIZE = pattern(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_SIZE_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def size(text: str) -> int:
    """Return bytes, at least one; units are powers of 1,024: `800M`, `2G`, `1.5GiB`."""
    match = _SIZE.fullmatch(text.strip())
    number = round(float(match[1]) * _SIZE_UNITS[match[2].lower()]) if match else 0
    if number < 1:
        raise click.BadParameter(f"{text!r} is not a size. Write 800M or 2G.")
    return number


def as_seconds(text: str) -> float:
    """Return seconds, from seconds, minutes and hours: `30`, `0.5s`, `10m`, `1h30m`."""
    with _explained():
        return seconds_in(text)


def cluster(text: str) -> str:
    """Return the address of a cluster: `tcp://host:8786` or `local:8`."""
    with _explained():
        processes_here(text)
    return text


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except (ValueError, NubbinError) as error:
        raise click.BadParameter(str(error)) from None


class _Path(click.Path):
    """A path that the system can look up, whether or not it exists."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; the usage error says why the system cannot look it up."""
        with _explained():
            check_lookup(value)
        return super().convert(value, param, ctx)


PATH = _Path(path_type=Path)
