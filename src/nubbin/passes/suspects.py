"""Passes over lists that are not files: the commits of a history, the changes of a patch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from nubbin.documents.file import File
from nubbin.documents.outlines import pieces
from nubbin.documents.patch import Patch, PatchPart
from nubbin.passes.proposal import FilePass, Proposal, Proposals
from nubbin_core.minimizers.subset import Subset


def commits(file: File) -> Proposals[File]:
    """Propose, once, the newest of the commits that the lines of a file name.

    A commit contains all before it, so lists with the same newest commit are the same.
    """
    found = pieces.lines(file.data)
    size = len(found)

    def render(kept: Subset) -> File:
        newest = kept[:1]
        return file if len(kept) == size else file.with_data(found.join(newest))

    yield Proposal(size, render)


def of_patch(split: Callable[[Patch], list[list[PatchPart]]]) -> FilePass:
    """Return the pass that proposes, once, to leave out each part that `split` finds in a patch."""

    def propose(file: File) -> Proposals[File]:
        patch = Patch.of(file.data)
        parts = split(patch)

        def render(kept: Subset) -> File:
            if len(kept) == len(parts):
                return file
            return file.with_data(patch.only(chain(*(parts[each] for each in kept))).written())

        def texts() -> list[bytes]:
            return [b"".join(chain(*(part.lines for part in group))) for group in parts]

        yield Proposal(len(parts), render, list(map(len, texts())), texts=texts)

    return propose


patched_files, hunks, changed_lines = map(of_patch, (Patch.files, Patch.hunks, Patch.changes))
