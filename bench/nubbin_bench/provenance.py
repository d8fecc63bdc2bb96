"""What a result was made with: the commit, the versions, the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

from nubbin import __version__

_PACKAGES = ("numpy", "tree-sitter", "tree-sitter-language-pack")
_HERE = Path(__file__).parent
#: What results depend on in the checkout.
_CODE = (":/src", ":/bench/nubbin_bench")


@cache
def commit() -> str:
    """Return the commit of this code, with a plus if files differ from it; empty if unknown."""
    if not _git("ls-files", Path(__file__).name):
        return ""
    return _git("rev-parse", "HEAD")[:12] + (
        "+" if _git("status", "--porcelain", "--", *_CODE) else ""
    )


def _git(*words: str) -> str:
    try:
        told = subprocess.run(
            ["git", *words], cwd=_HERE, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return told.stdout.strip() if told.returncode == 0 else ""


@cache
def versions() -> str:
    """Return the versions of Python and of the packages that results depend on."""
    packages = (f"{name} {version(name)}" for name in _PACKAGES)
    return ", ".join([f"Python {platform.python_version()}", f"nubbin {__version__}", *packages])


@cache
def machine() -> str:
    """Return the system, the processor and the number of its cores."""
    return f"{platform.system()} {platform.machine()}, {_processor()}, {os.cpu_count()} cores"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "unknown processor")


def now() -> str:
    """Return the time to the minute, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ")
