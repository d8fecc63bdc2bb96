"""Frameworks, in which algorithms are compared: hierarchical delta debugging, and flat lists.

`hdd` goes through the levels of the tree, `hdd-N` through the first N of them; `picireny` does too,
with the least text in a node's place instead of nothing. `lines` and `tokens`
are flat lists; `tokens-N` is the flat list that `hdd:cdd` has left when it first has no more than N
tokens, the same for all algorithms.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial

from nubbin import NubbinError
from nubbin.research import (
    HDD,
    Document,
    FileView,
    Pass,
    Proposals,
    each_file,
    passes_for,
)
from nubbin_bench.cases import Case
from nubbin_bench.least_texts import least_texts

PICIRENY = "picireny"
#: The names of all frameworks.
PATTERN = re.compile(rf"{HDD}(-[1-9]\d*)?|{PICIRENY}|lines|tokens(-[1-9]\d*)?")


def pass_of(framework: str, case: Case, document: Document) -> Pass:
    """Return the pass that proposes the lists of a framework.

    Raises NubbinError if it needs a tree, and nobody knows the format of the case.
    """
    name, _, levels = framework.partition("-")
    if name == PICIRENY:
        views = [FileView(file, case.format.lower()) for file in document.files]
        try:
            passes = {
                view.file.path: partial(least_texts, structure=view.structure)
                for view in views
                if view.has_tree()
            }
        except ValueError as error:
            raise NubbinError(str(error)) from None
        return each_file("least texts", passes)
    if name != HDD:
        (each,) = passes_for(document, name)
        return each
    (each,) = passes_for(document, language=case.format.lower(), framework=HDD)
    return upper_levels(each, int(levels)) if levels else each


def tokens_to_begin_with(framework: str) -> int:
    """Return the N of `tokens-N`; 0 for a framework that begins with the whole input."""
    name, _, tokens = framework.partition("-")
    return int(tokens) if tokens and name != HDD else 0


def upper_levels(each: Pass, levels: int) -> Pass:
    """Return the first levels of a tree: declarations and statements, say, but no expressions."""

    def propose(document: Document) -> Proposals[Document]:
        proposals = each.propose(document)
        with suppress(StopIteration):  # the tree may have fewer
            proposal = next(proposals)
            for _ in range(levels - 1):
                proposal = proposals.send((yield proposal))
            yield proposal

    return Pass(f"{each.name} to {levels}", propose)
