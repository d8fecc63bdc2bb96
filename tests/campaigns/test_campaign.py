"""A folder of crashes becomes one small input for each failure, and the same call continues."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

import nubbin
from faults import PATIENCE_S
from nubbin.cli import main
from nubbin_core.waiting import until

Script = Callable[..., Path]

#: Names of fuzzers, and what is in the files. `both` and `and` fail in the same way, printed in
#: another order.
CRASHES = {
    "id:000000,sig:06,src:000003": "row row bad row",
    "crash-da39a3ee5e6b": "bad",
    "crash-da39a3ee5e6b.copy": "bad",
    "deep\n.txt": "some rows too deep here",
    "both": "with both of them",
    "and": "this and that, and the other",
    "fine": "fine",
}
TOOL = """
echo "$(cat "$1")" >>{log}
case $(cat "$1") in
*hang*) sleep 1000 ;;
*bad*) echo "error: bad row" ;;
*deep*) echo "fatal: nested by 17" ;;
*both*) echo "failed to read"; echo "failed to write" ;;
*and*) echo "failed to write"; echo "failed to read" ;;
*) exit 0 ;;
esac
exit 1
"""


@pytest.fixture
def crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "crashes"
    folder.mkdir()
    for name, text in CRASHES.items():
        (folder / name).write_text(text)
    return folder


def test_one_small_input_for_each_failure(crashes: Path, script: Script) -> None:
    (crashes / "hangs").write_text("it hangs")
    before = {path.name: path.read_text() for path in crashes.iterdir()}
    log = crashes.with_name("log")
    tool = script(TOOL.format(log=log))
    found = nubbin.campaign(f"{tool} {{}}", crashes, timeout=5)
    assert {path.name: path.read_text() for path in crashes.iterdir()} == before
    assert found.output == crashes.with_name("crashes.reduced")
    assert [path.name for path in found.passed] == ["fine"]
    assert [path.name for path in found.stopped] == ["hangs"]
    bad, *others = found.groups
    assert len(bad.inputs) == 3
    results = {group.failure: group.result.read_text() for group in found.groups if group.result}
    assert results == {
        "error: bad row": "bad",
        "fatal: nested by 17": "deep",
        "failed to read": "both",
        "failed to write": "and",
    }
    assert all(group.minimal for group in found.groups)
    # The test of each of these two accepts the result of the other.
    assert [group.failure for group in others if group.same_as] == ["failed to read"]
    about = (found.output / bad.name / "README.txt").read_text()
    assert all(str(path) in about for path in (bad.result, *bad.inputs))
    ran = log.read_text()
    again = nubbin.campaign(f"{tool} {{}}", crashes, timeout=5)
    assert again.groups == found.groups
    assert (again.runs, log.read_text()) == (0, ran)
    (crashes / "new").write_text("bad news")
    # What was stopped is run again if the limits are others.
    assert nubbin.campaign(f"{tool} {{}}", crashes, timeout=4).groups[0].result == bad.result
    assert sorted(log.read_text().removeprefix(ran).splitlines()) == ["bad news", "it hangs"]


def _none_is_left(mark: str, _: float) -> bool:
    """Tell whether no process has a word in its environment."""
    found = subprocess.run(["ps", "axeww"], capture_output=True, check=True)
    return mark.encode() not in found.stdout


#: How a campaign ends: what gets the signal, and the exit code.
ENDS = {"KILL": ("", -signal.SIGKILL), "INT": ("-", 130)}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("workers", "end"),
    [("--jobs=1", "KILL"), ("--cluster=local:2", "KILL"), ("--cluster=local:2", "INT")],
)
def test_ended_at_any_moment_it_comes_to_the_same_results(
    workers: str, end: str, crashes: Path, script: Script, tmp_path: Path
) -> None:
    (crashes / "a-fine").write_text("a fine one")
    originals = tmp_path / "originals"
    originals.write_text("\n".join([*CRASHES.values(), "a fine one", ""]))
    group, code = ENDS[end]
    end_it = f"kill -{end} {group}$(cat {tmp_path}/pid)"
    killers = (
        f"end() {{ ! mv {tmp_path}/$1 {tmp_path}/gone 2>&- || {{ {end_it}; sleep 1000; }}; }}\n"
        f'grep -qxF "$(cat "$1")" {originals} || end in-a-reduction\n'
        '[ "$(cat "$1")" != fine ] || end while-sorting\n'
    )
    log = tmp_path / "log"
    tool = script(killers + TOOL.format(log=log))
    nubbin_line = f"{sys.executable} -m nubbin campaign --json {workers} --run {tool}"
    command = ["sh", "-c", f"echo $$ >pid; exec {nubbin_line} -o ended crashes"]
    mark = f"NUBBIN_TEST={tmp_path}"
    environment = {**os.environ, **dict([mark.split("=")])}
    for moment in ("while-sorting", "in-a-reduction"):
        (tmp_path / moment).touch()
        done = subprocess.run(command, check=False, env=environment, process_group=0)
        assert done.returncode == code
        assert until(partial(_none_is_left, mark), PATIENCE_S)
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
    *_, last = map(json.loads, done.stdout.splitlines())
    assert (done.returncode, last["exit_code"]) == (0, 0)
    # Two workers may have begun the last input before the answer of the first is on disk.
    assert log.read_text().splitlines().count("a fine one") == 1 or workers != "--jobs=1"
    whole = nubbin.campaign(str(tool), crashes, jobs=1)
    names = [(group.name, group.after, group.queries) for group in whole.groups]
    assert [(each["name"], each["after"], each["queries"]) for each in last["groups"]] == names


def test_no_input_fails(crashes: Path, script: Script) -> None:
    with pytest.raises(nubbin.NubbinError, match="fails on none of 7 inputs: it accepts 7"):
        nubbin.campaign(str(script("exit 0")), crashes)


def test_files_that_are_no_campaign_are_left_alone(crashes: Path, script: Script) -> None:
    taken = crashes.with_name("taken")
    taken.mkdir()
    (taken / "mine").touch()
    for place in (taken, crashes / "inside"):
        with pytest.raises(nubbin.NubbinError, match=r"Name a"):
            nubbin.campaign(str(script("exit 1")), crashes, output=place)
    assert sorted(path.name for path in taken.iterdir()) == ["mine"]
    assert not (crashes / "inside").exists()


def test_a_group_without_a_result_says_why_even_if_quiet(crashes: Path) -> None:
    told = CliRunner().invoke(main, ["campaign", "-q", "--run", "no-such-tool", str(crashes)])
    assert told.exit_code == 1
    first, *more = told.stderr.splitlines()
    assert first.endswith(
        "runs the command no-such-tool, which is not found. Install it, or give "
        "its absolute path if it is not in a folder of the PATH."
    )
    assert more[:2] == ["", "The last lines it printed:"]
