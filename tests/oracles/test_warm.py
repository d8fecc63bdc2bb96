"""A Python program in a fork of one that has started does what it does in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from faults import PATIENCE_S, Tether
from nubbin.oracles.commands.project_test import ProjectTest, PythonLine
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.processes.supervisors import Supervisors
from nubbin_core.verdict import Answer, Verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has supervisors")

MODULES = ("json", "xml.etree.ElementTree", "no_such_module", "logging")
#: What a program can see of how it was started.
SEES = """
import os, signal, sys, threading
print(__name__, globals().get("__file__"), sys.argv, os.getcwd(), sys.flags, sys.warnoptions)
print(sys.path, sorted(os.environ.items()), os.getpid() == os.getsid(0) == os.getpgid(0))
print(sys.modules["__main__"].__dict__ is globals(), "nubbin" in sys.modules)
print([signal.getsignal(each) for each in signal.valid_signals()], signal.pthread_sigmask(0, []))
print(sorted(os.listdir("/proc/self/fd")), signal.set_wakeup_fd(-1), threading.active_count())
print(sys.stdin.read(), sys.stdout.encoding)
"""
ENDS = {
    "sees": SEES,
    "nothing": "",
    "status": "raise SystemExit(7)",
    "text": "import sys; sys.exit('why')",
    "error": "def f():\n    raise ValueError('x')\nf()",
    "cause": "try:\n    {}['a']\nexcept KeyError as e:\n    raise OSError(2) from e",
    "syntax": "a = = 3",
    "exit": "import os; print('gone'); os._exit(3)",
    "signal": "import os; os.kill(os.getpid(), 9)",
    "crash": "import ctypes; ctypes.string_at(0)",
    "at-exit": "import atexit; atexit.register(print, 'bye'); print('hi')",
    "unflushed": "import sys\nf = open('out', 'w'); f.write('kept'); sys.stdout.write('no end')",
    "errors": "import sys; print('out'); print('err', file=sys.stderr)",
    "thread": "import threading\nthreading.Timer(0.01, print, ['late']).start()",
    "hook": "import sys\nsys.excepthook = lambda *_: print('hooked')\n1/0",
    "child": "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(5)'])",
    "pool": (
        "import multiprocessing as m\n"
        "if __name__ == '__main__':\n print(m.get_context('fork').Pool(1).map(abs, [-3]))"
    ),
    "import": "import helper; print(helper.__file__)",
}


def _ran(python: Supervisors, words: Sequence[str], folder: Path) -> tuple[int, bytes, bytes]:
    out, err = folder.parent / "out", folder.parent / "err"
    with out.open("wb") as output, err.open("wb") as errors, Path(os.devnull).open("rb") as stdin:
        running = python.start(
            str(folder),
            words,
            folder=str(folder),
            environment={**os.environb, b"PYTHONPATH": b"own", b"A": b"1"},
            streams=(stdin.fileno(), output.fileno(), errors.fileno()),
        )
        with running:
            assert running.wait(PATIENCE_S)
    return running.exit_code, out.read_bytes(), err.read_bytes()


@pytest.mark.parametrize("how", ["script", "code", "module"])
def test_a_fork_is_as_a_process_of_its_own(tmp_path: Path, how: str) -> None:
    """What it sees, prints and leaves, how it ends, and its tracebacks."""
    options = ("-W", "error::UserWarning", "-B")
    python = [sys.executable, *options]
    cold, warm = Supervisors(), None
    try:
        warm = cold.in_forks_of(python, MODULES, {b"PYTHONPATH": b""})
        for name, text in ENDS.items():
            folder = tmp_path / how
            (folder / "own").mkdir(parents=True, exist_ok=True)
            (folder / "own" / "helper.py").write_text("")
            (folder / "main.py").write_text(text)
            words = {"script": ["main.py"], "code": ["-c", text], "module": ["-m", "main"]}[how]
            words += ["a", "-b"]
            expected = _ran(cold, [sys.executable, *options, *words], folder)
            left = [path.read_bytes() for path in folder.rglob("out")]
            got = _ran(warm, ["", *words], folder)
            assert _plain(got) == _plain(expected), name
            assert [path.read_bytes() for path in folder.rglob("out")] == left
    finally:
        cold.close()


def _plain(ran: tuple[int, bytes, bytes]) -> tuple[int, bytes, list[bytes]]:
    """Return what does not depend on how often Python calls itself at the start."""
    code, output, errors = ran
    return code, output, errors.splitlines()


def _answer(tmp_path: Path, text: str, command: str, conditions: Conditions) -> Answer:
    test = ProjectTest((command,), str(tmp_path), conditions=conditions, modules=MODULES)
    with LocalOracle(OracleSpec(test, "p"), PATIENCE_S) as ask:
        return ask.explain({"p/main.py": text.encode()})


def test_what_only_a_fork_has_imported_is_not_accepted(tmp_path: Path) -> None:
    """It runs again as the user gave it: without an import of its own it fails otherwise."""
    text = "import xml\nxml.etree.ElementTree.fromstring('<')"
    command, parse = f"{sys.executable} main.py", Conditions(prints="ParseError")
    answer = _answer(tmp_path, f"import xml.etree.ElementTree\n{text}", command, parse)
    assert answer.verdict is Verdict.INTERESTING
    answer = _answer(tmp_path, text, command, parse)
    assert answer.verdict is Verdict.UNINTERESTING
    assert b"AttributeError" in answer.output


def test_what_a_fork_starts_ends_with_its_query(tmp_path: Path) -> None:
    with Tether(tmp_path) as tether:
        text = (
            "import os, time\n"
            f"held = os.open({str(tether.path)!r}, os.O_WRONLY)\n"
            "os.set_inheritable(held, True)\n"
            "if os.fork() == 0:\n"
            " os.setsid(); os.write(held, b'up\\n'); time.sleep(77777)\n"
        )
        _answer(tmp_path, text, f"{sys.executable} main.py", Conditions(exits="1"))
        tether.assert_cut(b"up\n")


def test_a_fork_that_hangs_is_ended_at_its_limit(tmp_path: Path) -> None:
    test = ProjectTest(
        (f"{sys.executable} main.py",),
        str(tmp_path),
        conditions=Conditions(exits="1"),
        modules=MODULES,
    )
    with LocalOracle(OracleSpec(test, "p"), 1.0) as ask:
        answer = ask({"p/main.py": b"while True: pass"})
        assert (answer.verdict, answer.timed_out) == (Verdict.UNRESOLVED, True)
        assert ask({"p/main.py": b"import sys; sys.exit(1)"}).verdict is Verdict.INTERESTING


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("python3 -m pytest 'test_a.py::test_b[1]'", ("-m", "pytest", "test_a.py::test_b[1]")),
        ("A=1 B='x y' python3 -W error -Bu x.py", ("x.py",)),
        ("python3 -c 'print(1); 2 > 1'", ("-c", "print(1); 2 > 1")),
        ("./tool a", None),
        ("python3 x.py | cat", None),
        ("python3 $HOME/x.py", None),
        ("python3 *.py", None),
        ('python3 "$A"', None),
        ("cd a && python3 x.py", None),
        ("python3 x.py; true", None),
        ("python3 -i x.py", None),
        ("python3 -", None),
        ("python3 -m", None),
        ("python3", None),
        ("PATH=/x python3 x.py", None),
        ("make", None),
        ("", None),
        ("python3 'x", None),
    ],
)
def test_a_line_that_only_starts_python_is_known(
    tmp_path: Path, line: str, words: tuple[str, ...] | None
) -> None:
    found = PythonLine.of(line, tmp_path)
    assert (found and found.words) == words


def test_a_script_is_run_by_the_python_that_it_names(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text(f"#!{sys.executable}\nprint(1)\n")
    tool.chmod(0o755)
    found = PythonLine.of("./tool -x", tmp_path)
    assert found is not None
    assert (found.program, found.words) == (sys.executable, (str(tool), "-x"))
    said = subprocess.run([tool], capture_output=True, check=True)
    assert said.stdout == b"1\n"
