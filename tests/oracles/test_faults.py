"""A test that misbehaves costs its limit and no more, and leaves nothing behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from faults import LIMITS_S, PATIENCE_S, Tether, names, script
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.isolation.query_folders import MARK
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin_core.verdict import Answer, Verdict

CANDIDATE = {"small.c": b"int main;"}

#: What a test may leave running, `PROGRAM` being what it runs, ready when `sync` is opened.
ESCAPES = {
    "a job": "PROGRAM &",
    "ignores signals": "trap '' TERM HUP INT; PROGRAM &",
    "a process group": "set -m; PROGRAM &",
    "under timeout": "timeout 1000 PROGRAM &",
    "a session": "setsid PROGRAM &",
    "a daemon": "(cd /; setsid PROGRAM &)",
    "no environment": "setsid env -i PATH=$PATH PROGRAM &",
}
PROGRAM = "sh -c 'echo > {sync}; exec sleep 1000'"


def run(folder: Path, body: str, limit: float = PATIENCE_S, *, explain: bool = False) -> Answer:
    """Ask; check that nothing is left on disk."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    with LocalOracle(
        OracleSpec(CommandTest.of(script(folder, body)), "small.c"), limit, folder=home
    ) as ask:
        answer = ask.explain(CANDIDATE) if explain else ask(CANDIDATE)
        (root,) = home.iterdir()
        assert names(root) == [MARK]
    assert list(home.iterdir()) == []
    return answer


def hung(folder: Path, tether: Tether, body: str, *, explain: bool = False) -> Answer:
    """Ask with a limit in which the test can say that it is up; then it hangs."""
    for limit in LIMITS_S:
        answer = run(folder, body, limit, explain=explain)
        assert answer.timed_out
        if tether.heard() == b"up\n":
            return answer
    raise AssertionError("it was never up")


@pytest.mark.parametrize("signals", [":", "trap '' TERM HUP INT QUIT"])
def test_a_hanging_test_is_killed(tmp_path: Path, tether: Tether, signals: str) -> None:
    body = f"exec 9> {tether.path}; {signals}; echo up >&9; sleep 1000; exit 0"
    answer = hung(tmp_path, tether, body)
    assert answer.verdict is Verdict.UNRESOLVED
    assert answer.exit_code == -9
    tether.assert_cut()


def escape(way: str, folder: Path, tether: Tether) -> str:
    """Return a script that starts a process in that way and goes on when it runs."""
    sync = folder / "sync"
    os.mkfifo(sync)
    start = ESCAPES[way].replace("PROGRAM", PROGRAM.format(sync=sync))
    return f"exec 9> {tether.path}; {start}\nread started < {sync}; echo up >&9"


@pytest.mark.parametrize("way", ESCAPES)
def test_what_a_test_leaves_running_ends_with_it(tmp_path: Path, tether: Tether, way: str) -> None:
    test = script(tmp_path, f"{escape(way, tmp_path, tether)}; exit 0")
    with LocalOracle(OracleSpec(CommandTest.of(test), "small.c"), PATIENCE_S) as ask:
        assert ask(CANDIDATE).verdict is Verdict.INTERESTING
        tether.assert_cut(b"up\n")


@pytest.mark.parametrize("way", ESCAPES)
def test_what_a_cancelled_test_started_ends_with_it(
    tmp_path: Path, tether: Tether, way: str
) -> None:
    test = script(tmp_path, f"{escape(way, tmp_path, tether)}; sleep 1000")
    home = tmp_path / "home"
    home.mkdir()
    with LocalOracle(OracleSpec(CommandTest.of(test), "small.c"), None, folder=home) as ask:
        token = CancelToken()
        outcome: list[BaseException | None] = []

        def query() -> None:
            with token.as_current(), pytest.raises(CancelledError) as raised:
                ask(CANDIDATE)
            outcome.append(raised.value)

        thread = threading.Thread(target=query)
        thread.start()
        assert tether.read() == b"up\n"
        token.cancel()
        tether.assert_cut()
        thread.join()
        assert outcome
        (root,) = home.iterdir()
        assert names(root) == [MARK]


def test_what_a_timed_out_test_started_ends_with_it(tmp_path: Path, tether: Tether) -> None:
    hung(tmp_path, tether, f"{escape('a session', tmp_path, tether)}; sleep 1000")
    tether.assert_cut()


def test_strays_of_earlier_queries_end_while_others_run(tmp_path: Path, tether: Tether) -> None:
    """The search for escaped processes now and then spares a query that runs."""
    go = tmp_path / "go"
    os.mkfifo(go)
    body = f"""
        grep -q slow small.c || exit 0
        exec 9> {tether.path}
        setsid sh -c 'echo up >&9; read x < {go}; echo survived >&9' &
        wait"""
    with (
        LocalOracle(
            OracleSpec(CommandTest.of(script(tmp_path, body)), "small.c"), PATIENCE_S
        ) as ask,
        ThreadPoolExecutor(1) as threads,
    ):
        slow = threads.submit(ask, {"small.c": b"slow"})
        assert tether.read() == b"up\n"
        ask(CANDIDATE)
        # Opened for both, so that this does not wait for a reader that should be there.
        with go.open("r+b", buffering=0) as pipe:
            pipe.write(b"go\n")
            assert slow.result().verdict is Verdict.INTERESTING
    tether.assert_cut(b"survived\n")


def test_a_flood_is_read_and_dropped(tmp_path: Path) -> None:
    body = "echo begin; head -c 100000000 /dev/zero; echo end"
    test = script(tmp_path, body)
    with LocalOracle(OracleSpec(CommandTest.of(test), "small.c"), PATIENCE_S) as ask:
        answer = ask.explain(CANDIDATE)
    assert answer.verdict is Verdict.INTERESTING
    assert answer.output.startswith(b"begin\n\0\0")
    assert answer.output.endswith(b"\0\0end\n")
    assert len(answer.output) < 70_000
    assert b"bytes left out" in answer.output


def test_a_flood_without_end_costs_the_time_limit(tmp_path: Path, tether: Tether) -> None:
    body = f"exec 9> {tether.path}; echo up >&9; yes & yes >&2"
    answer = hung(tmp_path, tether, body, explain=True)
    assert len(answer.output) < 70_000
    tether.assert_cut()


LITTER = {
    "more files": "mkdir -p a/b/c; touch x a/y a/b/z '\n' \"$(printf '\\377')\"",
    "a big file": "head -c 50000000 /dev/zero > big",
    "locked folders": "mkdir -p a/b/c; touch a/b/c/x; chmod 0 a/b/c a/b a .",
    "a locked candidate": "chmod 0 small.c",
    "no candidate": "rm small.c",
    "a folder for a candidate": "rm small.c; mkdir small.c; touch small.c/x",
    "no folder": 'rm -r "$PWD"',
    "a file for a folder": 'd=$PWD; cd /; rm -r "$d"; touch "$d"',
    "a moved folder": 'mv "$PWD" "$PWD.away"; touch more',
    "a named pipe": "mkfifo pipe",
    "a loop": "ln -s . loop; ln -s .. up; ln -s nowhere dangling",
    "a locked root": "chmod 0 ..",
}


@pytest.mark.parametrize("kind", LITTER)
def test_litter_goes(tmp_path: Path, kind: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with LocalOracle(
        OracleSpec(CommandTest.of(script(tmp_path, LITTER[kind])), "small.c"),
        PATIENCE_S,
        folder=home,
    ) as ask:
        assert ask(CANDIDATE).verdict is Verdict.INTERESTING
    assert list(home.iterdir()) == []


def test_a_very_deep_folder_goes(tmp_path: Path) -> None:
    test = tmp_path / "deep.py"
    test.write_text(
        "#!/usr/bin/env python3\nimport os\n"
        "for _ in range(100):\n    os.mkdir('d' * 200)\n    os.chdir('d' * 200)\n"
    )
    test.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    with LocalOracle(OracleSpec(CommandTest.of(test), "small.c"), PATIENCE_S, folder=home) as ask:
        assert ask(CANDIDATE).verdict is Verdict.INTERESTING
        (root,) = home.iterdir()
        assert names(root) == [MARK]


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "small.c").write_text("the user's")
    (precious / "more").write_text("the user's, too")
    run(tmp_path, f'd=$PWD; cd /; rm -r "$d"; ln -s {precious} "$d"')
    assert names(precious) == ["more", "small.c"]


def test_a_test_that_removes_the_root_costs_its_own_query_only(tmp_path: Path) -> None:
    test = script(tmp_path, 'grep -q bad small.c && rm -rf "$PWD/.."; exit 0')
    with LocalOracle(
        OracleSpec(CommandTest.of(test), "small.c"), PATIENCE_S, folder=tmp_path
    ) as ask:
        ask({"small.c": b"bad"})
        assert ask(CANDIDATE).verdict is Verdict.INTERESTING
    assert names(tmp_path) == ["test.sh"]


def _open_places() -> Iterator[str]:
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            yield str(descriptor.readlink())


def test_descriptors_do_not_add_up(tmp_path: Path) -> None:
    def open_now() -> int:
        # Without /proc itself, at which the monitor may look at any moment.
        return sum(not place.startswith("/proc") for place in _open_places())

    before = open_now()
    with closing(
        LocalOracle(OracleSpec(CommandTest.of(script(tmp_path, "exit 0")), "small.c"), PATIENCE_S)
    ) as ask:
        after_one = None
        for _ in range(5):
            ask(CANDIDATE)
            ask.explain(CANDIDATE)
            after_one = after_one or open_now()
            assert open_now() == after_one
    assert open_now() == before


def test_nobody_closes_it(tmp_path: Path) -> None:
    ask = LocalOracle(
        OracleSpec(CommandTest.of(script(tmp_path, "exit 0")), "small.c"),
        PATIENCE_S,
        folder=tmp_path,
    )
    ask(CANDIDATE)
    del ask
    assert names(tmp_path) == ["test.sh"]
