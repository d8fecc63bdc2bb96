"""Tests that are started once: servers asked by the line, and functions forked per query."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path

import pytest

from faults import LIMITS_S, PATIENCE_S, Tether, names, script
from nubbin.oracles.cancellation import Switch
from nubbin.oracles.errors import BadTest, NoSuchTest
from nubbin.oracles.local import LocalOracle
from nubbin.oracles.oracle import Answer
from nubbin.oracles.timeout import Timeout
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict

INTERESTING, UNINTERESTING, UNRESOLVED = Verdict


@pytest.fixture
def tether(tmp_path: Path) -> Iterator[Tether]:
    with Tether(tmp_path) as tether:
        yield tether


def server(folder: Path, body: str, *, start: str = ":") -> UserTest:
    """Return a server in sh that runs `body` for each line, which is in $line."""
    loop = f"{start}\nwhile read -r line; do\n{body}\ndone"
    return UserTest.server(str(script(folder, loop, "server.sh")))


def function(folder: Path, body: str, *, top: str = "") -> UserTest:
    """Return a Python function `check(path)` with a body."""
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    file = folder / "tests_of_mine.py"
    file.write_text(f"import os, sys, time\n{top}\ndef check(path):\n{indented}\n")
    return UserTest.python(f"{file}:check")


def asked(test: UserTest, *contents: bytes) -> list[Answer]:
    with LocalOracle(test, "small.c", timeout=PATIENCE_S) as ask:
        return [ask.explain({"small.c": each}) for each in contents]


@pytest.fixture(autouse=True, scope="module")
def time_enough() -> None:
    """How long servers are waited for is learned here from how long they take, as always."""


class Given(Timeout):
    """A limit that the test gives, from question to question."""

    seconds = PATIENCE_S

    @property
    def limit(self) -> float:
        return self.seconds


def asked_slow(test: UserTest, tether: Tether) -> list[Answer]:
    """Ask `fast`, then `slow`, which has to say that it is up and to hang then, then `fast`."""
    given = Given()
    with LocalOracle(test, "small.c", timeout=given) as ask:
        first = ask.explain({"small.c": b"fast"})
        for given.seconds in LIMITS_S:
            slow = ask.explain({"small.c": b"slow"})
            if tether.heard():
                break
        given.seconds = PATIENCE_S
        return [first, slow, ask.explain({"small.c": b"fast"})]


def verdicts(answers: list[Answer]) -> list[Verdict]:
    return [answer.verdict for answer in answers]


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
    with LocalOracle(test, "proj", timeout=PATIENCE_S) as ask:
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
    with LocalOracle(test, "small.c", timeout=PATIENCE_S) as ask, ThreadPoolExecutor(2) as threads:
        both = [
            threads.submit(ask, {"small.c": str(tmp_path / name).encode()}) for name in ("a", "b")
        ]
        assert [each.result().verdict for each in both] == [INTERESTING] * 2
        ask({"small.c": b"c"})
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
    with pytest.raises(BadTest, match="must print one line"):
        asked(server(tmp_path, f"echo {said}"), b"")


def test_a_flood_is_a_mistake_of_the_server(tmp_path: Path) -> None:
    with pytest.raises(BadTest, match="must print one line"):
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
    with LocalOracle(made(tmp_path), "small.c", timeout=PATIENCE_S, folder=home) as ask:
        ask({"small.c": b"bug"})
    assert names(home) == []


def test_a_server_ends_with_the_oracle(tmp_path: Path, tether: Tether) -> None:
    test = server(tmp_path, TELLS, start=f"exec 9> {tether.path}; echo up >&9; trap '' HUP TERM")
    with LocalOracle(test, "small.c", timeout=PATIENCE_S) as ask:
        ask({"small.c": b"bug"})
        assert tether.read() == b"up\n"
    tether.assert_cut()


@pytest.mark.parametrize("kind", ["server", "python"])
def test_a_cancelled_question_ends_at_once(tmp_path: Path, tether: Tether, kind: str) -> None:
    """A function's fork is killed; a server may need its time, and is asked no more till then."""
    if kind == "server":
        body = f'if grep -q slow "$line"; then echo -n up > {tether.path}; sleep 1000; fi'
        test = server(tmp_path, f"{body}\necho interesting")
    else:
        body = f"fifo = os.open({str(tether.path)!r}, os.O_WRONLY)\nos.write(fifo, b'up')"
        slow = f"if path.read_bytes() == b'slow':\n    {body.replace(chr(10), chr(10) + '    ')}"
        test = function(tmp_path, f"{slow}\n    time.sleep(1000)\nreturn True")
    with LocalOracle(test, "small.c", timeout=PATIENCE_S) as ask:
        ask({"small.c": b"fast"})
        ask({"small.c": b"fast"})
        switch = Switch()
        raised: list[BaseException] = []

        def query() -> None:
            with switch.open(), pytest.raises(CancelledError) as error:
                ask({"small.c": b"slow"})
            raised.append(error.value)

        thread = threading.Thread(target=query)
        thread.start()
        assert tether.read() == b"up"
        switch.throw()
        thread.join()
        assert raised
        assert ask({"small.c": b"fast"}).verdict is INTERESTING


def test_a_function_is_imported_once_and_forked(tmp_path: Path) -> None:
    log = tmp_path / "log"
    top = f"open({str(log)!r}, 'a').write(f'up {{os.getpid()}}\\n')\ncount = 0"
    body = f"""
global count
count += 1
open({str(log)!r}, 'a').write(f'{{count}} {{os.getppid()}} {{os.getpid() == os.getpgid(0)}}\\n')
return os.path.samefile(os.getcwd(), path.parent) and os.listdir() == ["small.c"]"""
    assert verdicts(asked(function(tmp_path, body, top=top), b"1", b"2")) == [INTERESTING] * 2
    first, *rest = log.read_text().splitlines()
    pid = first.removeprefix("up ")
    assert rest == [f"1 {pid} True"] * 2  # nothing that a call does reaches the next


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("raise ValueError('not this')", UNINTERESTING),
        ("sys.exit(0)", INTERESTING),
        ("sys.exit()", INTERESTING),
        ("sys.exit(1)", UNINTERESTING),
        ("sys.exit('no')", UNINTERESTING),
        ("sys.exit(125)", UNRESOLVED),
        ("os.abort()", UNINTERESTING),
        ("os._exit(0)", INTERESTING),
        ("return 'truthy'", INTERESTING),
        ("return 0", UNINTERESTING),
        ("print('interesting'); return False", UNINTERESTING),
        ("sys.stdin.read(); input()", UNINTERESTING),
    ],
)
def test_how_a_function_ends(tmp_path: Path, body: str, verdict: Verdict) -> None:
    assert verdicts(asked(function(tmp_path, body), b"")) == [verdict]


def test_what_a_function_says_is_kept_to_explain(tmp_path: Path) -> None:
    (answer,) = asked(function(tmp_path, "print('seen'); raise ValueError('not this')"), b"")
    assert answer.output.startswith(b"seen\nTraceback")
    assert answer.output.endswith(b"ValueError: not this\n")


def test_a_hanging_function_costs_the_limit_and_no_import(tmp_path: Path, tether: Tether) -> None:
    log = tmp_path / "log"
    top = f"open({str(log)!r}, 'a').write('up ')"
    stray = tmp_path / "stray.sh"
    stray.write_text(f"exec 9> {tether.path}; echo up >&9; exec sleep 1000")
    hang = f"os.system('setsid sh {stray} & sleep 1000')"
    body = f"if path.read_bytes() == b'slow':\n    {hang}\nreturn True"
    answers = asked_slow(function(tmp_path, body, top=top), tether)
    assert verdicts(answers) == [INTERESTING, UNRESOLVED, INTERESTING]
    assert log.read_text() == "up "
    tether.assert_cut()


def test_a_file_that_cannot_be_imported(tmp_path: Path) -> None:
    (answer,) = asked(function(tmp_path, "return True", top="import no_such_module"), b"")
    assert answer.verdict is UNRESOLVED
    assert answer.exit_code == 1
    assert b"No module named 'no_such_module'" in answer.output


def test_functions_that_are_not_there(tmp_path: Path) -> None:
    test = function(tmp_path, "return True")
    with pytest.raises(NoSuchTest, match=r"check\.py:crashes"):
        UserTest.python(str(tmp_path / "nowhere.py:check"))
    with pytest.raises(NoSuchTest):
        UserTest.python(test.words[0])
    (answer,) = asked(UserTest.python(f"{test.words[0]}:other"), b"")
    assert b"there is no function other" in answer.output


def test_servers_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(NoSuchTest, match="no program"):
        UserTest.server("no-such-program --fast")
    with pytest.raises(BadTest, match="no command"):
        UserTest.server("'")
    with pytest.raises(BadTest):
        UserTest.server("")


def test_a_function_of_this_file(tmp_path: Path) -> None:
    assert verdicts(asked(UserTest.of(has_a_bug), *CONTENTS[:2])) == VERDICTS[:2]
    with pytest.raises(BadTest, match="at the top"):
        UserTest.of(lambda path: True)
    with pytest.raises(BadTest, match="at the top"):
        UserTest.of(os.path.exists.__call__)  # type: ignore[operator]


def has_a_bug(path: Path) -> bool:
    return b"bug" in path.read_bytes()


def test_fingerprints_change_with_the_files(tmp_path: Path) -> None:
    test = function(tmp_path, "return True")
    before = test.digest()
    assert UserTest(**test.told()).digest() == before
    function(tmp_path, "return False")
    assert test.digest() != before
    helper = tmp_path / "helper"
    helper.write_text("one")
    by_server = UserTest.server(f"{sys.executable} {helper}")
    before = by_server.digest()
    helper.write_text("two")
    assert by_server.digest() != before
