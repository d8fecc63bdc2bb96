"""Queries answered in other processes: what is sent there, and what comes back."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from random import Random

import pytest

from faults import script
from nubbin.documents.deltas import delta
from nubbin.executors import remote_oracle as module
from nubbin.executors.remote_oracle import (
    NoAnswer,
    RemoteOracle,
    RemoteQuery,
    WorkerSetup,
    clear_worker,
    run_query,
)
from nubbin.oracles import oracle as oracle_module
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.isolation.candidate_files import Files
from nubbin.oracles.local_oracle import OracleSpec
from nubbin.oracles.oracle import Timeout
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError
from nubbin_core.pool import Pool
from nubbin_core.verdict import Answer, Verdict

TEXT = b"".join(b"int f%d(int x) { return g(x, %d) + boom; }\n" % (i, i) for i in range(12))
UNIT = "tokens"
CRASH = "grep -q 'f3.*boom' input.c && grep -q f7 input.c"


@pytest.fixture(autouse=True)
def no_setups() -> Iterator[None]:
    yield
    clear_worker()


def spec(folder: Path, body: str = "grep -q yes small.c") -> OracleSpec:
    return OracleSpec(CommandTest.of(script(folder, body)), "small.c")


def query_for(files: Files, setup: WorkerSetup) -> RemoteQuery:
    return RemoteQuery(setup.key, delta(files, setup.base), 60.0, False)


def test_a_worker_asks_for_the_setup_once(tmp_path: Path) -> None:
    setup = WorkerSetup(spec(tmp_path), {"small.c": b"no\n" * 1000 + b"yes\n"})
    query = query_for({"small.c": b"no\nyes\n"}, setup)
    assert run_query(query) is None
    first, second = run_query(replace(query, setup=setup.packed)), run_query(query)
    assert isinstance(first, Answer) and isinstance(second, Answer)
    assert first.verdict is second.verdict is Verdict.INTERESTING


def test_a_worker_that_is_closed_has_no_answer(tmp_path: Path) -> None:
    setup = WorkerSetup(spec(tmp_path), {})
    query = query_for({"small.c": b"yes"}, setup)
    closed = CancelToken()
    closed.cancel()
    with closed.as_current():
        answer = run_query(replace(query, setup=setup.packed))
    assert isinstance(answer, NoAnswer)
    assert "stopped the test before its end" in str(answer)


def test_a_worker_without_room_has_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    setup = WorkerSetup(spec(tmp_path), {})
    query = query_for({"small.c": b"yes"}, setup)
    answer = run_query(replace(query, setup=setup.packed))
    assert isinstance(answer, NoAnswer)
    assert "cannot run the test: [Errno 2] No such file or directory" in str(answer)


def test_a_worker_with_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = WorkerSetup(spec(tmp_path), {})
    assert setup.packed
    monkeypatch.setattr(module, "__version__", "0.0.9")
    with pytest.raises(NubbinError, match=r"worker of this run, has nubbin 0\.0\.9, and"):
        WorkerSetup.unpack(setup.packed)
    query = query_for({"small.c": b"yes"}, setup)
    answer = run_query(replace(query, setup=setup.packed))
    assert isinstance(answer, NubbinError)


class Recorder(Pool):
    """Sends calls through pickle, as to another machine, and weighs them."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[int] = []

    def submit(self, fn: Callable[..., object], /, *args: object, **kwargs: object) -> object:  # type: ignore[override]
        packed = pickle.dumps((fn, args))
        self.sent.append(len(packed))
        fn, args = pickle.loads(packed)
        return super().submit(fn, *args)


def test_candidates_are_sent_as_deltas(tmp_path: Path) -> None:
    """A megabyte of noise is sent once, then its half, and hardly anything else."""
    data = Random(1).randbytes(1 << 20)
    executor = Recorder()
    oracle = RemoteOracle(executor, spec(tmp_path, "exit 0"), {"small.c": data}, Timeout())
    for start in range(0, len(data), len(data) // 64)[:40]:
        assert oracle({"small.c": data[start:]}).verdict is Verdict.INTERESTING
    bases = [size for size in executor.sent if size > 2000]
    assert [round(64 * size / len(data)) for size in bases] == [64, 31]


def test_the_limit_is_learned_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle_module, "_MIN_LIMIT_S", 0.0)
    timeout = Timeout()
    oracle = RemoteOracle(Recorder(), spec(tmp_path), {}, timeout)
    oracle({"small.c": b"no"})
    assert timeout.limit == 300
    said = oracle.explain({"small.c": b"yes"})
    assert timeout.limit == 10 * said.seconds


def test_a_test_that_is_not_there_for_the_worker(tmp_path: Path) -> None:
    missing = spec(tmp_path)
    missing.test.path.unlink()
    with pytest.raises(NubbinError, match="a worker of this run"):
        RemoteOracle(Recorder(), missing, {}, None)({"small.c": b"yes"})


def test_what_is_wrong_with_a_test_can_be_sent() -> None:
    error = pickle.loads(pickle.dumps(NubbinError("there is none")))
    assert isinstance(error, NubbinError)
    assert str(error) == "there is none"


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "input.c"
    path.write_bytes(TEXT)
    return path


def test_any_executor_comes_to_the_same(tmp_path: Path, source: Path, pool: Executor) -> None:
    test = script(tmp_path, CRASH)
    here = reduce(test, source, jobs=1, smallest=UNIT, output=tmp_path / "here.c")
    there = reduce(test, source, jobs=2, smallest=UNIT, executor=pool)
    assert there.data == here.data
    assert there.by_kind == here.by_kind
    assert there.minimal


def test_an_executor_that_breaks(tmp_path: Path, source: Path, pool: Executor) -> None:
    log, killed = tmp_path / "log", tmp_path / "killed"
    worker = pool.submit(os.getpid).result()
    once = f"echo >>{log}; [ $(wc -l <{log}) -ge 9 ] && mkdir {killed} 2>&- && kill -9 {worker}"
    test = script(tmp_path, f"{once}\n{CRASH}")
    undisturbed = script(tmp_path, CRASH, "whole.sh")
    whole = reduce(undisturbed, source, smallest=UNIT, output=tmp_path / "whole.c")
    broken = reduce(test, source, jobs=2, smallest=UNIT, executor=pool, record=tmp_path / "run")
    assert broken.reason == "workers-lost"
    assert broken.output.read_bytes() == broken.data
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as another:
        assert resume(tmp_path / "run", jobs=1, executor=another).data == whole.data
