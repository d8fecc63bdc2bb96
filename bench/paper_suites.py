"""The suites of bench/paper.py: folders of cases by kind, and the p0 published for each."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

from cases import Case, cases_in
from nubbin.documents.grammars import grammar
from nubbin.documents.languages import language_of

#: By name, the folders that are a suite: C programs on which compilers go wrong, programs to
#: debloat, XML on which a query processor is wrong. What is in none, and has a tree, is `others`.
SUITES = {"programs": "perses-*", "debloating": "chisel-*", "xml": "basex-*"}
OTHERS = "others"
EVERY = (*SUITES, OTHERS)

#: Zhang et al., section IV-D.
P0 = {"xml": 0.0025}

#: All levels of a program to debloat take tens of thousands of queries: there it is the first
#: alone, functions, types and variables.
HIERARCHY = {"debloating": "hdd-1"}

FRAMEWORKS = ("hdd", "lines", "tokens")
ALGORITHMS = (
    "ddmin",
    "probdd",
    "probdd-no-random",
    "cdd",
    "wdd",
    "opdd",
    "lithium",
    "adaptive",
    "auto",
)
#: Those that a seed makes a difference to.
RANDOM = {"probdd"}


def framework_in(suite: str, framework: str) -> str:
    """Return what is run in a suite for a framework: `hdd` may go to some level only."""
    return HIERARCHY.get(suite, framework) if framework == "hdd" else framework


def cases(folder: Path, suite: str) -> list[Case]:
    """Return the cases of a suite, the shortest input first.

    `suite` is a name, or NAME=GLOB for folders of one's own choice.
    """
    name, _, glob = suite.partition("=")
    glob = glob or SUITES.get(name, "")
    chosen = [case for case in cases_in(folder) if _belongs(case, name, glob)]
    return sorted(chosen, key=lambda case: (case.input.stat().st_size, case.name))


def _belongs(case: Case, suite: str, glob: str) -> bool:
    if suite != OTHERS or glob:
        return fnmatch(case.name, glob)
    if any(fnmatch(case.name, each) for each in SUITES.values()):
        return False
    known = language_of(case.input.name, case.input.read_bytes(), "")
    return known is not None and grammar(known) is not None
