"""A child that answers line by line, whatever it does with its pipes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from faults import PATIENCE_S, Tether, interrupted, names, script
from nubbin.oracles.processes import line_child
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin.oracles.processes.line_child import BadLine, LineChild, NoLine

SOON = 0.2  # seconds: long enough to see that nothing blocks
LARGE = b"x" * 1_000_000  # more than pipes hold

Start = Callable[..., LineChild]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a child in sh; it is closed at the end."""
    children: list[LineChild] = []

    def started(body: str, max_bytes: int = 100) -> LineChild:
        path = str(script(tmp_path, body, f"child{len(children)}.sh"))
        child = LineChild(
            [path], folder=str(tmp_path), environment=dict(os.environb), max_bytes=max_bytes
        )
        children.append(child)
        return child

    yield started
    for child in children:
        child.close()


def test_a_line_for_a_line(start: Start) -> None:
    child = start("exec cat", len(LARGE))
    for line in (b"one", b"", LARGE, b"two"):
        assert child.ask(line, 60) == line


@pytest.mark.parametrize("body", ["exec sleep 60", "exec 0<&-; sleep 60", "kill -STOP $$"])
def test_one_that_never_answers_costs_the_limit(start: Start, body: str) -> None:
    child = start(body)
    assert child.ask(LARGE, SOON) is None
    child.send(LARGE)
    assert child.wait(SOON) is None
    assert child.close() == -9


def test_one_that_answers_before_it_has_read_all(start: Start) -> None:
    skip = f"head -c 10 > /dev/null; echo early; head -c {len(LARGE) + 1 - 10} > /dev/null"
    child = start(f"{skip}; read line; echo $line")
    assert child.ask(LARGE, 60) == b"early"
    assert child.ask(b"late", 60) == b"late"


def test_the_question_of_a_switch_that_is_thrown_is_answered_later(
    start: Start, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "go")
    child = start("read line; read go < go; echo $line")
    token = CancelToken()
    token.cancel()
    with token.wake_descriptor() as wake:
        assert child.ask(b"x", 60, wake) is None
    (tmp_path / "go").write_text("go\n")
    assert child.wait(PATIENCE_S) == b"x"


def test_a_line_that_comes_unasked(start: Start, tmp_path: Path, tether: Tether) -> None:
    os.mkfifo(tmp_path / "go")
    child = start(f"read a; echo one; read go < go; echo two; echo up > {tether.path}; exec cat")
    assert child.ask(b"a", 60) == b"one"
    (tmp_path / "go").write_text("go\n")
    assert tether.read() == b"up\n"
    with pytest.raises(BadLine, match=r"printed b'two\\n' without being asked"):
        child.ask(b"b", 60)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("printf 'one\\ntwo\\n'; read more", r"more than one line: b'one\\ntwo\\n'"),
        ("printf 'one\\n\\n'; read more", "more than one line"),
        ("exec tr '\\0' x < /dev/zero", r"printed b'x{60}' \.\.\., more than 100 bytes"),
    ],
)
def test_more_than_a_line(start: Start, body: str, message: str) -> None:
    with pytest.raises(BadLine, match=message):
        start("read a; " + body).ask(b"", 60)


@pytest.mark.parametrize("body", ["exit 3", "read line; exit 3", "read line; echo -n part; exit 3"])
def test_one_that_ends(start: Start, body: str) -> None:
    child = start(body)
    with pytest.raises(NoLine):
        child.ask(b"", 60)
    assert child.close() == child.close() == 3


def test_one_that_has_ended_before_it_is_asked(start: Start, tether: Tether) -> None:
    child = start(f"exec 9> {tether.path}; echo up >&9; read line; echo $line")
    assert child.ask(b"x", 60) == b"x"
    assert tether.read() == b"up\n"
    tether.assert_cut()
    with pytest.raises(NoLine):
        child.ask(b"y", 60)


def test_what_was_not_sent_before_the_end_goes_nowhere(start: Start, tether: Tether) -> None:
    # One that was not found holds the pipe, so that it is full and not broken.
    holder = "setsid sh -c 'echo $$ >&9; exec sleep 60' <&3 &"
    child = start(f"exec 3<&0 9> {tether.path}; {holder} exec sleep 60")
    found = int(tether.read())
    child.send(LARGE)
    child.close()
    pipes = [os.pipe() for _ in range(3)]  # with the numbers of those that were closed
    try:
        assert child.stderr() == b""
        for reading, _ in pipes:
            os.set_blocking(reading, False)
            with pytest.raises(BlockingIOError):
                os.read(reading, 1)
    finally:
        os.kill(found, signal.SIGKILL)
        for each in (number for pipe in pipes for number in pipe):
            os.close(each)


def test_a_flood_of_errors_stops_nothing_and_is_cut(start: Start) -> None:
    child = start(
        "read line; echo begin >&2; head -c 10000000 /dev/zero >&2; echo end >&2; echo $line"
    )
    assert child.ask(b"x", 60) == b"x"
    assert child.stderr().startswith(b"begin\n\0\0")
    assert len(child.stderr()) < 70_000


def test_a_flood_of_errors_by_one_that_was_not_found(start: Start, tether: Tether) -> None:
    child = start(f"exec 9> {tether.path}; setsid sh -c 'echo up >&9; yes >&2' & read line")
    assert tether.read() == b"up\n"
    assert child.ask(b"x", SOON) is None  # it holds the output, too
    child.close()
    tether.assert_cut()  # nobody reads it any more


def test_the_group_ends_with_it(start: Start, tether: Tether) -> None:
    body = f"exec 9> {tether.path}; trap '' TERM HUP; sleep 60 & read line; echo $line; wait"
    child = start(body)
    assert child.ask(b"x", 60) == b"x"
    child.close()
    tether.assert_cut()


def test_descriptors_do_not_add_up(start: Start, tmp_path: Path) -> None:
    before = len(names(Path("/proc/self/fd")))
    with closing(start("exec cat")) as child:
        child.ask(b"x", 60)
    with pytest.raises(FileNotFoundError):
        LineChild([str(tmp_path / "none")], folder="/", environment={}, max_bytes=1)
    assert len(names(Path("/proc/self/fd"))) == before


def test_an_interrupt_at_any_instant_leaves_no_child(tmp_path: Path) -> None:
    """But where it comes while the very first pipes are made, which are lost."""
    with Tether(tmp_path) as tether:
        body = f"exec 9> {tether.path}; echo up >&9; exec sleep 1000"
        path = str(script(tmp_path, body))
        for after in count():
            opened = os.open(tether.path, os.O_WRONLY)

            def work() -> None:
                child = LineChild([path], folder="/", environment=dict(os.environb), max_bytes=1)
                child.close()

            came = interrupted(work, after, line_child.__file__)
            os.close(opened)
            tether.assert_cut(None)
            if not came:
                break
        assert after > 5
