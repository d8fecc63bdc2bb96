"""Inputs that are streams: from any kind of open file, in pieces of any size."""

from __future__ import annotations

import fcntl
import os
import resource
import socket
import threading
from pathlib import Path

import pytest

from nubbin import user_paths
from nubbin.user_paths import descriptor_of, read_stream

DATA = bytes(range(256)) * 1000


@pytest.mark.parametrize(
    ("path", "descriptor"),
    [
        ("-", 0),
        ("/dev/stdin", 0),
        ("/dev/fd/63", 63),
        ("/proc/self/fd/7", 7),
        ("/dev/fd/", None),
        ("/dev/fd/x", None),
        ("/dev/fd/\u0663", None),
        (f"/dev/fd/{10**30}", None),
        ("/dev/null", None),
        ("stdin", None),
    ],
)
def test_what_is_a_stream(path: str, descriptor: int | None) -> None:
    assert descriptor_of(Path(path)) == descriptor


@pytest.mark.parametrize("blocking", [True, False])
def test_a_pipe_is_read_to_its_end(blocking: bool) -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, blocking)

    def write() -> None:
        with os.fdopen(writer, "wb", buffering=0) as pipe:
            for start in range(0, len(DATA), 999):
                pipe.write(DATA[start : start + 999])

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert read_stream(reader) == DATA
    finally:
        thread.join()
        os.close(reader)


def test_a_socket_and_a_file_can_be_read(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(b"sent")
        assert read_stream(ours.fileno()) == b"sent"
    (tmp_path / "file").write_bytes(DATA)
    with (tmp_path / "file").open("rb") as file:
        assert read_stream(file.fileno()) == DATA


def test_a_descriptor_may_have_a_large_number(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(DATA)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= hard < 2000:
        pytest.skip("no descriptor may have a number that select() does not take")
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft if soft >= 2000 or soft < 0 else 2000, hard))
    try:
        with (tmp_path / "file").open("rb") as file:
            large = fcntl.fcntl(file, fcntl.F_DUPFD, 1500)
        with os.fdopen(large, "rb"):
            assert read_stream(large) == DATA
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_stream_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_paths, "MAX_BYTES", 1 << 20)
    with Path("/dev/zero").open("rb") as endless, pytest.raises(OSError, match="has not ended"):
        read_stream(endless.fileno())
