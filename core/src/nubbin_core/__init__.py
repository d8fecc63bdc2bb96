"""The core of nubbin: the minimizers, and the search that runs their queries.

It needs only Python, and imports each module when it is first used.
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
    """Import a name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'nubbin_core' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names, so that completion finds them before they are imported."""
    return sorted([*__all__, "__doc__", "__version__"])
