"""All algorithms that tables compare: nubbin's own, and those that only a study needs."""

from __future__ import annotations

from nubbin.minimizers import ALGORITHMS
from nubbin_bench.artifact.cdd_artifact import CDDArtifact

STUDIED = {**ALGORITHMS, "cdd-artifact": CDDArtifact.start}
