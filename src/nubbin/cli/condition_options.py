"""The options that say when a command misbehaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nubbin.cli.options import RUN_SECTION, option
from nubbin.cli.units import duration

_Command = Callable[..., None]

_STREAMS = {"prints": "what it prints", "stdout": "its output", "stderr": "its errors"}

#: The name of each condition, its metavar and its help.
_DECLARED = {
    "exits": ("HOW", "It exits so: 1, nonzero, signal, SIGSEGV."),
    **{name: ("REGEX", f"REGEX matches in {what}.") for name, what in _STREAMS.items()},
    **{
        f"no_{name}": ("REGEX", f"REGEX matches nothing in {what}.")
        for name, what in _STREAMS.items()
    },
    "hangs": ("TIME", "It still runs after TIME (5, 0.5, 2m)."),
    "differs": ("CMD", "CMD has another output or exit status."),
    "valid": ("CMD", "CMD exits with 0; may be repeated."),
}
_KINDS: dict[str, dict[str, Any]] = {"hangs": {"type": duration}, "valid": {"multiple": True}}

#: The names of all conditions.
CONDITIONS = tuple(_DECLARED)


def condition_options(command: _Command) -> _Command:
    """Declare an option for each field of `nubbin.oracles.failures.conditions.Conditions`."""
    for name, (metavar, text) in reversed(_DECLARED.items()):
        rest = {"metavar": metavar, "help": text, **_KINDS.get(name, {})}
        command = option(RUN_SECTION, f"--{name.replace('_', '-')}", name, **rest)(command)
    return command
