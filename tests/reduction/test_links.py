"""Links in a folder stay links, in every candidate and result; what they lead to is the user's."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.deltas import applied, delta
from nubbin.documents.document import Document
from nubbin.documents.edits import File, Link
from nubbin.oracles.isolation.candidate_files import Origin, update, write_files
from nubbin.reduction.recorded.inspection import restore, verify
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin.reduction.result.output_path import contents_at, contents_of, is_replaceable
from nubbin.reduction.result.place import ResultPlace
from nubbin.report.page.html import html
from nubbin.report.page.markdown import markdown
from nubbin.report.page.recording import Recording
from nubbin_core.errors import NubbinError

Script = Callable[..., Path]

TOOL = b"one\nneedle\ntwo\n"
FINDS = "[ -L p/tool ] && grep -q needle p/tool && [ -L p/out ] && [ -e p/out/secret ]"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a link to a file in it, one to a folder beside it, and three for nothing."""
    folder = tmp_path / "work" / "p"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/real").write_bytes(TOOL)
    (folder / "notes").write_bytes(b"nothing\n" * 9)
    (folder.parent / "beside").mkdir()
    (folder.parent / "beside/secret").write_bytes(b"the user's own\n")
    (folder.parent / "beside/secret").chmod(0o604)
    (folder / "tool").symlink_to("bin/real")
    (folder / "out").symlink_to("../beside")
    (folder / "gone").symlink_to("nowhere")
    (folder / "all").symlink_to("/")
    (folder / "bin/up").symlink_to("..")
    return folder


def outside(project: Path) -> tuple[bytes, int]:
    secret = project.parent / "beside/secret"
    return secret.read_bytes(), stat.S_IMODE(secret.stat().st_mode)


RESULT = {"p/bin/real": b"needle", "p/out": Link(b"../beside"), "p/tool": Link(b"bin/real")}


def test_a_folder_with_links(script: Script, project: Path, tmp_path: Path) -> None:
    before = contents_at(project), outside(project)
    run = tmp_path / "run"
    found = reduce(script(FINDS), project, record=run, max_queries=5)
    assert found.reason == "max-queries"
    found = resume(run)
    assert found.files == RESULT
    assert found.minimal
    assert contents_at(found.output) == {
        path.removeprefix("p/"): data for path, data in RESULT.items()
    }
    assert (contents_at(project), outside(project)) == before
    assert verify(run).holds
    restore(run, 1, project.with_name("again"))
    assert contents_at(project.with_name("again")) == before[0]
    assert "p/tool (a link)" in html(Recording.of(run))
    assert "p/tool (a link)" in markdown(Recording.of(run), full=True)


def test_a_result_with_links_is_replaced_by_the_next_run(script: Script, project: Path) -> None:
    test = script(FINDS)
    first = reduce(test, project, record=True, max_queries=4)
    assert reduce(test, project, record=True).output == first.output
    (first.output / "tool").unlink()
    (first.output / "tool").write_bytes(b"bin/real")  # the same bytes, and no link
    with pytest.raises(NubbinError, match="is not a result of nubbin"):
        reduce(test, project)


@pytest.mark.parametrize("place", ["elsewhere/deep/out", "work/out", "p.out"])
def test_links_of_a_result_lead_where_those_of_a_candidate_led(
    script: Script, project: Path, tmp_path: Path, place: str
) -> None:
    absolute = os.fsencode(project / "bin/real")
    (project / "tool").unlink()
    (project / "tool").symlink_to(absolute.decode())
    output, run = tmp_path / place, tmp_path / "run"
    output.parent.mkdir(parents=True, exist_ok=True)
    test = script(FINDS)
    found = reduce(test, project, output=output, record=run, jobs=1)
    assert found.files == {**RESULT, "p/tool": Link(absolute)}
    assert (output / "out/secret").samefile(project.parent / "beside/secret")
    assert (output / "tool").samefile(output / "bin/real")
    assert verify(run).holds
    kept = run / "best" / output.name
    assert (kept / "out/secret").samefile(project.parent / "beside/secret")
    assert is_replaceable(output, contents_at(output), run)
    (output / "out").unlink()
    (output / "out").symlink_to("elsewhere")
    assert not is_replaceable(output, contents_at(output), run)
    assert not verify(run).unchanged


def test_links_of_several_inputs(script: Script, project: Path, tmp_path: Path) -> None:
    other = project.with_name("other.txt")
    other.write_text("one\nneedle\n")
    (project / "out").unlink()
    (project / "out").symlink_to("../../far")
    (tmp_path / "far").mkdir()
    (tmp_path / "far/secret").write_text("the user's own\n")
    test = script(f"{FINDS} && grep -q needle other.txt")
    for _ in range(2):  # the second replaces the result of the first
        found = reduce(test, [project, other], record=True, smallest="lines")
        assert (found.output / "p/out/secret").samefile(tmp_path / "far/secret")
        assert found.run is not None
        assert verify(found.run).holds


def test_in_place(script: Script, project: Path) -> None:
    before = contents_at(project)
    assert reduce(script(FINDS), project, in_place=True).files == RESULT
    assert contents_at(project.with_name("p.orig")) == before
    assert str((project / "out").readlink()) == "../beside"
    assert outside(project) == (b"the user's own\n", 0o604)


def test_any_executor_finds_the_same_links(script: Script, project: Path) -> None:
    (project / "notes").write_bytes(b"nothing\n" * 9_999)  # so much that it is sent in deltas
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert reduce(script(FINDS), project, executor=pool, jobs=1).files == RESULT


def test_packages_are_found_and_no_part_of_the_result(script: Script, project: Path) -> None:
    (project / "lib/node_modules/x").mkdir(parents=True)
    (project / "lib/node_modules/x/index.js").write_text("installed")
    (project / "lib/a.js").write_text("first\nneedle\n")
    test = script("grep -q needle p/lib/a.js && grep -q installed p/lib/node_modules/x/index.js")
    run = project.parent / "run"
    found = reduce(test, project, record=run, max_queries=3)
    assert resume(run).files == {"p/lib/a.js": b"needle"}
    assert [path.name for path in (found.output / "lib").iterdir()] == ["a.js"]
    assert verify(run).holds
    assert (project / "lib/node_modules/x/index.js").read_text() == "installed"


def test_all_files_are_reduced_if_wanted(script: Script, project: Path) -> None:
    (project / "node_modules").mkdir()
    (project / "node_modules/x.js").write_text("first\nneedle\n")
    found = reduce(script("grep -q needle p/node_modules/x.js"), project, all_files=True)
    assert found.files == {"p/node_modules/x.js": b"needle"}


@pytest.mark.parametrize(
    ("path", "target", "leads_to"),
    [
        ("p/a", "b", "b"),
        ("p/sub/a", "../b", "../b"),
        ("p/sub/a", "..", ".."),
        ("p/a", "../p/b", "../p/b"),
        ("p/a", "/etc/b", "/etc/b"),
        ("p/a", "../q/b", "/home/me/q/b"),
        ("p/sub/a", "../../../x", "/home/x"),
        ("p/a", "../pp", "/home/me/pp"),
    ],
)
def test_a_link_leads_where_it_led(path: str, target: str, leads_to: str) -> None:
    origin = Origin("/home/me", "p")
    assert origin.target(path, Link(target.encode())) == leads_to


@given(
    st.lists(st.sampled_from(["..", "a", "b", "p", "q"]), min_size=1, max_size=5),
    st.sampled_from(["", "/r/", "/r/p/", "/"]),
    st.sampled_from(["/r/p", "/r/p.reduced", "/r/deep/p", "/s", "/r/p/out"]),
    st.sampled_from(["p/l", "p/a/l"]),
)
def test_a_link_means_the_same_in_a_candidate_and_in_a_result(
    parts: list[str], begins: str, place: str, path: str
) -> None:
    origin, link = Origin("/r", "p"), Link(os.fsencode(begins + "/".join(parts)))
    shown = origin.target(path, link)
    written = origin.target_at(place, path, link)
    if place == "/r/p":
        assert written == os.fsdecode(link)

    def leads_to(folder: str, target: str) -> str:
        """Say where a link in a copy of the input leads; @ is the copy."""
        to = os.path.normpath(os.path.join(folder, os.path.dirname(path)[2:], target))  # noqa: PTH118, PTH120
        return "@" + to[len(folder) :] if f"{to}/".startswith(f"{folder}/") else to

    assert leads_to(place, written) == leads_to("/copy/p", shown)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.mkdir()
    folder.mkdir()
    for hostile in (
        {"a": Link(os.fsencode(victim)), "a/b": b"written"},
        {"a/b": b"written", "a": Link(os.fsencode(victim))},
        {"a": Link(os.fsencode(victim)), "a/b": Link(b"x")},
    ):
        with pytest.raises(OSError, match="no candidate can be written"):
            write_files(hostile, str(folder))
        with pytest.raises(ValueError, match="in a link"):
            update(str(folder), {}, hostile)
    assert not list(victim.iterdir())


def test_what_a_link_leads_to_is_not_touched(tmp_path: Path) -> None:
    """Neither contents nor permissions, when results follow one another."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    victim.chmod(0o444)
    (tmp_path / "p").mkdir()
    (tmp_path / "p/a").write_bytes(b"executable, and now a file")
    (tmp_path / "p/a").chmod(0o777)
    link, file = Link(os.fsencode(victim)), b"text"
    with ResultPlace(tmp_path, tmp_path / "out") as best:
        for first, second in ((link, file), (file, link), (link, link)):
            document = Document("p", (File("p/a", first), File("p/b", second)))
            best.write(document)
            best.confirm(document)
            assert contents_at(tmp_path / "out") == contents_of(
                document, tmp_path / "out", tmp_path
            )
    assert victim.read_bytes() == b"mine"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o444


contents = st.dictionaries(
    st.sampled_from(["a", "b", "c/d", "c/e"]),
    st.binary(max_size=4) | st.binary(min_size=1, max_size=4).map(Link),
    max_size=4,
)


@given(contents, contents)
@examples(50)
def test_deltas_keep_links(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    back = applied(delta(one, other), other)
    assert back == one
    assert [type(data) for data in back.values()] == [type(data) for data in one.values()]


def test_a_link_is_no_container() -> None:
    document = Document("p", (File("p/a", Link(b"PK\x05\x06" + bytes(18))),))
    assert document.unpacked() == document


def test_an_absolute_link_into_the_input_leads_into_the_candidate() -> None:
    link = Link(b"/home/me/z/v1")
    assert Origin("/home/me", "z").target("z/deep/cur", link) == "../v1"
    assert Origin("/home/me", ".").target("z/cur", link) == "v1"
    assert Origin("/home/me", "y").target("y/cur", link) == "/home/me/z/v1"


def test_what_in_place_left_unread_is_still_the_input(script: Script, tmp_path: Path) -> None:
    folder = tmp_path / "q"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/config").write_text("precious\n")
    (folder / "a.txt").write_text("a\nb\nc\n")
    test, run = script("grep -q b q/a.txt"), tmp_path / "run"
    reduce(test, folder, in_place=True, all_files=True, record=run, jobs=1, max_queries=1)
    original = tmp_path / "q.orig"
    if folder.exists() and original.exists():
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()
        original.rename(folder)
    resume(run, jobs=1)
    kept = original if original.exists() else folder
    assert (kept / ".git/config").read_text() == "precious\n"
