"""The packages of grammars that nubbin has."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def grammar_versions() -> dict[str, str]:
    """Return the version of each package of grammars that is installed.

    Read off the names of the folders that hold what is known of packages: `importlib.metadata`
    takes longer than all the rest of `nubbin --version`.
    """
    found = dict[str, str]()
    for folder in map(Path, sys.path):
        for place in folder.glob("tree_sitter_*.dist-info"):
            if of_grammar := re.match(r"tree_sitter_(\w+)-(.+)\.dist-info", place.name):
                found.setdefault(of_grammar[1].replace("_", "-"), of_grammar[2])
    return dict(sorted(found.items()))
