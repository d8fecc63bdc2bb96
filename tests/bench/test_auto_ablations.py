"""`auto` without a part: as algorithms of a study, by file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nubbin_bench import auto_ablations
from nubbin_bench.auto_parts import NAMES, PARTS, by_case, ratios
from nubbin_bench.cases import write_case
from nubbin_bench.family import Family
from nubbin_bench.results import Results
from nubbin_bench.rows import Job
from nubbin_bench.runs import run
from nubbin_core.minimizers import Settings, Subset, learned
from nubbin_core.search.algorithm import Algorithm

PROGRAM = "".join(f"int f{n}(void) {{ return {n}; }}\n" for n in range(30))


@pytest.mark.nightly
def test_auto_without_a_part_is_run_beside_it(tmp_path: Path) -> None:
    test = "#!/bin/sh\ngrep -q f17 input.c && grep -q f3 input.c\n"
    case = write_case(tmp_path / "perses-small", "input.c", PROGRAM, test)
    file = auto_ablations.__file__
    rows = []
    for name in ["auto", *(f"{file}:{part}" for part in PARTS)]:
        chosen = Job("programs", case, "hdd", Algorithm.named(name), 0, 0.1, 1000, 600, 20)
        rows.append(run(chosen, tmp_path / "cache", tmp_path / "log"))
    assert {row.algorithm for row in rows} == {"auto", *NAMES}
    assert {(row.checked, row.end, row.loose) for row in rows} == {(True, "fixpoint", 0)}
    assert len({row.tokens for row in rows}) == 1
    results = Results.of(rows, "hdd")
    assert f"| programs, perses-small | {rows[0].queries} |" in by_case(results)
    assert "auto_ablations.py:forward / auto" in ratios(results, Family(), "queries")
    larger = replace(rows[1], tokens=120)
    assert "(120)" in by_case(Results.of([rows[0], larger, *rows[2:]], "hdd"))
    assert "perses-small" not in by_case(Results.of(rows[:-1], "hdd"))


@pytest.mark.parametrize("part", PARTS)
def test_what_it_has_learned_is_carried_to_the_next_list(part: str) -> None:
    start = Algorithm.named(f"{auto_ablations.__file__}:{part}").load()
    state = start(Subset.full(20), Settings(alone=False))
    while wave := state.ask():
        state = state.tell(tuple(3 in query.kept for query in wave))
    belief = learned(state)
    assert belief is not None
    first, after = (
        start(Subset.full(20), Settings(alone=False, belief=each)).ask() for each in (None, belief)
    )
    assert (len(first[0].kept) == len(after[0].kept)) == (part == "without_belief")
