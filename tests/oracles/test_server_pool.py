"""Tests that are started once: servers asked by the line, and functions forked per query."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from faults import PATIENCE_S, Tether, names, script
from nubbin.oracles.isolation.candidate_files import Candidate
from nubbin.oracles.isolation.query_folders import QueryFolders
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.oracle import Timeout
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Answer, Verdict
from started_once import asked, asked_slow, function, server, verdicts

INTERESTING, UNINTERESTING, UNRESOLVED = Verdict


@pytest.fixture(autouse=True, scope="module")
def time_enough() -> None:
    """Keep the usual limits here: they are learned from how long servers take."""


TELLS = """
if grep -q cannot "$line"; then echo unresolved
elif grep -q bug "$line"; then echo interesting
else echo uninteresting; fi"""

FINDS = """
found = path.read_bytes()
return None if b"cannot" in found else b"bug" in found"""

CONTENTS = (b"a bug", b"none", b"cannot say", b"two bugs")
VERDICTS = [INTERESTING, UNINTERESTING, UNRESOLVED, INTERESTING]
KINDS: list[Callable[[Path], UserTest]] = [
    lambda folder: server(folder, TELLS),
    lambda folder: function(folder, FINDS),
]
either = pytest.mark.parametrize("made", KINDS, ids=["server", "python"])


@either
def test_verdicts(tmp_path: Path, made: Callable[[Path], UserTest]) -> None:
    answers = asked(made(tmp_path), *CONTENTS)
    assert verdicts(answers) == VERDICTS
    assert [answer.cold for answer in answers] == [True, False, False, False]


@either
def test_a_folder(tmp_path: Path, made: Callable[[Path], UserTest]) -> None:
    test = made(tmp_path)
    with LocalOracle(OracleSpec(test, "proj"), PATIENCE_S) as ask:
        answer = ask({"proj/a.c": b"bug", "proj/sub/b.c": b""})
    # grep and read_bytes refuse folders, so both got one.
    assert answer.verdict is UNINTERESTING


def test_a_server_is_started_once_and_asked_by_absolute_path(tmp_path: Path) -> None:
    log = tmp_path / "log"
    # Noted before it is answered: after its last answer a server may be stopped at once.
    body = f'echo "$line" >> {log}; case "$line" in /*/small.c) echo interesting;; esac'
    test = server(tmp_path, body, start=f"echo up >> {log}")
    assert verdicts(asked(test, b"1", b"2", b"3")) == [INTERESTING] * 3
    up, *paths = log.read_text().splitlines()
    assert up == "up"
    assert len(set(paths)) == 3


def test_as_many_servers_as_queries_at_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    # Each waits for the other.
    both_there = f"[ -d {tmp_path}/a ] && [ -d {tmp_path}/b ]"
    body = f'mkdir "$(cat "$line")"; until {both_there}; do :; done'
    test = server(tmp_path, f"{body}\necho interesting", start=f"echo up >> {log}")
    with (
        LocalOracle(OracleSpec(test, "small.c"), PATIENCE_S) as ask,
        ThreadPoolExecutor(2) as threads,
    ):
        both = [
            threads.submit(ask, {"small.c": str(tmp_path / name).encode()}) for name in ("a", "b")
        ]
        assert [each.result().verdict for each in both] == [INTERESTING] * 2
        ask({"small.c": str(tmp_path / "c").encode()})
    assert log.read_text() == "up\nup\n"


def test_a_server_that_ends_is_replaced_and_asked_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    body = f"""
        echo $$ >> {log}
        if grep -q later "$line" && [ "$(grep -c $$ {log})" -gt 1 ]; then exit 3; fi
        echo interesting"""
    answers = asked(server(tmp_path, body), b"now", b"later", b"now")
    assert verdicts(answers) == [INTERESTING] * 3
    pids = log.read_text().split()
    assert pids[0] == pids[1]
    assert pids[2] == pids[3] != pids[0]


def test_a_candidate_that_ends_every_server_is_unresolved(tmp_path: Path) -> None:
    body = 'if grep -q fatal "$line"; then echo "I die" >&2; exit 3; fi; echo interesting'
    answers = asked(server(tmp_path, body), b"fine", b"fatal", b"fine")
    assert verdicts(answers) == [INTERESTING, UNRESOLVED, INTERESTING]
    assert (answers[1].exit_code, answers[1].output, answers[1].timed_out) == (3, b"I die\n", False)


@pytest.mark.parametrize("said", ["yes", "", "interesting interesting", "interestin"])
def test_other_answers_are_a_mistake_of_the_server(tmp_path: Path, said: str) -> None:
    with pytest.raises(NubbinError, match="must print one line"):
        asked(server(tmp_path, f"echo {said}"), b"")


def test_a_flood_is_a_mistake_of_the_server(tmp_path: Path) -> None:
    with pytest.raises(NubbinError, match="must print one line"):
        asked(server(tmp_path, "tr '\\0' x < /dev/zero"), b"")


def test_a_hanging_server_costs_the_limit_and_is_replaced(tmp_path: Path, tether: Tether) -> None:
    hang = f"setsid sh -c 'echo up >&9; exec sleep 1000' 9> {tether.path}"
    body = f'if grep -q slow "$line"; then {hang}; fi; echo interesting'
    answers = asked_slow(server(tmp_path, body), tether)
    assert verdicts(answers) == [INTERESTING, UNRESOLVED, INTERESTING]
    assert [answer.timed_out for answer in answers] == [False, True, False]
    tether.assert_cut()


@either
def test_nothing_is_left(tmp_path: Path, made: Callable[[Path], UserTest]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with LocalOracle(OracleSpec(made(tmp_path), "small.c"), PATIENCE_S, folder=home) as ask:
        ask({"small.c": b"bug"})
    assert names(home) == []


def test_a_server_ends_with_the_oracle(tmp_path: Path, tether: Tether) -> None:
    test = server(tmp_path, TELLS, start=f"exec 9> {tether.path}; echo up >&9; trap '' HUP TERM")
    with LocalOracle(OracleSpec(test, "small.c"), PATIENCE_S) as ask:
        ask({"small.c": b"bug"})
        assert tether.read() == b"up\n"
    tether.assert_cut()


@pytest.mark.parametrize("kind", ["server", "python"])
def test_a_cancelled_question_ends_at_once(tmp_path: Path, tether: Tether, kind: str) -> None:
    """A function's fork is killed; a server may need its time, and is asked nothing until then."""
    if kind == "server":
        body = f'if grep -q slow "$line"; then echo -n up > {tether.path}; sleep 1000; fi'
        test = server(tmp_path, f"{body}\necho interesting")
    else:
        body = f"fifo = os.open({str(tether.path)!r}, os.O_WRONLY)\nos.write(fifo, b'up')"
        slow = f"if path.read_bytes() == b'slow':\n    {body.replace(chr(10), chr(10) + '    ')}"
        test = function(tmp_path, f"{slow}\n    time.sleep(1000)\nreturn True")
    with LocalOracle(OracleSpec(test, "small.c"), PATIENCE_S) as ask:
        ask({"small.c": b"fast"})
        ask({"small.c": b"fast"})
        token = CancelToken()
        raised: list[BaseException] = []

        def query() -> None:
            with token.as_current(), pytest.raises(CancelledError) as error:
                ask({"small.c": b"slow"})
            raised.append(error.value)

        thread = threading.Thread(target=query)
        thread.start()
        assert tether.read() == b"up"
        token.cancel()
        thread.join()
        assert raised
        assert ask({"small.c": b"fast"}).verdict is INTERESTING


def test_a_server_that_answers_after_all_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It cannot stop, so even a question that is cancelled at once takes its time."""
    monkeypatch.setattr(Timeout, "learn", lambda *_: None)  # it is waited for half a minute
    log = tmp_path / "log"
    slow = 'if grep -q slow "$line"; then sleep 0.3; fi; echo interesting'
    test = server(tmp_path, slow, start=f"echo up >> {log}")
    cancelled = CancelToken()
    cancelled.cancel()
    with LocalOracle(OracleSpec(test, "small.c"), 60.0) as ask:
        ask({"small.c": b"fast"})
        with cancelled.as_current(), pytest.raises(CancelledError):
            ask({"small.c": b"slow"})
        assert ask({"small.c": b"fast"}).verdict is INTERESTING
    assert log.read_text() == "up\n"


@pytest.mark.parametrize("body", ["exec sleep 600", "while read -r line; do sleep 600; done"])
def test_a_server_that_never_answers_costs_the_limit(tmp_path: Path, body: str) -> None:
    """And nothing on top, for its start or if the question is given up meanwhile."""
    test = ServerTest.of(str(script(tmp_path, body)))
    (answer,) = asked(test, b"", timeout=0.1)
    assert (answer.verdict, answer.timed_out, answer.cold) == (UNRESOLVED, True, True)


def test_a_start_that_is_given_up_is_not_waited_for(tmp_path: Path) -> None:
    """A server that has not started does not get as long again when its question is cancelled."""
    cancelled = CancelToken()
    cancelled.cancel()
    test = ServerTest.of(str(script(tmp_path, "exec sleep 1000")))
    with (
        LocalOracle(OracleSpec(test, "small.c"), None) as ask,
        cancelled.as_current(),
        pytest.raises(CancelledError),
    ):
        ask({"small.c": b""})


def test_a_line_too_many_is_no_answer_to_the_next_question(tmp_path: Path, tether: Tether) -> None:
    """Otherwise each answer would be that to the question before."""
    os.mkfifo(tmp_path / "go")
    late = f"read go < {tmp_path}/go; echo interesting; echo up > {tether.path}"
    test = server(tmp_path, f"{TELLS}\n{late}")
    with LocalOracle(OracleSpec(test, "small.c"), PATIENCE_S) as ask:
        assert ask({"small.c": b"bug"}).verdict is INTERESTING
        (tmp_path / "go").write_text("go\n")
        assert tether.read() == b"up\n"
        with pytest.raises(NubbinError, match=r"printed b'interesting\\n' without being asked"):
            ask({"small.c": b"none"})


@either
def test_a_late_cancel_does_not_reach_the_next_question(
    tmp_path: Path, made: Callable[[Path], UserTest]
) -> None:
    """It is held up until its question is answered and the next one is asked."""
    up, go = tmp_path / "up", tmp_path / "go"
    os.mkfifo(up)
    os.mkfifo(go)
    if made is KINDS[0]:
        test = server(tmp_path, f"echo -n up > {up}; read go < {go}\n{TELLS}")
    else:
        pipes = f"open('{up}', 'w').write('up'); open('{go}').read()"
        test = function(tmp_path, f"{pipes}{FINDS}")
    first = CancelToken()
    cancelling, second_asked = threading.Event(), threading.Event()
    answers: list[Answer] = []

    def hold_up() -> None:
        cancelling.set()
        second_asked.wait(0.5)  # in vain, if the first question cannot end before the cancel

    folders = QueryFolders(tmp_path)
    with closing(test.runner(folders)) as runner:

        def ask(token: CancelToken) -> None:
            folder = folders.workspace.new_folder()
            path = Path(folder, "small.c")
            path.write_bytes(b"bug")
            with token.as_current():
                answers.append(
                    runner.run(Candidate(folder, str(path), True), PATIENCE_S, explain=False)
                )

        def work() -> None:
            with first.on_cancel(hold_up):
                ask(first)
            ask(CancelToken())

        threads = [threading.Thread(target=each) for each in (work, first.cancel)]
        threads[0].start()
        assert up.read_text() == "up"
        threads[1].start()
        cancelling.wait()
        go.write_text("go\n")
        assert up.read_text() == "up"
        second_asked.set()
        threads[1].join()
        go.write_text("go\n")
        threads[0].join()
    folders.close()
    assert answers[1].verdict is INTERESTING
    assert not answers[1].timed_out
