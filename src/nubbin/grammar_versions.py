"""The packages of grammars that nubbin has."""

import re


def grammar_versions() -> dict[str, str]:
    """Return the version of each package of grammars that nubbin requires, or offers, and has."""
    from importlib.metadata import PackageNotFoundError, requires, version  # noqa: PLC0415 - slow

    found = dict[str, str]()
    for line in requires("nubbin") or ():
        if package := re.match(r"tree-sitter-([a-z-]*[a-z])", line):
            try:
                found[package[1]] = version(package[0])
            except PackageNotFoundError:  # an extra that is not installed
                continue
    return found
