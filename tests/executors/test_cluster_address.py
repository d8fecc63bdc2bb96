"""Addresses without a cluster: one paragraph says so, and soon."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from faults import PATIENCE_S, names, script
from nubbin.cli import main
from nubbin.executors import cluster_executor as module
from nubbin.executors.cluster_executor import ClusterExecutor
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "work" / "input.c"
    path.parent.mkdir()
    path.write_bytes(b"boom")
    return path


SILENT, GARBAGE, NOTHING = None, b"HTTP/1.1 400 Bad Request\r\n\r\n" * 9, b""


@contextmanager
def port(answer: bytes | None) -> Iterator[str]:
    """Accept connections at an address; say nothing, or something and then no more."""
    accepted = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                accepted.append(listening.accept()[0])
                if answer is not None:
                    accepted[-1].sendall(answer)
                    accepted[-1].shutdown(socket.SHUT_RDWR)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in accepted:
                connection.close()


@pytest.mark.parametrize("answer", [SILENT, GARBAGE, NOTHING], ids=["silent", "garbage", "nothing"])
def test_what_is_no_scheduler(
    answer: bytes | None, tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CONNECT_TIMEOUT_S", 0.5)
    with port(answer) as address, pytest.raises(NubbinError, match="no Dask scheduler") as raised:
        reduce(script(tmp_path, "grep -q boom input.c"), source, cluster=address)
    assert address in str(raised.value)
    assert names(source.parent) == ["input.c"]


@pytest.mark.parametrize("answer", [GARBAGE, NOTHING], ids=["garbage", "nothing"])
def test_of_what_is_no_scheduler_only_we_tell(answer: bytes, tmp_path: Path, source: Path) -> None:
    test = script(tmp_path, "grep -q boom input.c")
    with port(answer) as address:
        ended = subprocess.run(
            [sys.executable, "-m", "nubbin", "reduce", "--cluster", address, test, source],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("nubbin: There is no Dask scheduler to be reached at ")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "address", ["local:0", "local:-1", "local:", "local:2.5", "local:two", " "]
)
def test_a_wrong_address_is_a_usage_error(address: str, tmp_path: Path, source: Path) -> None:
    test = script(tmp_path, "grep -q boom input.c")
    for command in (["reduce", test, source], ["resume", tmp_path]):
        ended = CliRunner().invoke(main, [*map(str, command), "--cluster", address])
        assert ended.exit_code == 2
        assert "Invalid value for '--cluster': There is no Dask scheduler" in ended.stderr
    with pytest.raises(NubbinError, match="no Dask scheduler to be reached"):
        reduce(test, source, cluster=address)
    with pytest.raises(NubbinError, match="no Dask scheduler to be reached"):
        ClusterExecutor(address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "local:none"])
def test_a_cluster_that_cannot_be_reached(
    address: str, tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CONNECT_TIMEOUT_S", 0.1)
    with pytest.raises(NubbinError, match=f"no Dask scheduler to be reached at {address}: "):
        reduce(script(tmp_path, "grep -q boom input.c"), source, cluster=address)
    assert names(source.parent) == ["input.c"]


def test_without_dask(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "nubbin.executors.cluster_executor")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NubbinError, match=r"pip install 'nubbin\[cluster\]'"):
        reduce(script(tmp_path, "grep -q boom input.c"), source, cluster="tcp://host:8786")
