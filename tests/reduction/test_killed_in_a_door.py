"""Killed while a pass of the user, or another reducer, is at work, a run ends the same way."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce

Script = Callable[..., Path]

KILL = "[ ! -e {0}/killer ] || {{ rm {0}/killer; kill -9 $(cat {0}/pid); sleep 1000; }}"
#: Both replace one phrase after the other by a word, which no deletion comes to.
PASS = """
import subprocess

def logged(text):
    with open("asked", "a") as log:
        print(repr(text), file=log)
    subprocess.run({kill!r}, shell=True)
    at = text.find("one two")
    return [(at, at + 7, "three")] if at >= 0 else []
"""
REDUCER = """
while sed '0,/one two/s//three/' "$1" >c.txt
    ! cmp -s c.txt "$1" && "$2" c.txt
do {kill}; cp c.txt "$1"; done
"""


@pytest.mark.parametrize("door", ["--pass=p.py:logged", "--reduce-with=first@./other.sh {} {test}"])
def test_killed_at_work_it_comes_to_the_same_end(
    door: str, script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kill = KILL.format(tmp_path)
    (tmp_path / "p.py").write_text(PASS.format(kill=kill))
    script(REDUCER.format(kill=kill), "other.sh")
    (tmp_path / "input.txt").write_text("zero\none two\nfour\none two\n")
    test = script('[ "$(grep -c "one two\\|three" input.txt)" = 2 ]')
    option, _, value = door.partition("=")
    passes, others = ((value,), ()) if option == "--pass" else ((), (value,))
    source, other = tmp_path / "input.txt", tmp_path / "other"
    whole = reduce(test, source, output=other, jobs=1, passes=passes, reduce_with=others)
    assert whole.data.split() == [b"three", b"three"]
    asked, seen = tmp_path / "asked", list[str]()
    if is_pass := asked.exists():
        seen = asked.read_text().splitlines()
        assert len(seen) == len(set(seen)) > 1
        asked.unlink()
    (tmp_path / "killer").touch()
    nubbin = f"{sys.executable} -m nubbin reduce -q -j1 --run-dir run '{door}'"
    command = ["sh", "-c", f"echo $$ >pid; exec {nubbin} {test} input.txt"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    resumed = resume(tmp_path / "run", jobs=1)
    assert (resumed.data, resumed.queries) == (whole.data, whole.queries)
    if is_pass:  # nothing is asked twice but what had no answer
        assert asked.read_text().splitlines() == [seen[0], *seen]
