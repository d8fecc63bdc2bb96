"""In a sandbox a test changes its own folder and nothing else."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from examples import mostly_nightly
from faults import LIMITS_S, PATIENCE_S, Tether, names, script
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict


def possible() -> bool:
    bwrap = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
    with suppress(FileNotFoundError):
        return subprocess.run(bwrap, capture_output=True, check=False).returncode == 0
    return False


needs_one = pytest.mark.skipif(not possible(), reason="this system makes no sandboxes")


def asked(test: UserTest, folder: Path, *, sandbox: bool) -> Verdict:
    with LocalOracle(OracleSpec(test, "x.txt", sandbox=sandbox), PATIENCE_S, folder=folder) as ask:
        ask({"x.txt": b"first"})
        return ask({"x.txt": b"text"}).verdict


def kinds(folder: Path, line: str) -> dict[str, UserTest]:
    """Return tests that are interesting if a line of sh succeeds in the folder of the candidate."""
    body = f"({line}) </dev/null >/dev/null 2>&1"
    loop = (
        f'while read -r p; do cd "$(dirname "$p")"; '
        f"if {body}; then echo interesting; else echo uninteresting; fi; done"
    )
    file = folder / "check.py"
    file.write_text(f"import os\ndef check(path):\n    return os.system({body!r}) == 0\n")
    return {
        "command": CommandTest.of(script(folder, body)),
        "server": ServerTest.of(str(script(folder, loop, "server.sh"))),
        "python": PythonTest.of(f"{file}:check"),
    }


@needs_one
@pytest.mark.parametrize("kind", mostly_nightly(["command", "server", "python"], ["command"]))
def test_what_is_in_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    beside = tmp_path / "beside"
    beside.touch()
    code = "import socket as s, sys; s.socket(s.AF_UNIX).connect(sys.argv[1])"
    connect = f"{sys.executable} -c '{code}'"
    with (
        tempfile.TemporaryDirectory(dir="/var/tmp") as elsewhere,
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.socket(socket.AF_UNIX) as local,
    ):
        Path(elsewhere, "file").touch()
        local.bind(f"{elsewhere}/socket")
        local.listen()
        port = listening.getsockname()[1]
        victim = tmp_path / "victim"
        for line, outside in [
            ("echo x > more && cat x.txt more", True),
            (f"echo x > {victim}", False),
            (f"bash -c 'echo > /dev/tcp/127.0.0.1/{port}'", False),
            (f"kill -0 {os.getpid()}", False),
            (f"cat {beside}", True),
            (f"cat {elsewhere}/file", False),
            (f"{connect} {elsewhere}/socket", False),
            ('test -n "$DISPLAY"', False),
        ]:
            test = kinds(tmp_path, line)[kind]
            assert asked(test, tmp_path, sandbox=False) is Verdict.INTERESTING, line
            victim.unlink(missing_ok=True)
            walled = asked(test, tmp_path, sandbox=True)
            assert (walled is Verdict.INTERESTING) == outside, line
            assert not victim.exists()


#: Makes all that is mounted writable again, if it may, and writes.
ESCAPE = """
for place in $(cut -d' ' -f2 /proc/self/mounts); do mount -o remount,bind,rw $place; done
unshare --user --map-root-user --mount sh -c '
    for place in $(cut -d" " -f2 /proc/self/mounts); do mount -o remount,bind,rw $place; done
    echo x > {victim}'
echo x > {victim}
"""


@needs_one
@pytest.mark.parametrize("kind", ["command", "server", "python"])
def test_nobody_gets_out(tmp_path: Path, kind: str) -> None:
    """Nor does root, who may mount anything outside."""
    victim = tmp_path / "victim"
    script(tmp_path, f"({ESCAPE.format(victim=victim)}) 2>&1; exit 0", "escape.sh")
    test = kinds(tmp_path, f"{tmp_path}/escape.sh")[kind]
    assert asked(test, tmp_path, sandbox=True) is Verdict.INTERESTING
    assert not victim.exists()


AS_NOBODY = """
import sys
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.user_test import UserTest
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
with LocalOracle(OracleSpec(CommandTest.of(sys.argv[1]), "x.txt", sandbox=True), 600.0) as ask:
    print(ask({"x.txt": b""}).verdict.value)
"""


@needs_one
def test_a_common_user_has_one_too(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("all the others are run by a common user")
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder, home = Path(name, "test"), Path(name, "home")
        for each in (folder.parent, folder, home):
            each.mkdir(exist_ok=True)
            each.chmod(0o777)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env"]
        outside = script(folder, f"({ESCAPE.format(victim=folder / 'victim')}) 2>&1; echo x > here")
        paths = os.pathsep.join(filter(None, sys.path))
        environment = {**os.environ, "TMPDIR": str(home), "HOME": str(home), "PYTHONPATH": paths}

        def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [*command, *words],
                env=environment,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )

        able = [
            python
            for python in (sys.executable, "/usr/bin/python3")  # ours may lie in root's home
            if run(python, "-c", "from nubbin.oracles.local_oracle import LocalOracle").returncode
            == 0
        ]
        if not able:
            pytest.skip("nobody else can run this Python")
        asked = run(able[0], "-c", AS_NOBODY, outside)
        assert asked.stdout == "interesting\n", asked.stderr
        assert names(folder) == ["test.sh"]
        assert names(home) == []


@needs_one
def test_nothing_is_left_of_a_daemon(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    test = CommandTest.of(script(tmp_path, "setsid sleep 1000 & touch more; exit 0"))
    assert asked(test, home, sandbox=True) is Verdict.INTERESTING
    assert names(home) == []


def test_the_user_learns_why_there_is_no_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = script(tmp_path, "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NubbinError, match="Install bubblewrap"):
        LocalOracle(OracleSpec(CommandTest.of(test), "x.txt", sandbox=True), PATIENCE_S)
    script(tmp_path, "echo no namespaces here >&2; exit 1", "bwrap")
    assert shutil.which("bwrap")
    with pytest.raises(NubbinError, match="no namespaces here"):
        LocalOracle(OracleSpec(CommandTest.of(test), "x.txt", sandbox=True), PATIENCE_S)


def test_a_sandbox_that_does_not_hold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = script(tmp_path, "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    script(tmp_path, 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"', "bwrap")
    with pytest.raises(NubbinError, match=f"lets the test out: .* it can write in {tmp_path}"):
        LocalOracle(
            OracleSpec(CommandTest.of(test), "x.txt", sandbox=True), PATIENCE_S, folder=tmp_path
        )
    assert names(tmp_path) == ["bwrap", "test.sh"]


@needs_one
def test_an_older_bwrap_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which("bwrap")
    body = f"""for each; do
        case $each in --size|--disable-userns) echo "Unknown option $each" >&2; exit 1;; esac
    done
    exec {real} "$@\""""
    tools = tmp_path / "tools"
    tools.mkdir()
    script(tools, body, "bwrap")
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    victim = tmp_path / "victim"
    test = script(tmp_path, f"({ESCAPE.format(victim=victim)}) 2>&1; exit 0")
    assert asked(CommandTest.of(test), tmp_path, sandbox=True) is Verdict.INTERESTING
    assert not victim.exists()


@needs_one
@pytest.mark.parametrize("kind", ["command", "server", "python"])
def test_limits_hold_in_a_sandbox(tmp_path: Path, kind: str) -> None:
    with Tether(tmp_path) as tether:
        # Four times what it may hold, and no more: the system must not be the first to end it.
        grows = f"{sys.executable} -c 'x = bytearray(1 << 30); import time; time.sleep(1000)'"
        hold = f"exec 9> {tether.path}; setsid sleep 600 & echo up >&9"
        quick = "grep -q quick $1 && exit 0"
        script(tmp_path, f"{quick}; grep -q big $1 && exec {grows}\n{hold}; wait", "act.sh")
        test = kinds(tmp_path, f'{tmp_path}/act.sh "$(ls -d "$PWD"/x.txt)"')[kind]
        home = tmp_path / "home"
        home.mkdir()
        with LocalOracle(
            OracleSpec(test, "x.txt", sandbox=True, memory=256 << 20), PATIENCE_S, folder=home
        ) as ask:
            assert ask({"x.txt": b"quick"}).verdict is Verdict.INTERESTING
            for limit in LIMITS_S:
                assert ask.ask({"x.txt": b"small"}, limit).timed_out
                if tether.heard():
                    break
            tether.assert_cut()
            assert ask({"x.txt": b"big"}).exceeded == "the memory it may use"
        assert names(home) == []
