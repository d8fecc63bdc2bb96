"""A container is reduced by its members, and what the test and the user get is packed."""

from __future__ import annotations

import gzip
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from containers import zipped
from examples import mostly_nightly
from faults import ASKER
from nubbin.documents.containers.wasm.writing import Assembler
from nubbin.journal.recorded_run import runs_in
from nubbin.reduction.events import Event, TakenApart
from nubbin.reduction.recorded.inspection import verify
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.report.page.recording import Recording

Script = Callable[..., Path]

pytestmark = pytest.mark.usefixtures("steady")

NUBBIN = [sys.executable, "-m", "nubbin"]
INNER = zipped({"deep.txt": b"many\nneedle\nwords\n" * 9, "other.txt": b"nothing"})
MEMBERS = {
    "one.txt": b"line\n" * 30 + b"a bug is here\n" + b"line\n" * 30,
    "two.json": b'{"a": [1, 2, 3]}',
    "folder/": b"",
    "in.zip": INNER,
}
FINDS = """set -e
unzip -qt a.zip >/dev/null
unzip -p a.zip one.txt | grep -q bug
unzip -p a.zip in.zip >inner
unzip -p inner deep.txt | grep -q needle"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    path = folder / "a.zip"
    path.write_bytes(zipped(MEMBERS))
    return path


def taken_apart(events: list[Event]) -> TakenApart:
    (told,) = (event for event in events if isinstance(event, TakenApart))
    return told


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("jobs", mostly_nightly([1, 3], [3]))
def test_members_go_and_shrink(script: Script, source: Path, jobs: int) -> None:
    events: list[Event] = []
    given = source.read_bytes()
    result = reduce(script(FINDS), source, jobs=jobs, observers=[events.append])
    assert result.output == source.with_name("a.reduced.zip")
    assert result.output.read_bytes() == result.data
    left = members(result.data)
    assert left.keys() == {"one.txt", "in.zip"}
    assert left["one.txt"] == b"bug"
    assert members(left["in.zip"]) == {"deep.txt": b"needle"}
    assert result.minimal
    assert (result.before.bytes, result.after.bytes) == (len(given), len(result.data))
    assert result.after.tokens == 2
    size = sum(map(len, (*MEMBERS.values(), *members(INNER).values()))) - len(INNER)
    assert taken_apart(events) == TakenApart(5, size, refused=False)
    assert source.read_bytes() == given


def test_the_test_gets_the_container_itself_first(script: Script, source: Path) -> None:
    log = source.parent / "log"
    reduce(script(f"sha1sum a.zip >>{log}\n{FINDS}"), source, jobs=1, max_queries=3)
    runs = log.read_text().splitlines()
    own = subprocess.check_output(["sha1sum", "a.zip"], cwd=source.parent, text=True)
    assert runs[0] + "\n" == own


@pytest.mark.nightly
def test_killed_and_resumed(script: Script, source: Path) -> None:
    whole = reduce(
        script(FINDS), source, jobs=1, smallest="char", output=source.parent / "whole.zip"
    )
    log = source.parent / "log"
    test = script(f"echo x >>{log}\n[ $(wc -l <{log}) -ne 25 ] || kill -9 {ASKER}\n{FINDS}")
    options = ["--quiet", "--jobs", "1", "--smallest", "char"]
    command = [*NUBBIN, "reduce", *options, str(test), str(source)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    (run,) = runs_in(source.parent)
    result = resume(run.folder, jobs=1)
    assert (result.data, result.minimal) == (whole.data, True)
    verified = verify(run.folder)
    assert verified.holds
    assert verified.removals == len("bug") + len("needle") + len(["one.txt", "deep.txt"])


def test_what_must_not_be_packed_anew_is_reduced_as_bytes(script: Script, tmp_path: Path) -> None:
    events: list[Event] = []
    source = tmp_path / "a.gz"
    source.write_bytes(gzip.compress(b"text\n" * 30, 1, mtime=4711))
    result = reduce(
        script("head -c 8 a.gz | grep -q 'g'"), source, jobs=1, observers=[events.append]
    )
    assert taken_apart(events) == TakenApart(0, len(source.read_bytes()), refused=True)
    assert result.data == b"g"


def test_only_the_outer_container_may_be_packed_anew(script: Script, source: Path) -> None:
    events: list[Event] = []
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("in.gz", gzip.compress(b"text\n" * 30, 1, mtime=0x6768696A))
        archive.writestr("one.txt", "bug\n" * 9)
    source.write_bytes(made.getvalue())
    test = script("unzip -qt a.zip >/dev/null && unzip -p a.zip in.gz | grep -q jih")
    result = reduce(test, source, jobs=1, observers=[events.append])
    told = taken_apart(events)
    assert (told.files, told.refused) == (2, True)
    assert members(result.data) == {"in.gz": b"jih"}


def test_what_the_user_calls_binary_is_bytes(script: Script, source: Path) -> None:
    events: list[Event] = []
    source.write_bytes(b"PK\3\4" + b"x" * 50)
    result = reduce(
        script("grep -q PKx a.zip || grep -q PK a.zip"), source, format="binary", jobs=1
    )
    assert result.data == b"PK"
    assert not events


def test_in_place_and_in_a_folder(script: Script, source: Path) -> None:
    folder = source.parent
    (folder / "b.txt").write_bytes(b"beside\n" * 9)
    given = source.read_bytes()
    finds = "unzip -p work/a.zip one.txt | grep -q bug"
    test = script(f"grep -q side work/b.txt && {finds}")
    result = reduce(test, folder, jobs=1, in_place=True)
    assert result.files.keys() == {"work/a.zip", "work/b.txt"}
    assert (folder / "b.txt").read_bytes() == b"beside"
    assert members(source.read_bytes())["one.txt"] == b"bug"
    assert (folder.with_name("work.orig") / "a.zip").read_bytes() == given


def test_keep_is_about_what_the_members_say(script: Script, source: Path) -> None:
    finds = script("unzip -p a.zip one.txt | grep -q bug")
    result = reduce(finds, source, jobs=1, keep="a bug is")
    assert b"a bug is" in members(result.data)["one.txt"]


def test_a_result_is_minimal_as_it_is_read_from_disk(script: Script, tmp_path: Path) -> None:
    """The text of code that is packed and read again has operands that had been left out."""
    source, run = tmp_path / "work" / "a.wasm", tmp_path / "run"
    source.parent.mkdir()
    code = b"(local l0 i64)\n(nop)\n(drop (i64.rotr l0 7L))\n"
    source.write_bytes(Assembler({}).pack({"module": b"(memory m0 1)\n", "f0": code}))
    rotates = script("LC_ALL=C grep -qa $(printf '\\212') a.wasm")
    assert reduce(rotates, source, jobs=1, record=run, smallest="char").minimal
    found = Recording.of(run).proof
    assert found is not None
    assert found.holds
    assert len(found.removals) > 5
    assert verify(run).holds
