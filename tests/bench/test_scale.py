"""scale/workers: a recorded run gives the same bytes on any number of simulated workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from nubbin_bench.cases import write_case
from scale import workers
from scale.recorded import Recorded


@pytest.mark.nightly
def test_replays_agree_and_workers_save_time(tmp_path: Path) -> None:
    program = "".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(60))
    test = "#!/bin/sh\ngrep -q f17 input.c && grep -q f41 input.c\n"
    case = write_case(tmp_path / "case", "input.c", program, test)
    recorded = Recorded.of(case, "auto", tmp_path / "run")
    one, four = (workers.replay(recorded, count, seconds=10.0) for count in (1, 4))
    assert one.data == four.data
    assert recorded.answer(recorded.job.original)[1] == 1.0
    assert one.needed == four.needed < one.asked <= four.asked
    assert one.seconds > four.seconds
    again = Recorded.of(case, "auto", tmp_path / "run")  # from the files
    assert workers.replay(again, 1, seconds=10.0).data == one.data
