"""Run nubbin and other reducers side by side on real inputs, and write record/peers.md and
docs/how-good.md.

    bench/run.py peers/compare [CASES] [--case NAME ...] [--tool NAME ...] [--path DIR ...]
                               [--limit S] [--again]

CASES holds one folder for each case: see nubbin_bench.cases. The reducers are searched for in every
--path and on PATH; record/peers.md says how to install them. They run one after the other, with one
job each, for at most --limit seconds. Each result is added at once to record/peers/runs.csv, and
runs in that file are not made again, except with --again. Without CASES, only the pages are
written, from the record. Some tests run the reduced program: leave such cases out, or use a
sandbox.
"""

from collections.abc import Iterator

from harness.experiment import RECORD, Table
from peers.page import write_page
from peers.records import Record, study
from peers.summary import write_summary
from peers.tools import TOOLS


def written(record: Record) -> Iterator[Table | str]:
    write_page(record, RECORD)
    write_summary()
    yield f"{len(record.rows)} runs of {len(record.cases)} inputs"


experiment = study("peers", TOOLS, written, limit_s=600)
