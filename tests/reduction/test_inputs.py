"""What may be given as a test, an input, and places: as text or as paths, right or wrong."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import nubbin
from examples import mostly_nightly
from faults import remove
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.isolation.candidate_files import write_files
from nubbin.reduction.events import Event, LeftOut
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.start.inputs import read_inputs
from nubbin_core.argument_types import StrPath
from nubbin_core.errors import NubbinError
from predicates import has_b

Script = Callable[..., Path]


@dataclass(frozen=True)
class Entry:
    """A path as `os.DirEntry` and py.path are: neither text nor Path."""

    path: str

    def __fspath__(self) -> str:
        return self.path


def entry(path: Path) -> Entry:
    return Entry(str(path))


@pytest.mark.parametrize("kind", mostly_nightly([str, Path, entry], [entry]))
def test_any_kind_of_path(script: Script, tmp_path: Path, kind: Callable[[Path], StrPath]) -> None:
    (tmp_path / "abc.txt").write_text("a\nb\nc\n")
    test, source = script("grep -q b abc.txt"), tmp_path / "abc.txt"
    found = nubbin.reduce(
        kind(test),
        kind(source),
        output=kind(tmp_path / "small"),
        record=kind(tmp_path / "run"),
        max_queries=1,
    )
    assert found.output == tmp_path / "small"
    assert nubbin.resume(kind(tmp_path / "run")).data == b"b"
    output = kind(tmp_path / "smaller")
    found = nubbin.reduce(CommandTest.of(kind(test)), [kind(source)], output=output)
    assert found.files == {"abc.txt": b"b"}
    assert nubbin.reduce(has_b, kind(source)).data == b"b"


@pytest.mark.parametrize("kind", [str, Path])
def test_what_is_not_there_is_told_in_a_paragraph(
    script: Script, tmp_path: Path, kind: Callable[[Path], str | Path]
) -> None:
    (tmp_path / "abc.txt").write_text("a\nb\nc\n")
    nothing = kind(tmp_path / "nothing")
    with pytest.raises(NubbinError, match="There is no test at"):
        reduce(nothing, tmp_path / "abc.txt")
    with pytest.raises(NubbinError, match="There is no input at"):
        reduce(script("true"), nothing)
    with pytest.raises(NubbinError, match="There is no input at"):
        reduce(script("true"), [tmp_path / "abc.txt", nothing])
    with pytest.raises(NubbinError, match="There is no recorded run in"):
        resume(nothing)
    for wrong in (len, b"abc.txt", 3):
        with pytest.raises(TypeError, match="the test comes before it"):
            reduce(script("true"), wrong)  # type: ignore[arg-type]
    nameless: list[list[str | Path]] = [[], [""], [tmp_path / "abc.txt", ""]]
    for empty in nameless:
        with pytest.raises(NubbinError, match="There is no input: give"):
            reduce(script("true"), empty)


@pytest.mark.parametrize("option", ["record", "output"])
def test_a_place_that_the_system_cannot_look_up_is_named(
    script: Script, tmp_path: Path, option: str
) -> None:
    source = tmp_path / "in.txt"
    source.write_text("a\nb\n")
    place: Any = {option: tmp_path / ("x" * 300)}
    with pytest.raises(NubbinError, match=r"cannot look up the path .*: File name too long"):
        reduce(script("grep -q a in.txt"), source, **place)


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(NubbinError, match="link no longer exists, or leads nowhere"):
        read_inputs(tmp_path / "link")


def test_a_pipe_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NubbinError, match="neither a file nor a folder"):
        read_inputs(tmp_path / "pipe")


def test_more_than_the_memory_is_told_by_the_largest_file(tmp_path: Path) -> None:
    for name, size in (("a", 1 << 29), ("huge", 1 << 41), ("z", 3)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size if name != "a" else 9)
    with pytest.raises(NubbinError, match=r"/huge cannot be read: .* 2,199,023,255,552 bytes"):
        read_inputs(tmp_path)


def test_a_terminal_is_told_and_not_waited_for() -> None:
    ours, theirs = os.openpty()
    try:
        with pytest.raises(NubbinError, match="is a terminal"):
            read_inputs(f"/dev/fd/{theirs}")
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_stream_is_read_as_a_file_in_the_current_folder(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "abc.txt").write_text("not this one: c")
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as pipe:
        pipe.write("a\nb\n")
    try:
        test = script("grep -q b abc.txt")
        found = reduce(test, f"/dev/fd/{reader}", name="abc.txt", output="abc.txt")
    finally:
        os.close(reader)
    assert found.files == {"abc.txt": b"b"}
    assert (tmp_path / "abc.txt").read_text() == "b"


def test_what_is_left_out_is_told_first(script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("a\nb\n")
    (folder / ".git").mkdir()
    os.mkfifo(folder / "pipe")
    test = script("[ ! -e project/.git ] && grep -q b project/a.txt")
    events: list[Event] = []
    assert reduce(test, folder, observers=[events.append]).files == {"project/a.txt": b"b"}
    assert events[0] == LeftOut(("project/.git", "project/pipe (a pipe, socket or device)"))
    assert not any(isinstance(event, LeftOut) for event in events[1:])


def test_in_place_loses_nothing_that_was_left_out(script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("a\nb\n")
    (folder / ".git").mkdir()
    with pytest.raises(NubbinError, match=r"project/\.git\. Leave out --in-place"):
        reduce(script("grep -q b project/a.txt"), folder, in_place=True)
    assert {path.name for path in folder.iterdir()} == {"a.txt", ".git"}


@pytest.mark.nightly
def test_a_folder_may_be_a_thousand_levels_deep(script: Script, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    deep = f"{'d/' * 1000}two"
    write_files({deep: b"a\nb\n", "one": b"c\n"}, str(tmp_path / "in"))
    try:
        test = script("grep -rq b in")
        found = reduce(test, tmp_path / "in", record=tmp_path / "run")
        (data,) = found.files.values()
        assert (data, found.minimal) == (b"b", True)
        assert (tmp_path / "in" / deep).read_bytes() == b"a\nb\n"
    finally:
        for name in ("in", "in.reduced", "run"):
            remove(tmp_path / name)  # too deep for some to remove
