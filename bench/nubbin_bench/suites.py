"""The suites: folders of cases by kind, and the p0 published for each."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

from nubbin import NubbinError
from nubbin.research import grammar, language_of
from nubbin_bench.artifact import SUITES as ARTIFACT
from nubbin_bench.artifact.inputs import require_checkout
from nubbin_bench.cases import Case, Unavailable, load_all

#: The folders of each suite: C programs on which compilers fail, programs to debloat, XML on which
#: a query processor is wrong. Cases of no suite whose language has a grammar are `others`.
SUITES = {"programs": "perses-*", "debloating": "chisel-*", "xml": "basex-*"}
OTHERS = "others"
EVERY = (*SUITES, OTHERS)

#: Zhang et al., section IV-D.
P0 = {"xml": 0.0025, "paper-xml": 0.0025}

#: Suites in which `hdd` is another framework: all levels of a program to debloat would take tens of
#: thousands of queries, so only the first is tried, with functions, types and variables.
HIERARCHY = {"debloating": "hdd-1", "paper-debloating": "hdd-1"}

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
#: The algorithms that use the seed.
RANDOM = {"probdd", "probdd-artifact", "probdd-from-end", "cdd-shuffled"}


def framework_in(suite: str, framework: str) -> str:
    """Return the framework that a suite uses for this one: `hdd` may stop at some level."""
    return HIERARCHY.get(suite, framework) if framework == "hdd" else framework


def chosen(folder: Path, suites: Iterable[str]) -> list[tuple[str, Case | Unavailable]]:
    """Return the cases of the suites, each with the name of its suite."""
    return [(suite.partition("=")[0], case) for suite in suites for case in cases(folder, suite)]


def from_artifact(
    checkout: Path, suites: Iterable[str], work: Path
) -> list[tuple[str, Case | Unavailable]]:
    """Return the cases of the paper's suites from a checkout of its artifact.

    A suite is NAME, or NAME=GLOB,GLOB,... for cases with names that match one of these. What has to
    be made for their tests goes into the folder `work`. Raises NubbinError if there is no such
    suite, or the checkout is one of something else.
    """
    require_checkout(checkout)
    found: list[tuple[str, Case | Unavailable]] = []
    for suite in suites:
        name, _, globs = suite.partition("=")
        if name not in ARTIFACT:
            raise NubbinError(f"The artifact has no suite {name!r}; it has {', '.join(ARTIFACT)}.")
        each_case = ARTIFACT[name](checkout.resolve(), work)
        found += [
            (name, case)
            for case in each_case
            if any(fnmatch(case.name, glob) for glob in (globs or "*").split(","))
        ]
    return found


def cases(folder: Path, suite: str) -> list[Case | Unavailable]:
    """Return the cases of a suite, the shortest input first, after those that are broken.

    `suite` is a name, or NAME=GLOB for the folders that match.
    """
    name, _, glob = suite.partition("=")
    glob = glob or SUITES.get(name, "")
    folders = [path.parent for path in folder.glob("*/case.json")]
    found = load_all(each for each in folders if _belongs(each.name, name, glob))
    if name == OTHERS and not glob:
        found = [case for case in found if isinstance(case, Unavailable) or _has_grammar(case)]
    return sorted(found, key=_size_and_name)


def _size_and_name(case: Case | Unavailable) -> tuple[int, str]:
    return -1 if isinstance(case, Unavailable) else case.input.stat().st_size, case.name


def _belongs(case: str, suite: str, glob: str) -> bool:
    if suite != OTHERS or glob:
        return fnmatch(case, glob)
    return not any(fnmatch(case, each) for each in SUITES.values())


def _has_grammar(case: Case) -> bool:
    known = language_of(case.input.name, case.input.read_bytes(), "")
    return known is not None and grammar(known) is not None
