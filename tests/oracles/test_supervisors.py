"""Whatever a test starts ends with its query, and nothing else does."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest

from faults import PATIENCE_S, Tether, interrupted, script
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.processes import supervisors
from nubbin.oracles.processes.descendants import Killing
from nubbin.oracles.processes.process import Running
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin_core.verdict import Verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")

#: Nothing of it tells of its query: neither environment, folder, group, session nor parent.
HIDDEN = "env -i /usr/bin/setsid /bin/sh -c 'cd /; (sleep 77777 & echo up >&9) & exec sleep 77777'"
SLEEPS = [sys.executable, "-c", "import signal; print(flush=True); signal.pause()"]


@pytest.mark.parametrize("line", ["exit 0", "exit 1", "sleep 1000"], ids=["yes", "no", "hangs"])
def test_a_process_without_any_trace_of_its_query(
    tmp_path: Path, tether: Tether, line: str
) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    body = (
        f"exec 9> {tether.path}; {HIDDEN.replace('>&9', f'>&9; echo on > {go}')} & read on < {go}"
    )
    test = CommandTest.of(script(tmp_path, f"{body}; {line}"))
    with LocalOracle(OracleSpec(test, "x.txt"), 3.0 if "sleep" in line else PATIENCE_S) as ask:
        answer = ask({"x.txt": b""})
        tether.assert_cut(b"up\n" if "sleep" not in line else None)  # before the oracle is closed
        assert answer.timed_out == ("sleep" in line)


@pytest.mark.parametrize("kind", ["valid", "differs"])
def test_so_of_other_commands_of_a_condition(tmp_path: Path, tether: Tether, kind: str) -> None:
    leaves = script(tmp_path, f"exec 9> {tether.path}; {HIDDEN} & exit 0", "leaves.sh")
    line = f"{leaves} {{}}"
    guard = Conditions(exits="0", valid=(line,))
    conditions = guard if kind == "valid" else Conditions(exits="0", differs=line)
    test = RunTest.of("true {}", conditions)
    with LocalOracle(OracleSpec(test, "x.txt"), PATIENCE_S) as ask:
        ask({"x.txt": b""})
        tether.assert_cut(None)


def test_so_of_a_function(tmp_path: Path, tether: Tether) -> None:
    leaves = f"exec 9> {tether.path}; {HIDDEN} & :"
    file = tmp_path / "function.py"
    file.write_text(f"import os\ndef check(path):\n    return not os.system({leaves!r})\n")
    with LocalOracle(OracleSpec(PythonTest.of(f"{file}:check"), "x.txt"), PATIENCE_S) as ask:
        assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING
        tether.assert_cut(None)
        assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING


def test_what_the_module_of_a_function_started_stays(tmp_path: Path) -> None:
    file = tmp_path / "function.py"
    file.write_text(
        "import os, subprocess\n"
        "helper = subprocess.Popen(['sleep', '1000'])\n"
        "def check(path):\n"
        "    os.kill(helper.pid, 0)\n"
        "    return open(f'/proc/{helper.pid}/stat').read().split()[2] != 'Z'\n"
    )
    with LocalOracle(OracleSpec(PythonTest.of(f"{file}:check"), "x.txt"), PATIENCE_S) as ask:
        for _ in range(3):
            assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING


def test_so_of_a_server_at_its_end(tmp_path: Path, tether: Tether) -> None:
    answers = "while read path; do echo interesting; done"
    server = script(tmp_path, f"exec 9> {tether.path}; {HIDDEN} & {answers}")
    with LocalOracle(OracleSpec(ServerTest.of(str(server)), "x.txt"), PATIENCE_S) as ask:
        assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING
    tether.assert_cut(None)


DRIVER = """
import sys
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.commands.command_test import CommandTest
with LocalOracle(OracleSpec(CommandTest.of(sys.argv[1]), "x.txt"), None) as ask:
    ask({"x.txt": b""})
"""


def test_so_if_nubbin_is_killed(tmp_path: Path, tether: Tether) -> None:
    test = script(tmp_path, f"exec 9> {tether.path}; {HIDDEN} & sleep 1000")
    with subprocess.Popen([sys.executable, "-c", DRIVER, test]) as run:
        assert tether.read() == b"up\n"
        run.kill()
    tether.assert_cut(None)


@pytest.mark.parametrize("how", ["KILL", "STOP", "TERM", "INT", "HUP", "TSTP"])
def test_signals_to_the_parent(tmp_path: Path, tether: Tether, how: str) -> None:
    """If it is killed, so is the test; else nothing happens. The next query is asked as ever."""
    body = f"grep -q small x.txt && exit 0; exec 9> {tether.path}; {HIDDEN} & kill -{how} $PPID"
    test = CommandTest.of(script(tmp_path, f"{body}; [ {how} != KILL ] || sleep 1000"))
    with LocalOracle(OracleSpec(test, "x.txt"), PATIENCE_S) as ask:
        answer = ask({"x.txt": b"big"})
        assert answer.verdict is (Verdict.UNRESOLVED if how == "KILL" else Verdict.INTERESTING)
        tether.assert_cut(None)
        assert ask({"x.txt": b"small"}).verdict is Verdict.INTERESTING


def test_the_fork_server_is_killed_as_well(tmp_path: Path) -> None:
    server = "$(cut -d' ' -f4 /proc/$PPID/stat)"
    body = f"grep -q small x.txt && exit 0; kill -KILL {server} $PPID; sleep 5"
    with LocalOracle(
        OracleSpec(CommandTest.of(script(tmp_path, body)), "x.txt"), PATIENCE_S
    ) as ask:
        assert ask({"x.txt": b"big"}).verdict is Verdict.UNRESOLVED
        assert ask({"x.txt": b"small"}).verdict is Verdict.INTERESTING


def test_a_test_that_kills_the_supervisor_of_another_changes_no_other_answer(
    tmp_path: Path,
) -> None:
    up, go = tmp_path / "up", tmp_path / "go"
    for pipe in (up, go):
        os.mkfifo(pipe)
    waits = f"[ -p {up} ] && echo $PPID > {up} && rm {up} && read on < {go}; exit 0"
    body = f"if grep -q waits x.txt; then {waits}; fi; kill -KILL $(cat x.txt); exit 1"
    test = CommandTest.of(script(tmp_path, body))
    with (
        LocalOracle(OracleSpec(test, "x.txt"), PATIENCE_S) as ask,
        ThreadPoolExecutor(2) as threads,
    ):
        waiting = threads.submit(ask, {"x.txt": b"waits"})
        supervisor = up.read_bytes()
        assert ask({"x.txt": supervisor}).verdict is Verdict.UNINTERESTING
        assert waiting.result().verdict is Verdict.INTERESTING


def test_a_system_that_kills_all_supervisors(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = "supervisor._supervise = lambda *_: None\nsupervisor.main()"
    monkeypatch.setattr(
        supervisors, "_START", supervisors._START.replace("supervisor.main()", ends)
    )
    with (
        closing(supervisors.Supervisors()) as killed,
        pytest.raises(ChildProcessError, match="again"),
    ):
        started(killed, "true", os.open(os.devnull, os.O_RDWR))


def started(by: supervisors.Supervisors, line: str, stream: int) -> Running:
    command = ["/bin/sh", "-c", line]
    streams = stream, stream, stream
    return by.start("me", command, folder="/", environment=dict(os.environb), streams=streams)


def test_an_interrupt_at_any_instant_leaves_no_command_and_no_supervisor() -> None:
    with closing(supervisors.Supervisors()) as ours:
        for after in count():
            here, there = socket.socketpair()

            def work(stream: int = there.fileno()) -> None:
                with started(ours, "exec sleep 1000", stream) as running:
                    running.wait(0)
                    running.kill()
                    running.wait(None)
                assert running.exit_code == -signal.SIGKILL

            came = interrupted(work, after, "oracles/processes/supervisors.py")
            there.close()
            assert here.recv(1) == b"", "nobody has it open any more"
            here.close()
            assert ours.processes() == {}

            here, there = socket.socketpair()
            with started(ours, "echo $$; read on; exit 3", there.fileno()) as running:
                assert ours.processes() == {"me": [int(here.recv(100))]}
                here.send(b"on\n")
                running.wait(None)
            assert running.exit_code == 3
            here.close()
            there.close()
            if not came:
                break
    assert after > 40


# -- innocent processes --------------------------------------------------------------------------


@contextmanager
def sleeping(folder: Path, **more: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        SLEEPS, cwd=folder, stdout=subprocess.PIPE, env={**os.environ, **more}
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            yield process
        finally:
            process.kill()


def test_processes_that_no_test_started_survive(tmp_path: Path) -> None:
    """A shell that somebody sent to a query's folder, and one whose TMPDIR names it."""
    up, go = tmp_path / "up", tmp_path / "go"
    os.mkfifo(up)
    os.mkfifo(go)
    test = CommandTest.of(script(tmp_path, f"pwd > {up}; read on < {go}; exit 1"))
    with LocalOracle(OracleSpec(test, "x.txt"), PATIENCE_S) as ask, ThreadPoolExecutor(1) as thread:
        answer = thread.submit(ask, {"x.txt": b""})
        folder = Path(up.read_text().strip())
        with (
            sleeping(folder) as visitor,
            sleeping(Path("/"), TMPDIR=str(folder)) as namesake,
            sleeping(Path("/")) as stranger,
        ):
            go.write_text("on")
            answer.result()
            ask.close()
            assert not folder.exists()
            assert [each.poll() for each in (visitor, namesake, stranger)] == [None] * 3


# -- what cannot be ended ------------------------------------------------------------------------


def test_what_cannot_be_ended_is_said_at_the_end(
    tmp_path: Path, tether: Tether, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = "import os\ndef refuse(*_): raise PermissionError\nos.kill = refuse\n"
    monkeypatch.setattr(supervisors, "_START", refused + supervisors._START)  # as of another user's
    go = tmp_path / "go"
    os.mkfifo(go)
    stays = f"setsid sh -c 'echo $$ >&9; echo on > {go}; exec sleep 1000'"
    test = script(tmp_path, f"exec 9> {tether.path}; {stays} & read on < {go}")
    with (
        pytest.warns(RuntimeWarning, match=r"could not be ended: sleep \(\d+\), sleep \(\d+\)\. "),
        LocalOracle(OracleSpec(CommandTest.of(test), "x.txt"), PATIENCE_S) as ask,
    ):
        assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING
        assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING
    for pid in tether.read().split():
        os.kill(int(pid), signal.SIGKILL)


def test_what_still_runs_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = "print(flush=True)\nwhile True: pass"
    with (
        subprocess.Popen([sys.executable, "-c", busy], stdout=subprocess.PIPE) as runs,
        subprocess.Popen(["sleep", "1000"]) as hangs,
    ):
        assert runs.stdout is not None
        runs.stdout.readline()
        with monkeypatch.context() as patch:
            patch.setattr(os, "kill", lambda *_: None)  # as if both took long to end
            killing = Killing()
            assert all(killing.go_on([hangs.pid, runs.pid]) for _ in range(1000))
            assert not all(killing.go_on([hangs.pid]) for _ in range(1000))
        for each in (runs, hangs):
            each.kill()


def test_a_system_without_subreapers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unable = "import ctypes; del ctypes.CDLL\n"
    monkeypatch.setattr(supervisors, "_START", unable + supervisors._START)
    test = script(tmp_path, "exit 0")
    with LocalOracle(OracleSpec(CommandTest.of(test), "x.txt"), PATIENCE_S) as ask:
        assert ask({"x.txt": b""}).verdict is Verdict.INTERESTING


def test_a_command_inherits_nothing_but_its_streams(tmp_path: Path) -> None:
    test = CommandTest.of(script(tmp_path, "ls /proc/$$/fd"))
    with LocalOracle(OracleSpec(test, "x.txt"), PATIENCE_S) as ask:
        for _ in range(2):
            open_files = ask.explain({"x.txt": b""}).output.split()
            assert {int(each) for each in open_files} <= {0, 1, 2, 10}  # 10: the shell's script


@pytest.mark.parametrize("what", ["../*", "../../*", '"$(cd ../.. && pwd)"'])
def test_a_test_that_removes_more_than_its_own_changes_no_other_answer(
    tmp_path: Path, what: str
) -> None:
    up, gone, go = tmp_path / "up", tmp_path / "gone", tmp_path / "go"
    for pipe in (up, gone, go):
        os.mkfifo(pipe)
    # What is made again does not meet anybody.
    waits = f"[ -p {up} ] && echo > {up} && rm {up} && read on < {go}; [ -e x.txt ]; exit $?"
    removes = f"rm -rf {what}; [ -p {gone} ] && echo > {gone} && rm {gone}; [ ! -e x.txt ]"
    body = f"if grep -q waits x.txt; then {waits}; fi; {removes}"
    test = CommandTest.of(script(tmp_path, body))
    with (
        LocalOracle(OracleSpec(test, "x.txt"), PATIENCE_S) as ask,
        ThreadPoolExecutor(2) as threads,
    ):
        answers = [threads.submit(ask, {"x.txt": b"waits"})]
        up.read_text()
        answers.append(threads.submit(ask, {"x.txt": b""}))
        gone.read_text()
        go.write_text("on\n")
        assert [each.result().verdict for each in answers] == [Verdict.INTERESTING] * 2
