"""The passes over several files at once, and where they run among those over each file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from nubbin.documents.structure import Structure
from nubbin.passes.files import Files, SingleFiles
from nubbin.passes.large_parts import LargeParts
from nubbin.passes.long_lists import LongLists
from nubbin.passes.merging import Merging
from nubbin.passes.names_across import NamesAcross
from nubbin.passes.proposal import Pass

_FIRST: Final = (Files, Merging, LargeParts)
#: By the row of the table before which they run.
_BEFORE: Final[Mapping[str, Callable[[Mapping[str, Structure]], Pass]]] = {
    "tree levels": LongLists,
    "names": NamesAcross,
}
#: Rows in whose place `LargeParts` runs.
_REPLACED: Final = {"subtrees", "large parts"}


def folder_passes(structures: Mapping[str, Structure], each_file: Sequence[Pass]) -> Iterator[Pass]:
    """Yield all passes for a folder in their order, given those over each of its files.

    A row that is there twice, for files with a tree and for those without, counts where it is last.
    """
    last = {each.name: each for each in each_file}
    for make in _FIRST:
        yield make(structures)
    for each in with_single_files(each_file):
        if each.name in _BEFORE and each is last[each.name]:
            yield _BEFORE[each.name](structures)
        if each.name not in _REPLACED:
            yield each


def with_single_files(each_file: Sequence[Pass]) -> Iterator[Pass]:
    """Yield passes over each file, and before the last that proves, the one over whole files.

    What goes there is not part of the finest lists, which are the longest of the proof.
    """
    proof = max((at for at, each in enumerate(each_file) if each.proves), default=0)
    yield from each_file[:proof]
    yield SingleFiles()
    yield from each_file[proof:]
