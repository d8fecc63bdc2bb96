"""Names that people type out of habit: earlier ones of nubbin, and options of other reducers."""

from __future__ import annotations

from collections.abc import Sequence

import click

#: Earlier names of commands and options, and the names to type now. They work for one release.
EARLIER = {
    "runs": "log",
    "history": "log last",
    "restore": "show",
    "--signature": "--prints",
    "--minimality": "--smallest",
    "--atom": "--smallest",
}

#: Options of other reducers, and what to type for them. docs/migrating.md explains each.
_OTHERS = {
    "C-Vise": {
        "--n": "--jobs",
        "-c": "--run CMD --exits 0",
        "--commands": "--run CMD --exits 0",
        "--remove-pass": "--without",
        "--skip-after-n-transforms": "--max-queries",
        "--pass-group": "--format",
        "--clang-delta-preserve-routine": "--keep",
        "--debug": "--verbose",
    },
    "Shrink Ray": {
        "--parallelism": "--jobs",
        "--memory-limit": "--memory",
        "--formatter": "--pretty",
        "--reduce-with": "--proposer",
        "--volume": "--quiet or --verbose",
    },
    "Lithium": {
        "--lines": "--smallest lines",
        "--char": "--smallest chars",
        "--strategy": "--algorithm",
        "--max-run-time": "--max-time",
    },
    "Picire": {"--parallel": "--jobs", "--out": "--output", "--input": "INPUT", "--test": "TEST"},
}
#: The same by the name of the option: the other reducer, and what to type.
OTHERS = {name: (tool, now) for tool, names in _OTHERS.items() for name, now in names.items()}


def current(word: str) -> Sequence[str]:
    """Return the words for an earlier name of a command, and say so on standard error."""
    return _renamed(word).split() if word in EARLIER else [word]


def with_current_options(args: Sequence[str]) -> list[str]:
    """Return arguments with the current names of options; those after -- are not nubbin's."""
    end = args.index("--") if "--" in args else len(args)
    return [*map(_with_current_name, args[:end]), *args[end:]]


def _with_current_name(word: str) -> str:
    name, equals, value = word.partition("=")
    return f"{_renamed(name)}{equals}{value}" if name.startswith("--") else word


def _renamed(name: str) -> str:
    now = EARLIER.get(name, name)
    if now != name:
        click.echo(f"nubbin: {name} is an earlier name, for this release; type: {now}", err=True)
    return now


def hint(error: click.NoSuchOption) -> click.UsageError:
    """Return the error for an unknown option, with what to type if another reducer has it."""
    if error.option_name not in OTHERS:
        return error
    tool, now = OTHERS[error.option_name]
    return click.UsageError(
        f"{error.option_name} is an option of {tool}; here, type {now}.", error.ctx
    )
