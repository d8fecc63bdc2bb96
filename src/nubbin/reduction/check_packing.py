"""Does the test still find a container interesting when it is packed again? Asked once."""

from __future__ import annotations

from nubbin.documents.document import Document
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.events import Observer, TakenApart
from nubbin.reduction.open_job import OpenJob
from nubbin.search.trials import Trials


def check_packing(opened: OpenJob, baseline: Trials, tell: Observer) -> OpenJob:
    """Return the job with containers taken apart as deep as the test lets them be packed again.

    To pack them changes bytes that their members do not show. If that is too much, only the files
    of the input themselves are taken apart, and if that is too much, none. Costs no run without
    containers, else one or two, or more if `baseline`, the trials of the input, are flaky.
    """
    refused = False
    while not _survives(opened, baseline):
        refused = True
        containers = opened.job.original.containers
        opened = opened.at_depth(1)
        if opened.job.original.containers == containers:
            opened = opened.at_depth(0)
    document = opened.job.original
    if refused or document.containers:
        files = len(document.files) if document.containers else 0
        tell(TakenApart(files, sum(map(len, document.data.values())), refused))
    return opened


def _survives(opened: OpenJob, baseline: Trials) -> bool:
    """Tell whether the test finds the document interesting with all containers packed again."""
    repacked = opened.job.original.repacked
    if not repacked.can_be_packed or repacked.key == opened.job.original.key:
        return repacked.can_be_packed
    tries = 1 if baseline.agrees else baseline.runs
    return any(_is_interesting(opened, repacked) for _ in range(tries))


def _is_interesting(opened: OpenJob, document: Document) -> bool:
    return opened.workers.oracle(document.contents).verdict is Verdict.INTERESTING
