"""Parse the address of a cluster. Imports almost nothing, so a wrong one is reported at once."""

from __future__ import annotations

from nubbin_core.errors import NubbinError

_LOCAL = "local:"


def processes_here(address: str) -> int | None:
    """Return N if the address is `local:N`, for N processes of this machine; None otherwise.

    Raises NubbinError if N is not a positive number, or if the address is empty.
    """
    if not address.strip():
        raise unreachable(repr(address), "the address is empty")
    if not address.startswith(_LOCAL):
        return None
    number = address.removeprefix(_LOCAL)
    if not (number.isascii() and number.isdecimal() and int(number) > 0):
        raise unreachable(address, f"{number!r} is not a number of processes")
    return int(number)


def unreachable(address: str, reason: str) -> NubbinError:
    """Return the error for an address without a cluster."""
    return NubbinError(
        f"There is no Dask scheduler to be reached at {address}: {reason}. Give the address that "
        "`dask scheduler` prints, tcp://host:8786 for instance, or local:N for N processes on this "
        "machine, at least one."
    )
