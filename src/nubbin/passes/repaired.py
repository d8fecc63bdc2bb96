"""Run a pass so that the format's own counts stay right."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

from nubbin.documents.file import File
from nubbin.documents.format_spec import FormatSpec
from nubbin.minimizers.subset import Subset
from nubbin.passes.proposal import FilePass, Proposal


@dataclass(frozen=True, slots=True)
class Repaired:
    """A pass whose candidates have right lengths, offsets, checksums, as the format wants them.

    Programs that look at these first refuse a file from which something is deleted and no more.
    """

    inner: FilePass
    format_spec: FormatSpec

    @property
    def name(self) -> str:
        """What a person calls this pass."""
        return f"{self.inner.name} ({self.format_spec.format})"

    def propose(self, file: File) -> Generator[Proposal[File], File, None]:
        """Yield what the pass inside yields, with repaired candidates."""
        asked = self.inner.propose(file)
        proposal = next(asked, None)
        while proposal is not None:
            file = yield self._repairing(proposal)
            try:
                proposal = asked.send(file)
            except StopIteration:
                return

    def _repairing(self, proposal: Proposal[File]) -> Proposal[File]:
        def render(kept: Subset) -> File:
            file = proposal.render(kept)
            whole = len(kept) == proposal.size
            return file if whole else file.with_data(self.format_spec.repair(file.data))

        return replace(proposal, render=render)
