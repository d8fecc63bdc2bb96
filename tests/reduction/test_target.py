"""The place of a result is one run's, and nobody's files in it are lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from examples import mostly_nightly
from faults import ASKER
from nubbin.journal.recorded_run import runs_in
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.result.place import ResultPlace
from nubbin_core.errors import NubbinError

Script = Callable[..., Path]

pytestmark = pytest.mark.usefixtures("steady")

NUBBIN = [sys.executable, "-m", "nubbin"]
TEXT = b"".join(b"%d\n" % number for number in range(30))
FOUND = "grep -qx 17 {0} && grep -qx 21 {0}"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with an input that is a file, and one that is a folder."""
    here = tmp_path / "here"
    (here / "many").mkdir(parents=True)
    (here / "in.txt").write_bytes(TEXT)
    (here / "many/in.txt").write_bytes(TEXT)
    (here / "many/more.txt").write_bytes(b"more\n" * 9)
    return here


def counting(script: Script, here: Path, at: int, more: str, name: str = "in.txt") -> Path:
    """A test that does something besides, once: in the run of this number."""
    count = here.parent / "count"
    count.touch()
    often = f"echo >>{count}; [ $(wc -l <{count}) -ne {at} ] || {{ {more}\n}}"
    return script(f"{often}\n{FOUND.format(name)}")


def runs_of(here: Path) -> int:
    return len((here.parent / "count").read_text())


def nubbin(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    line = [*NUBBIN, *words]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=cwd)


def tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".nubbin" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# -- what is there at first ------------------------------------------------------------------------


def put_file(place: Path) -> None:
    place.write_text("mine")


def put_link(place: Path) -> None:
    place.with_name("mine").write_text("mine")
    place.symlink_to(place.with_name("mine"))


def put_dangling_link(place: Path) -> None:
    place.symlink_to(place.with_name("nowhere"))


def put_folder(place: Path) -> None:
    (place / "deep").mkdir(parents=True)
    (place / "deep/notes").write_text("mine")


def put_pipe_in_folder(place: Path) -> None:
    place.mkdir()
    os.mkfifo(place / "pipe")


PUTS = [put_file, put_link, put_dangling_link, put_folder, put_pipe_in_folder, os.mkfifo]


@pytest.mark.parametrize("put", PUTS)
@pytest.mark.parametrize("name", ["in.txt", "many"])
@pytest.mark.parametrize("record", [True, False])
def test_a_default_result_replaces_nothing(
    script: Script, here: Path, name: str, put: Callable[[Path], None], record: bool
) -> None:
    put((here / name).with_stem(f"{Path(name).stem}.reduced"))
    before, there = tree(here), names(here)
    with pytest.raises(NubbinError, match=r"something at|a link|is a folder|a device or a pipe"):
        reduce(script("exit 77"), here / name, record=record)
    assert (tree(here), names(here)) == (before, there)


def test_a_readable_copy_replaces_nothing(script: Script, here: Path) -> None:
    (here / "in.reduced.pretty.txt").write_text("mine")
    with pytest.raises(NubbinError, match=r"something at .*pretty"):
        reduce(script("exit 77"), here / "in.txt", pretty=True)


@pytest.mark.parametrize("record", [True, False])
@pytest.mark.parametrize("name", ["in.txt", "many"])
def test_a_former_result_is_replaced_as_long_as_nobody_changed_it(
    script: Script, here: Path, name: str, record: bool
) -> None:
    source = here / name
    where = source.name if source.is_file() else "many/in.txt"
    first = reduce(script(FOUND.format(where)), source, record=record)
    again = reduce(script(f"grep -qx 4 {where}"), source, record=record)
    assert again.output == first.output
    (file,) = [again.output] if again.output.is_file() else again.output.iterdir()
    assert file.read_bytes() == b"4"
    file.write_bytes(b"4 and more")
    with pytest.raises(NubbinError, match="was changed since"):
        reduce(script("exit 77"), source, record=record)
    assert file.read_bytes() == b"4 and more"


def test_what_a_killed_run_left_is_a_former_result(script: Script, here: Path) -> None:
    test = counting(script, here, 12, f"kill -9 {ASKER}")
    assert nubbin("reduce", "-q", "-j1", test, here / "in.txt").returncode == -signal.SIGKILL
    left = (here / "in.reduced.txt").read_bytes()
    assert left not in (TEXT, b"17\n21")
    assert reduce(test, here / "in.txt", record=True).output.read_bytes() == b"17\n21"
    assert names(here) == {".nubbin", "in.txt", "many", "in.reduced.txt"}


def test_a_file_that_is_named_is_replaced(script: Script, here: Path) -> None:
    (here / "out").write_text("an older result")
    result = reduce(script(FOUND.format("in.txt")), here / "in.txt", output=here / "out")
    assert (here / "out").read_bytes() == result.data == b"17\n21"


def test_a_link_is_not_replaced(script: Script, here: Path) -> None:
    put_link(here / "out")
    with pytest.raises(NubbinError, match=r"out cannot be written: it is a link, to .*mine"):
        reduce(script("exit 77"), here / "in.txt", output=here / "out")
    (here / "link.txt").symlink_to("in.txt")
    with pytest.raises(
        NubbinError, match=r"link\.txt cannot be written: it is a link, to .*in\.txt"
    ):
        reduce(script("exit 77"), here / "link.txt", in_place=True)
    assert (here / "link.txt").is_symlink()


def test_nothing_is_put_into_the_input(script: Script, here: Path) -> None:
    many, test = here / "many", script("grep -qx 17 many/in.txt")
    for options in ({"output": many / "small"}, {"record": many / "run"}):
        with pytest.raises(NubbinError, match="is in the input"):
            reduce(script("exit 77", "no.sh"), many, **options)  # type: ignore[arg-type]
    words = ["reduce", "-q", str(test), "here/many/in.txt", "here/many"]
    assert nubbin(*words, cwd=here.parent).returncode == 0
    assert names(many) == {"in.txt", "more.txt"}
    assert names(here) == {"in.txt", "many", "nubbin.reduced", ".nubbin"}


# -- one run at a time -----------------------------------------------------------------------------


def test_two_runs_do_not_write_one_result(script: Script, here: Path) -> None:
    other = script(f"sleep 1000 & {FOUND.format('in.txt')}; exit 1", "other.sh")
    line = " ".join([*NUBBIN, "reduce", "-q", str(other), str(here / "in.txt")])
    told = here.parent / "told"
    test = counting(script, here, 9, f"{line} 2>{told}; echo $? >>{told}")
    assert nubbin("reduce", "-q", "-j1", "-t", "1000", test, here / "in.txt").returncode == 0
    assert "Another run of nubbin, in process" in told.read_text()
    assert told.read_text().endswith("\n1\n")
    assert (here / "in.reduced.txt").read_bytes() == b"17\n21"
    assert len(runs_in(here)) == 1


def test_every_name_of_a_place_is_the_same_place(
    script: Script, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here.parent / "alias").symlink_to(here)
    monkeypatch.chdir(here)
    test = script("exit 77")
    run = here.parent / "run"
    reduce(script(FOUND.format("in.txt"), "good.sh"), here / "in.txt", record=run, max_queries=5)
    with ResultPlace(here, here / "in.reduced.txt"):
        for source in (here.parent / "alias/in.txt", here / "many/../in.txt", Path("in.txt")):
            with pytest.raises(NubbinError, match=f"in process {os.getpid()}, writes to"):
                reduce(test, source)
        with pytest.raises(NubbinError, match=f"in process {os.getpid()}, writes to"):
            resume(run)
    assert resume(run).data == b"17\n21"


def test_an_input_is_replaced_by_one_run_at_a_time(script: Script, here: Path) -> None:
    for name in ("in.txt", "many"):
        with ResultPlace(here, here / name), pytest.raises(NubbinError, match="writes to"):
            reduce(script("exit 77"), here / name, in_place=True)
    assert names(here) == {"in.txt", "many"}


#: Sixteen processes at once, that need not import anything any more.
AT_ONCE = """
import os, sys
from nubbin.cli import main
import nubbin.cli.work.run, nubbin.reduction.reduce

sys.argv.append("")
children = []
for number in range(4):
    children.append(os.fork())
    if not children[-1]:
        sys.argv[-1] = os.path.join(os.path.dirname(sys.argv[-3]), f"out{number}")
        main()
sys.exit(any(os.waitpid(child, 0)[1] for child in children))
"""


def test_runs_that_begin_in_the_same_second(script: Script, here: Path) -> None:
    words = ["reduce", "-q", "-j1", str(script("grep -qx 17 in.txt")), str(here / "in.txt"), "-o"]
    started = subprocess.run([sys.executable, "-c", AT_ONCE, *words], check=False)
    assert started.returncode == 0
    assert {(here / f"out{number}").read_bytes() for number in range(4)} == {b"17"}
    assert len(runs_in(here)) == 4


# -- what somebody else does during the run --------------------------------------------------------

MISCHIEF = {
    "in.txt": ["echo mine >>{0}", "rm {0}; mkdir {0}; echo mine >{0}/mine", "ln -sfn nowhere {0}"],
    "many": [
        "echo mine >{0}/mine",
        "mkdir -p {0}/deep/er; echo mine >{0}/deep/er/mine",
        "echo mine >>{0}/in.txt",
        "rm -r {0}; echo mine >{0}",
        "mkfifo {0}/pipe",
        "ln -s /dev/null {0}/link",
    ],
}


@pytest.mark.parametrize(
    ("name", "mischief", "in_place"),
    mostly_nightly(
        [
            (name, each, in_place)
            for name, all_ in MISCHIEF.items()
            for each in all_
            for in_place in (False, True)
        ],
        [
            ("in.txt", MISCHIEF["in.txt"][0], True),
            ("many", MISCHIEF["many"][1], False),
            ("many", MISCHIEF["many"][4], True),
        ],
    ),
)
def test_what_others_write_there_is_left_as_it_is(
    script: Script, here: Path, name: str, mischief: str, in_place: bool
) -> None:
    source, run = here / name, here.parent / "run"
    target = source if in_place else source.with_stem(f"{source.stem}.reduced")
    before = tree(here)
    saved = here.parent / "saved"
    more = f"{mischief.format(target)}; cp -a {target} {saved}"
    where = "in.txt" if name == "in.txt" else "many/in.txt"
    test = counting(script, here, 12, more, where)
    with pytest.raises(NubbinError, match=f"(?s)Another process.*nubbin resume {run}"):
        reduce(test, source, in_place=in_place, record=run, jobs=1)
    lies = subprocess.run(["diff", "-r", "--no-dereference", target, saved], check=False)
    assert (lies.returncode == 0) or "mkfifo" in mischief  # which diff does not compare
    (run / "best" / target.name).stat()
    with pytest.raises(NubbinError, match="Move it away"):
        resume(run)
    target.rename(here.parent / "moved")
    result = resume(run)
    assert list(result.files.values()) == [b"17\n21"]
    assert (target if target.is_file() else target / "in.txt").read_bytes() == b"17\n21"
    if in_place:
        kept = source.with_name(f"{name}.orig")
        assert (kept.read_bytes() if kept.is_file() else tree(kept)) == (
            TEXT if name == "in.txt" else {"in.txt": TEXT, "more.txt": b"more\n" * 9}
        )
    else:
        assert {path: tree(here)[path] for path in before} == before
    assert not [each for each in names(here) if each.endswith(".nubbin") and each != ".nubbin"]


def test_at_the_very_end(script: Script, here: Path) -> None:
    run = here.parent / "run"
    test = counting(script, here, 0, "true")
    reduce(test, here / "in.txt", jobs=1, output=here / "whole")
    last = runs_of(here)
    (here.parent / "count").unlink()
    test = counting(script, here, last, f"echo mine >{here}/in.reduced.txt")
    with pytest.raises(NubbinError, match="Another process"):
        reduce(test, here / "in.txt", jobs=1, record=run)
    assert (here / "in.reduced.txt").read_text() == "mine\n"
    assert (run / "best/in.reduced.txt").read_bytes() == b"17\n21"


def test_without_a_record_the_best_is_kept_beside(script: Script, here: Path) -> None:
    (here / "in.reduced.1.txt").write_text("not this one")
    test = counting(script, here, 12, f"echo mine >>{here}/in.reduced.txt")
    with pytest.raises(NubbinError, match=r"best so far is in .*in\.reduced\.2\.txt"):
        reduce(test, here / "in.txt", jobs=1)
    assert b"17\n" in (here / "in.reduced.2.txt").read_bytes()
    assert (here / "in.reduced.1.txt").read_text() == "not this one"


@pytest.mark.parametrize(
    ("name", "mischief"),
    mostly_nightly(
        product(["in.txt", "many"], ["touch {0}", "chmod 600 {0}", "ln {0} {0}.2", "rm -r {0}"]),
        [("in.txt", "ln {0} {0}.2"), ("many", "rm -r {0}")],
    ),
)
def test_what_does_no_harm_ends_nothing(
    script: Script, here: Path, name: str, mischief: str
) -> None:
    target = here / ("many.reduced" if name == "many" else "in.reduced.txt")
    file = target / "in.txt" if name == "many" and "rm" not in mischief else target
    where = "in.txt" if name == "in.txt" else "many/in.txt"
    more = mischief.format(file).replace(f"{file}.2", str(here / "linked"))
    result = reduce(counting(script, here, 12, more, where), here / name, jobs=1)
    assert tree(here)[target.name if target.is_file() else "many.reduced/in.txt"] == b"17\n21"
    assert list(result.files.values()) == [b"17\n21"]


def test_a_file_that_comes_at_the_instant_of_the_replacement(
    script: Script, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def meanwhile(name: Path | str, to: Path | str, **folders: int) -> None:
        if name == here / "many" and not (here / "many/mine").exists():
            (here / "many/mine").write_text("mine")
        replace(name, to, **folders)

    monkeypatch.setattr(os, "replace", meanwhile)
    with pytest.raises(NubbinError, match="Another process"):
        reduce(
            script(FOUND.format("many/in.txt")), here / "many", in_place=True, record=True, jobs=1
        )
    assert (here / "many/mine").read_text() == "mine"
    assert tree(here / "many.orig") == {"in.txt": TEXT, "more.txt": b"more\n" * 9}


# -- the input, replaced ---------------------------------------------------------------------------


def test_the_original_is_kept_with_all_that_it_is(script: Script, here: Path) -> None:
    many = here / "many"
    (many / "link").symlink_to("more.txt")
    os.link(many / "in.txt", here / "same")
    (many / "more.txt").chmod(0o640)
    before = {path.relative_to(many): path.lstat().st_ino for path in many.rglob("*")}
    reduce(script(FOUND.format("many/in.txt")), many, in_place=True)
    kept = here / "many.orig"
    assert {path.relative_to(kept): path.lstat().st_ino for path in kept.rglob("*")} == before
    assert (kept / "more.txt").stat().st_mode & 0o777 == 0o640
    assert (here / "same").read_bytes() == TEXT
    assert tree(many) == {"in.txt": b"17\n21"}


@pytest.mark.parametrize("name", ["in.txt", "many"])
def test_an_input_that_changes_while_the_test_is_checked_is_not_replaced(
    script: Script, here: Path, name: str
) -> None:
    where = "in.txt" if name == "in.txt" else "many/in.txt"
    test = counting(script, here, 2, f"echo new >>{here / where}", where)
    with pytest.raises(NubbinError, match="while nubbin read it"):
        reduce(test, here / name, in_place=True, jobs=1)
    assert (here / where).read_bytes() == TEXT + b"new\n"
    assert names(here) == {"in.txt", "many"}


def test_where_there_are_no_hard_links(
    script: Script, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    reduce(script(FOUND.format("in.txt")), here / "in.txt", in_place=True)
    assert (here / "in.txt").read_bytes() == b"17\n21"
    assert (here / "in.txt.orig").read_bytes() == TEXT


# -- killed ----------------------------------------------------------------------------------------

#: Kills itself before or after the Nth change of a name, then runs the command line.
KILL = """
import os, pathlib, sys
from nubbin.__main__ import main

left, here = int(sys.argv.pop(1)), sys.argv.pop(1)

def dying(change):
    def changed(*arguments, **options):
        global left
        names = {str(each) for each in arguments[:2]}
        if not names & {"new", "aside", "old", "spare"} and here not in str(names):
            return change(*arguments, **options)
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        done = change(*arguments, **options)
        left -= 1
        if left == 0:
            os.kill(os.getpid(), 9)
        return done
    return changed

for name in ("link", "rename", "replace"):
    setattr(os, name, dying(getattr(os, name)))
main()
"""


@pytest.mark.parametrize(
    ("options", "at"),
    mostly_nightly(
        [
            *((["in.txt", "-i"], at) for at in range(1, 5)),
            *((["many"], at) for at in (1, 2, 3, 4, 5, 6, 7, 8, 15)),
            *((["many", "-i"], at) for at in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
        ],
        [(["in.txt", "-i"], 2), (["many"], 5), (["many", "-i"], 8)],
    ),
)
def test_killed_at_any_change_of_a_name_nothing_is_lost(
    script: Script, here: Path, at: int, options: list[str]
) -> None:
    name, *in_place = options
    where = "in.txt" if name == "in.txt" else "many/in.txt"
    test = script(FOUND.format(where))
    words = ["reduce", "-q", "-j1", *in_place, str(test), str(here / name)]
    killed = subprocess.run([sys.executable, "-c", KILL, str(at), here, *words], check=False)
    assert killed.returncode == -signal.SIGKILL
    (run,) = runs_in(here)
    result = resume(run.folder, jobs=1)
    assert list(result.files.values()) == [b"17\n21"]
    small = tree(here)[where if in_place else "many.reduced/in.txt"]
    assert small == b"17\n21"
    left = {".nubbin", "in.txt", "many"}
    if in_place:
        assert names(here) == left | {f"{name}.orig"}
        kept = here / f"{name}.orig"
        assert (kept / "in.txt" if kept.is_dir() else kept).read_bytes() == TEXT
    else:
        assert names(here) == left | {"many.reduced"}
