"""Real repositories: the commit and the lines are found, and nothing of the user's changes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from examples import mostly_nightly
from faults import PATIENCE_S
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.isolation.query_folders import Workspace
from nubbin.reduction.options import Options
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.run_job import Reduction
from nubbin.report.page.recording import Recording
from nubbin.suspects.commits import Blame, Repository, Stage
from nubbin_core.errors import NubbinError

pytestmark = pytest.mark.usefixtures("steady")  # each run starts Python and git

#: Fails with an error where a line says "bug"; cannot be built where there is a file `broken`.
_COMMAND = (
    "test ! -e broken || { echo cannot build; exit 2; }; "
    """! grep -n '^bug' "a file.txt" || { echo "error: {} of a bug"; exit 1; }"""
)
_ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_CONFIG_COUNT": "1",  # no commit starts a clean-up
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    **{f"GIT_{who}_{what}": "x@y" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def _git(repository: Path, *words: str) -> str:
    ran = subprocess.run(
        ["git", *words], cwd=repository, env=_ENVIRONMENT, check=True, capture_output=True
    )
    return ran.stdout.decode().strip()


def _commit(repository: Path, says: str, files: Mapping[str, str | bytes | None]) -> str:
    for name, text in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
    _git(repository, "add", "-A")
    _git(repository, "commit", "-qm", says, "--allow-empty")
    return _git(repository, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "a repository"
    folder.mkdir()
    _git(folder, "init", "-q", "-b", "main")
    _commit(folder, "first", {"a file.txt": "one\ntwo\nthree\n", "gone": "x\n"})
    monkeypatch.chdir(folder)
    return folder


def _everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return all that lies in a repository, but for nubbin's own."""
    paths = (each for each in folder.rglob("*") if ".nubbin" not in each.parts)
    return {
        str(each): (each.lstat().st_mtime_ns, each.read_bytes() if each.is_file() else b"")
        for each in paths
    }


def _blamed(
    tmp_path: Path,
    span: str,
    command: str = _COMMAND,
    conditions: Conditions | None = None,
    **options: Any,
) -> list[Reduction]:
    chosen = Options(**{"jobs": 1, **options})
    results: list[Reduction] = []

    def reduce(stage: Stage) -> Reduction:
        place = tmp_path / "runs" / str(len(results))
        place.mkdir(parents=True)
        results.append(stage.run(place / "run", place / stage.name, ()))
        return results[-1]

    Blame(span, command, conditions or Conditions(), chosen).find(reduce)
    return results


def _changed(result: Reduction) -> list[bytes]:
    return [line for line in result.data.split(b"\n") if re.match(rb"[-+](?![-+])", line)]


_FILES: dict[str, str | bytes | None] = {
    "a file.txt": "one\nbug 2\nthree\nmore\n",
    "new\nfile": "text\n",
    'q"uote': b"\0\1\2",
    "gone": None,
}


def test_the_commit_and_then_its_line(repository: Path, tmp_path: Path) -> None:
    for number in range(6):
        _commit(repository, f"before {number}", {f"f{number}": "x\n"})
    bad = _commit(repository, "the bad one", _FILES)
    for number in range(6):
        _commit(repository, f"after {number}", {f"f{number}": "y\n"})
    commits, lines = _blamed(tmp_path, "HEAD~13..main")
    assert commits.data == f"{bad} the bad one\n".encode()
    assert commits.minimal
    assert commits.queries <= 5  # 13 commits, and the one before them
    assert _changed(lines) == [b"-two", b"+bug 2"]
    assert lines.minimal
    assert lines.data.startswith(b"commit " + commits.data)
    assert commits.line is not None
    assert commits.line.startswith(f"nubbin blame {bad[:12]}~..{bad[:12]} ")


@pytest.mark.nightly
def test_before_the_end_of_a_bisection_nothing_goes_on_with_a_commit(
    repository: Path, tmp_path: Path
) -> None:
    for number in range(6):
        _commit(repository, f"before {number}", {f"f{number}": "x\n"})
    bad = _commit(repository, "bad", _FILES)
    _commit(repository, "after", {"f": "y\n"})
    (part,) = _blamed(tmp_path, "HEAD~8..", max_queries=1)
    assert part.line is None
    assert part.run is not None
    recording = Recording.of(part.run)
    assert [words for words, _ in recording.again] == [
        "Run the test again on the result and on each removal"
    ]
    done = resume(part.run, jobs=1, max_queries=100)
    assert done.line is not None
    assert done.line.startswith(f"nubbin blame {bad[:12]}~..{bad[:12]} ")
    assert len(Recording.of(part.run).again) == 2


def test_nothing_of_the_repository_changes(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tmp_path / "ran"
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        (repository / ".git/hooks").mkdir(exist_ok=True)
        (repository / ".git/hooks" / name).write_text(f"#!/bin/sh\ntouch '{hook}'\n")
        (repository / ".git/hooks" / name).chmod(0o755)
    _git(repository, "config", "filter.own.smudge", f"touch '{hook}'; cat")
    _git(repository, "config", "filter.own.clean", "cat")
    _git(repository, "config", "filter.own.required", "true")
    _commit(repository, "filters", {".gitattributes": "*.txt filter=own\n"})
    _commit(repository, "bad", _FILES)
    (repository / "a file.txt").write_text("dirty\n")
    (repository / "staged").write_text("staged\n")
    _git(repository, "add", "staged")
    (repository / "untracked").write_text("untracked\n")
    hook.unlink(missing_ok=True)
    before = _everything(repository)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))  # as in a hook
    _, lines = _blamed(tmp_path, "HEAD~2..HEAD")
    assert _changed(lines) == [b"-two", b"+bug 2"]
    assert _everything(repository) == before
    assert not hook.exists()


@pytest.mark.nightly
def test_commits_that_cannot_be_built_are_passed_over(repository: Path, tmp_path: Path) -> None:
    def some(says: str, number: int) -> None:
        for each in range(number):
            _commit(repository, f"{says} {each}", {f"f{says}": f"{each}\n"})

    some("before", 6)
    _commit(repository, "breaks", {"broken": ""})
    some("broken", 3)
    _commit(repository, "bad", {"a file.txt": "one\nbug\nthree\n"})
    some("still", 9)
    _commit(repository, "builds", {"broken": None})
    some("after", 2)
    *_, lines = _blamed(tmp_path, "HEAD~23..HEAD")
    assert b"builds\n" in lines.data.splitlines(keepends=True)[0]
    # What none could try alone is tried together: all changes since the last that could be built.
    assert _changed(lines) == [b"-two", b"+bug"]


# Of eight, some ask about commits ahead of the search.
@pytest.mark.parametrize("jobs", mostly_nightly([1, 8], [8]))
def test_a_broken_stretch_after_the_bad_commit_does_not_mislead(
    repository: Path, tmp_path: Path, jobs: int
) -> None:
    for number in range(4):
        _commit(repository, f"before {number}", {"f": f"{number}\n"})
    bad = _commit(repository, "bad", {"a file.txt": "one\nbug\nthree\n"})
    _commit(repository, "fails", {"g": "\n"})
    _commit(repository, "breaks", {"broken": ""})
    for number in range(6):
        _commit(repository, f"broken {number}", {"f": f"b{number}\n"})
    _commit(repository, "builds", {"broken": None})
    *_, lines = _blamed(tmp_path, "HEAD~14..HEAD", jobs=jobs)
    assert lines.data.startswith(f"commit {bad} bad\n".encode())


@pytest.mark.parametrize("in_merge", mostly_nightly([False, True], [True]))
def test_what_a_merge_brought(repository: Path, tmp_path: Path, in_merge: bool) -> None:
    _commit(repository, "good", {"f": "1\n"})
    good = _git(repository, "rev-parse", "HEAD")
    _git(repository, "switch", "-qc", "side")
    _commit(repository, "side 1", {"s": "1\n"})
    text = "one\ntwo\nthree\n" if in_merge else "one\nbug\nthree\n"
    bad = _commit(repository, "side 2", {"a file.txt": text, "s": "2\n"})
    _commit(repository, "side 3", {"s": "3\n"})
    _git(repository, "switch", "-q", "main")
    _commit(repository, "main", {"f": "2\n"})
    _git(repository, "merge", "-q", "--no-ff", "--no-commit", "side")
    if in_merge:
        bad = _commit(repository, "merged", {"a file.txt": "one\nbug\nthree\n"})
    else:
        _commit(repository, "merged", {})
    _commit(repository, "after", {"f": "3\n"})
    *_, lines = _blamed(tmp_path, f"{good}..HEAD")
    assert lines.data.startswith(f"commit {bad} ".encode())
    assert _changed(lines) == [b"-two", b"+bug"]


def test_a_good_commit_that_is_no_ancestor(repository: Path, tmp_path: Path) -> None:
    _git(repository, "switch", "-qc", "other")
    _commit(repository, "release", {"f": "1\n"})
    _git(repository, "switch", "-q", "main")
    bad = _commit(repository, "bad", {"a file.txt": "one\nbug\nthree\n"})
    (lines,) = _blamed(tmp_path, "other..")
    assert lines.data.startswith(f"commit {bad} bad\n".encode())


@pytest.mark.parametrize(
    ("span", "command", "says"),
    mostly_nightly(
        [
            ("main", "false", "not a range of commits"),
            ("..main", "false", "not a range of commits"),
            ("HEAD~1...main", "false", "not a range of commits"),
            ("HEAD~1..nowhere", "false", "There is no commit 'nowhere'"),
            ("--output=x..main", "false", "There is no commit '--output=x'"),
            ("main..HEAD~1", "false", "There is no commit in main..HEAD~1"),
            ("HEAD~1..main", "false", "It must not fail in that commit"),
            ("HEAD~1..main", "exit 125", "It must not fail in that commit"),
            ("HEAD~1..main", "true", " succeeds on "),
        ],
        [
            ("main", "false", "not a range of commits"),
            ("HEAD~1..main", "false", "It must not fail in that commit"),
        ],
    ),
)
def test_what_makes_no_sense(
    repository: Path, tmp_path: Path, span: str, command: str, says: str
) -> None:
    _commit(repository, "second", {"f": "1\n"})
    with pytest.raises(NubbinError, match=re.escape(says)):
        _blamed(tmp_path, span, command)
    assert not (repository / "x").exists()


def test_a_repository_from_a_stranger_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its settings, its hooks, nor the attributes and the names of its files."""
    repository, was_here = tmp_path / 'a "folder"\\n\nof\tmany', tmp_path / "was-here"
    repository.mkdir()
    _git(repository, "init", "-q", "-b", "main")
    _commit(repository, "first", {"a file.txt": "one\ntwo\n", "-rf": "x\n", "new\nline": "x\n"})
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\necho $0 >> '{was_here}'\ncat\n")
    evil.chmod(0o755)
    good = _git(repository, "rev-parse", "HEAD")
    files = {"a file.txt": "one\nbug\n", "-rf": "y\n", "new\nline": "y\n", '--x"y': "z\n"}
    _commit(repository, "--output=x", {**files, ".gitattributes": "* filter=evil diff=evil\n"})
    _git(repository, "update-index", "--add", "--cacheinfo", f"160000,{good},module")
    _git(repository, "commit", "-qm", "a submodule")
    raw = _git(repository, "cat-file", "commit", "HEAD")
    head, _, says = raw.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
    made = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
    name = subprocess.run(
        made,
        cwd=repository,
        check=True,
        input=f"{signed}\n\n{says}\n".encode(),
        capture_output=True,
    ).stdout
    _git(repository, "update-ref", "refs/heads/main", name.decode().strip())
    for setting in (
        *("log.showSignature=true", f"gpg.program={evil}", f"diff.external={evil}"),
        *(f"core.pager={evil}", f"core.fsmonitor={evil}", f"core.hooksPath={tmp_path}"),
        *(f"diff.evil.{what}={evil}" for what in ("command", "textconv")),
        *(f"filter.evil.{what}={evil}" for what in ("clean", "smudge", "process")),
    ):
        _git(repository, "config", *setting.split("=", 1))
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        evil.with_name(hook).symlink_to(evil)
    monkeypatch.chdir(repository)
    commits, lines = _blamed(tmp_path, f"{good}..main")
    assert commits.data.endswith(b" --output=x\n")
    assert _changed(lines) == [b"-two", b"+bug"]
    assert not was_here.exists(), was_here.read_text()


def test_nothing_is_fetched_into_a_partial_clone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = _git(repository, "rev-parse", "HEAD")
    bad = _commit(repository, "bad", {"a file.txt": "one\nbug\nthree\n"})
    _commit(repository, "last", {})
    _git(repository, "config", "uploadpack.allowFilter", "true")
    part, fetched = tmp_path / "part", tmp_path / "fetched"
    _git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{repository}", str(part))
    fetch = f"touch '{fetched}'; git-upload-pack"
    _git(part, "config", "remote.origin.uploadpack", fetch)
    _git(part, "config", "protocol.file.allow", "always")
    before = _everything(part)
    monkeypatch.chdir(part)
    with pytest.raises(NubbinError, match=r"exited(?s:.*)partial clone(?s:.*)unable to read"):
        _blamed(tmp_path, f"{good}..")
    history = Repository.here()
    with pytest.raises(NubbinError, match=r"partial clone(?s:.*)could not fetch"):
        history.patch(good, history.between(good, bad)[0])
    assert not fetched.exists()
    assert _everything(part) == before


def test_conditions_that_are_given(repository: Path, tmp_path: Path) -> None:
    _commit(repository, "another", {"b": "other\n", "f": "1\n"})
    _commit(repository, "slow", {"f": "slow\n"})
    (commits, lines) = _blamed(tmp_path, "HEAD~2..", "cat f || :", Conditions(prints="slow"))
    assert commits.data.endswith(b" slow\n")
    assert _changed(lines) == [b"-1", b"+slow"]


def test_a_run_that_is_killed_leaves_nothing_and_goes_on(
    repository: Path, tmp_path: Path, until: Callable[[Callable[[], bool]], None]
) -> None:
    for number in range(8):
        _commit(repository, f"before {number}", {f"f{number}": "x\n"})
    bad = _commit(repository, "bad", _FILES)
    _commit(repository, "after", {"f": "y\n"})
    begun = tmp_path / "begun"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    # Hangs at the seventh run, while the file is there.
    (tmp_path / "hold").touch()
    held = f"echo >> '{begun}'; "
    held += (
        f"[ $(wc -l < '{begun}') -lt 7 ] || while [ -e '{tmp_path}/hold' ]; do sleep 0.05; done; "
    )
    before = _everything(repository)
    running = subprocess.Popen(
        [sys.executable, "-m", "nubbin", "blame", "-j1", "HEAD~10..", "--", held + _COMMAND],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: begun.exists() and len(begun.read_text().split("\n")) > 7)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert _everything(repository) == before
    assert not _git(repository, "status", "--porcelain")
    (run,) = (repository / ".nubbin").iterdir()
    (tmp_path / "hold").unlink()
    for each in Workspace.abandoned(temporary):
        each.close()
    until(lambda: not any(temporary.iterdir()))
    assert resume(run, jobs=1).data == f"{bad} bad\n".encode()
    assert _everything(repository) == before


@pytest.mark.nightly
@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGKILL])
def test_an_end_before_the_first_query(
    repository: Path,
    tmp_path: Path,
    way: signal.Signals,
    until: Callable[[Callable[[], bool]], None],
) -> None:
    _commit(repository, "bad", _FILES)
    before, begun = _everything(repository), tmp_path / "begun"
    held = f"echo >> '{begun}'; while :; do sleep 0.05; done"
    running = subprocess.Popen(
        [sys.executable, "-m", "nubbin", "blame", "-j1", "HEAD~1..", "--", held],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(begun.exists)
    running.send_signal(way)
    _, said = running.communicate()
    assert running.returncode == (130 if way == signal.SIGINT else -way), said
    assert "Traceback" not in said
    assert _everything(repository) == before
    assert not _git(repository, "status", "--porcelain")


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    def wait(done: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < end
            time.sleep(0.01)

    return wait
