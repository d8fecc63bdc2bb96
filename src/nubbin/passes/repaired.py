"""Run a pass so that the counts that a format keeps of itself stay right."""

from __future__ import annotations

from dataclasses import replace

from nubbin.documents.file import File
from nubbin.documents.format_spec import FormatSpec
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import FilePass, Proposal, Proposals, next_proposal


def repaired(each: FilePass, format_spec: FormatSpec) -> FilePass:
    """Return the pass whose candidates have the lengths, offsets and checksums of their format.

    Programs check these first, and refuse a file from which something was only deleted.
    """

    def propose(file: File) -> Proposals[File]:
        running = each(file)
        proposal = next_proposal(running)
        while proposal is not None:
            came_out = yield _repairing(proposal, format_spec)
            proposal = next_proposal(running, came_out)

    return propose


def _repairing(proposal: Proposal[File], format_spec: FormatSpec) -> Proposal[File]:
    def render(kept: Subset) -> File:
        file = proposal.render(kept)
        whole = len(kept) == proposal.size
        return file if whole else file.with_data(format_spec.repair(file.data))

    return replace(proposal, render=render)
