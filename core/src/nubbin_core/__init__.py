"""The core of nubbin: the minimizers, and the search that asks their questions.

It needs nothing but Python, and imports what is used when it is used.
"""

from __future__ import annotations

from importlib import import_module

from nubbin_core.version import __version__ as __version__

TYPE_CHECKING = False  # as in `typing`, which takes as long to import as all that is needed here
if TYPE_CHECKING:
    from nubbin_core.errors import NubbinError
    from nubbin_core.search.minimize import Minimization, Stop, minimize
    from nubbin_core.verdict import Verdict

__all__ = ["Minimization", "NubbinError", "Stop", "Verdict", "minimize"]

_HOMES = {
    "Minimization": "nubbin_core.search.minimize",
    "NubbinError": "nubbin_core.errors",
    "Stop": "nubbin_core.search.minimize",
    "Verdict": "nubbin_core.verdict",
    "minimize": "nubbin_core.search.minimize",
}


def __getattr__(name: str) -> object:
    """Import what is asked for when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'nubbin_core' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Name what the core offers, so that completion finds it before it is imported."""
    return sorted([*__all__, "__doc__", "__version__"])
