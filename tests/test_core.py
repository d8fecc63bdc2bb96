"""The core by itself: what it imports and needs, and that nubbin offers the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import nubbin
import nubbin_core

SOURCE = Path(nubbin_core.__file__).parents[1]
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
]
#: What takes about as long to import as all that a call needs, or longer.
HEAVY = {
    *("asyncio", "concurrent.futures", "ctypes", "dataclasses", "hashlib", "inspect", "logging"),
    *("numpy", "pathlib", "random", "subprocess", "tempfile"),
}
#: What Windows lacks: modules, and names in others.
LACKING = {
    **dict.fromkeys(["fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"]),
    "os": ["fork", "forkpty", "getpgid", "getuid", "killpg", "mkfifo", "pwrite", "setsid", "wait3"],
    "select": ["epoll", "poll"],
    "signal": ["SIGALRM", "SIGKILL", "SIGUSR1", "alarm", "pthread_kill", "setitimer"],
}
CALL = """
from nubbin_core import minimize
found = minimize(range(200), lambda kept: {17, 42} <= set(kept), jobs=JOBS, max_time=1e6)
assert found.kept == [17, 42] and found.minimal
for elements in ("abc", b"abc"):
    assert minimize(elements, lambda kept: elements[1:2] in kept).kept == elements[1:2]
"""


def run(program: str, *, on_windows: bool) -> set[str]:
    """Run a program in a Python that has the core and nothing else; return what it imported."""
    lacks = f"""
for name, names in {LACKING!r}.items():
    if not names:
        sys.modules[name] = None
    for each in names or ():
        vars(__import__(name)).pop(each, None)
"""
    before = f"import sys\n{lacks if on_windows else ''}\nsys.path.insert(0, {str(SOURCE)!r})\n"
    after = "\nimported = sorted(sys.modules)\nimport json\nprint(json.dumps(imported))"
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", before + program + after]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    return set(json.loads(ended.stdout))


def test_a_call_imports_little_and_only_of_python() -> None:
    imported = run(CALL.replace("JOBS", "1"), on_windows=False)
    assert "nubbin_core.search.minimize" in imported
    assert not imported & HEAVY
    packages = {name.partition(".")[0] for name in imported}
    assert packages <= sys.stdlib_module_names | {"nubbin_core", "__main__"}


@pytest.mark.parametrize(
    "program",
    [CALL.replace("JOBS", "1"), CALL.replace("JOBS", "2"), f"import {', '.join(MODULES)}"],
    ids=["one job", "two jobs", "all modules"],
)
def test_the_core_needs_nothing_that_windows_lacks(program: str) -> None:
    assert "nubbin_core" in run(program, on_windows=True)


def test_what_the_core_offers_nubbin_offers_too() -> None:
    assert set(nubbin_core.__all__) < set(nubbin.__all__)
    for name in [*nubbin_core.__all__, "__version__"]:
        assert getattr(nubbin, name) is getattr(nubbin_core, name)
