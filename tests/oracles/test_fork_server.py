"""Functions that are called in a fork per query, whatever they do there and at their import."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from faults import Tether
from nubbin.oracles.servers.python_test import PythonTest
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict
from started_once import asked, asked_slow, function, verdicts

INTERESTING, UNINTERESTING, UNRESOLVED = Verdict


@pytest.fixture(autouse=True, scope="module")
def time_enough() -> None:
    """Keep the usual limits here: they are learned from how long functions take."""


#: Writes an answer to whatever is open.
SCRIBBLES = """
for descriptor in range(3, 100):
    try:
        os.write(descriptor, b'uninteresting\\n')
    except OSError:
        pass
return True"""


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
        ("return 'truthy'", INTERESTING),
        ("return 0", UNINTERESTING),
        ("print('interesting'); return False", UNINTERESTING),
        ("sys.stdin.read(); input()", UNINTERESTING),
        # Only what the function says counts, not how its process ends.
        ("os._exit(0)", UNINTERESTING),
        ("import ctypes; ctypes.CDLL(None).exit(0)", UNINTERESTING),
        ("raise KeyboardInterrupt", UNINTERESTING),
        ("sys.stderr.close(); raise ValueError", UNINTERESTING),
        ("class Torn:\n    def __bool__(self): raise ValueError\nreturn Torn()", UNINTERESTING),
        ("os.kill(0, 9)", UNINTERESTING),
        ("os.kill(os.getppid(), 9)", UNRESOLVED),
        ("sys.stdout.close(); return True", INTERESTING),
        ("sys.stdout = None; return True", INTERESTING),
        ("os.closerange(0, 100); return True", INTERESTING),
        ("os.write(1, b'uninteresting\\n'); return True", INTERESTING),
        ("sys.stderr.write('x' * 1000000); return True", INTERESTING),
        (SCRIBBLES, INTERESTING),
        ("import signal; signal.pthread_sigmask(0, range(1, 65)); return True", INTERESTING),
        (
            "import threading; threading.Thread(target=time.sleep, args=[60]).start(); return True",
            INTERESTING,
        ),
        # A child comes back from the function, too.
        ("if os.fork() == 0:\n    return True\nos.wait()\nos._exit(0)", UNINTERESTING),
        ("if os.fork() == 0:\n    return False\nos.wait()\nreturn True", INTERESTING),
    ],
)
def test_how_a_function_ends(tmp_path: Path, body: str, verdict: Verdict) -> None:
    assert verdicts(asked(function(tmp_path, body), b"")) == [verdict]


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("async def later(): return False\nreturn later()", "coroutine"),
        ("async def later(): yield False\nreturn later()", "asynchronous generator"),
        ("yield False", "generator"),
        ("return map(bool, [False])", "iterator"),
        ("return lambda: False", "nobody has called"),
    ],
)
def test_what_cannot_say_no_is_no_answer(tmp_path: Path, body: str, what: str) -> None:
    test = function(tmp_path, body)
    with pytest.raises(NubbinError, match=f"check is no test: .*returned .*{what}"):
        asked(test, b"")


def test_what_a_function_says_is_kept_to_explain(tmp_path: Path) -> None:
    (answer,) = asked(function(tmp_path, "print('seen'); raise ValueError('not this')"), b"")
    assert answer.output.startswith(b"seen\nTraceback")
    assert answer.output.endswith(b"ValueError: not this\n")


def test_a_hanging_function_costs_the_limit_and_no_import(tmp_path: Path, tether: Tether) -> None:
    log = tmp_path / "log"
    top = f"open({str(log)!r}, 'a').write('up ')"
    escaped = tmp_path / "escaped.sh"
    escaped.write_text(f"exec 9> {tether.path}; echo up >&9; exec sleep 1000")
    hang = f"os.system('setsid sh {escaped} & sleep 1000')"
    body = f"if path.read_bytes() == b'slow':\n    {hang}\nreturn True"
    answers = asked_slow(function(tmp_path, body, top=top), tether)
    assert verdicts(answers) == [INTERESTING, UNRESOLVED, INTERESTING]
    assert log.read_text() == "up "
    tether.assert_cut()


@pytest.mark.parametrize(
    ("top", "cause"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("from os import no_such_name", "ImportError: cannot import name 'no_such_name'"),
        ("def", "SyntaxError: invalid syntax (tests_of_mine.py, line 2)"),
        ("raise ValueError('\\udc80 \\ud800 é')", "ValueError: \\udc80 \\ud800 é"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("sys.exit(0)", "SystemExit: 0"),
        ("sys.exit('what\\nnow')", "SystemExit: what now"),
        ("sys.exit('x' * 100000)", "SystemExit: xxx"),
    ],
)
def test_a_file_that_cannot_be_imported(tmp_path: Path, top: str, cause: str) -> None:
    test = function(tmp_path, "return True", top=top)
    said = re.escape(f"{test.path} cannot be imported: {cause}")
    with pytest.raises(NubbinError, match=said) as raised:
        asked(test, b"")
    assert not re.search(r"fork_server\.py|importlib", str(raised.value))


def test_which_python_is_said_if_a_module_is_missing(tmp_path: Path) -> None:
    said = rf"It runs in {re.escape(sys.executable)}\. .*--interpreter"
    with pytest.raises(NubbinError, match=said):
        asked(function(tmp_path, "return True", top="import no_such_module"), b"")


@pytest.mark.parametrize(
    ("top", "end"),
    [
        ("os.write(2, b'so it ends'); os._exit(0)", "exited with status 0"),
        ("os.write(2, b'so it ends'); os.kill(os.getpid(), 9)", "was ended by signal 9"),
    ],
)
def test_an_import_that_ends_the_process(tmp_path: Path, top: str, end: str) -> None:
    with pytest.raises(NubbinError, match=f"{end} when its file was imported(.|\n)*so it ends"):
        asked(function(tmp_path, "return True", top=top), b"")


def test_an_import_that_hangs_costs_the_time_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PythonTest, "start_limit", 0.5)
    (answer,) = asked(function(tmp_path, "return True", top="time.sleep(600)"), b"", timeout=0.1)
    assert (answer.verdict, answer.timed_out, answer.cold) == (UNRESOLVED, True, True)


def test_an_import_may_print_and_read(tmp_path: Path) -> None:
    top = "os.write(1, b'uninteresting\\n'); print('hello'); sys.stdin.read()"
    assert verdicts(asked(function(tmp_path, "return True", top=top), b"")) == [INTERESTING]


def test_a_function_that_is_not_in_its_file(tmp_path: Path) -> None:
    test = function(tmp_path, "return True")
    for name in ("other", "__file__"):
        with pytest.raises(NubbinError, match=f"no function {name} in {test.path}"):
            asked(PythonTest.of(f"{test.path}:{name}"), b"")
