"""nubbin finds the smallest input that still makes your program misbehave."""

from __future__ import annotations

from importlib import import_module

from nubbin_core import __all__ as _of_core
from nubbin_core.version import __version__ as __version__

TYPE_CHECKING = False  # as in `typing`, which takes as long to import as all that is needed here
if TYPE_CHECKING:
    from nubbin.campaigns.campaign import Campaign, campaign
    from nubbin.checks.case import Finding
    from nubbin.oracles.failures.conditions import Command
    from nubbin.oracles.servers.python_test import PythonTest
    from nubbin.oracles.servers.server_pool import ServerTest
    from nubbin.oracles.user_test import UserTest
    from nubbin.reduction.recorded.resume import resume
    from nubbin.reduction.reduce import reduce
    from nubbin.reduction.run_job import Reduction
    from nubbin.reduction.start.check import check, learn
    from nubbin_core import Minimization, NubbinError, Stop, Verdict, minimize

__all__ = [
    "Campaign",
    "Command",
    "Finding",
    "Minimization",
    "NubbinError",
    "PythonTest",
    "Reduction",
    "ServerTest",
    "Stop",
    "UserTest",
    "Verdict",
    "campaign",
    "check",
    "learn",
    "minimize",
    "reduce",
    "resume",
]

_HOMES = {
    **dict.fromkeys(_of_core, "nubbin_core"),
    "Campaign": "nubbin.campaigns.campaign",
    "Command": "nubbin.oracles.failures.conditions",
    "Finding": "nubbin.checks.case",
    "PythonTest": "nubbin.oracles.servers.python_test",
    "Reduction": "nubbin.reduction.run_job",
    "ServerTest": "nubbin.oracles.servers.server_pool",
    "UserTest": "nubbin.oracles.user_test",
    "campaign": "nubbin.campaigns.campaign",
    "check": "nubbin.reduction.start.check",
    "learn": "nubbin.reduction.start.check",
    "reduce": "nubbin.reduction.reduce",
    "resume": "nubbin.reduction.recorded.resume",
}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for, so that `nubbin --help` needs no numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'nubbin' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Name what nubbin offers, so that completion finds it before it is imported."""
    return sorted([*__all__, "__doc__", "__version__"])
