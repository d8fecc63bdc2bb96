"""The 76 benchmarks of Zhang et al. (ICSE 2025), from a checkout of their artifact.

The artifact is the GitHub repository zhangxiaosa/cdd. Nothing of it is here, but facts: what was
published (`published.csv`), fingerprints of the inputs, and which builds of BaseX differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from nubbin_bench.artifact.c_suite import c_cases
from nubbin_bench.artifact.debloating import debloating_cases
from nubbin_bench.artifact.xml_suite import xml_cases
from nubbin_bench.cases import Case, Unavailable

#: For each suite, what yields its cases: from the checkout and a folder for what has to be made.
SUITES: dict[str, Callable[[Path, Path], Iterator[Case | Unavailable]]] = {
    "paper-c": c_cases,
    "paper-debloating": debloating_cases,
    "paper-xml": xml_cases,
}
