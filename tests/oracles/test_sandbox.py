"""In a sandbox a test changes its own folder and nothing else."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest

from faults import PATIENCE_S, names, script
from nubbin.oracles.errors import NoSandbox
from nubbin.oracles.local import LocalOracle
from nubbin.oracles.sandbox import Sandbox
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.verdict import Verdict


def possible() -> bool:
    try:
        Sandbox(Path("test"))
    except NoSandbox:
        return False
    return True


needs_one = pytest.mark.skipif(not possible(), reason="this system makes no sandboxes")


def asked(test: UserTest, folder: Path, *, sandbox: bool) -> Verdict:
    with LocalOracle(test, "x.txt", timeout=PATIENCE_S, sandbox=sandbox, folder=folder) as ask:
        ask({"x.txt": b"first"})
        return ask({"x.txt": b"text"}).verdict


def kinds(folder: Path, line: str) -> dict[str, UserTest]:
    """Return tests that say whether a line of sh succeeds in the folder of the candidate."""
    body = f"({line}) </dev/null >/dev/null 2>&1"
    loop = (
        f'while read -r p; do cd "$(dirname "$p")"; '
        f"if {body}; then echo interesting; else echo uninteresting; fi; done"
    )
    file = folder / "check.py"
    file.write_text(f"import os\ndef check(path):\n    return os.system({body!r}) == 0\n")
    return {
        "command": UserTest.command(script(folder, body)),
        "server": UserTest.server(str(script(folder, loop, "server.sh"))),
        "python": UserTest.python(f"{file}:check"),
    }


@needs_one
@pytest.mark.parametrize("kind", ["command", "server", "python"])
def test_what_is_in_reach(tmp_path: Path, kind: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        victim = tmp_path / "victim"
        for line, outside in [
            ("echo x > more && cat x.txt more", True),
            (f"echo x > {victim}", False),
            (f"bash -c 'echo > /dev/tcp/127.0.0.1/{port}'", False),
            (f"kill -0 {os.getpid()}", False),
        ]:
            test = kinds(tmp_path, line)[kind]
            assert asked(test, tmp_path, sandbox=False) is Verdict.INTERESTING, line
            victim.unlink(missing_ok=True)
            walled = asked(test, tmp_path, sandbox=True)
            assert (walled is Verdict.INTERESTING) == outside, line
            assert not victim.exists()


@needs_one
def test_nothing_is_left_of_a_daemon(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    test = UserTest.command(script(tmp_path, "setsid sleep 1000 & touch more; exit 0"))
    assert asked(test, home, sandbox=True) is Verdict.INTERESTING
    assert names(home) == []


def test_no_sandbox_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = script(tmp_path, "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoSandbox, match="Install bubblewrap"):
        LocalOracle(test, "x.txt", timeout=PATIENCE_S, sandbox=True)
    script(tmp_path, "echo no namespaces here >&2; exit 1", "bwrap")
    assert shutil.which("bwrap")
    with pytest.raises(NoSandbox, match="no namespaces here"):
        LocalOracle(test, "x.txt", timeout=PATIENCE_S, sandbox=True)
