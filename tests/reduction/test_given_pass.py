"""Passes and repairs of the user's own: what they propose is tried, and never trusted."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import adler32

import pytest

from nubbin.passes.guard import Guard, PassFailed
from nubbin.reduction.doors import open_doors
from nubbin.reduction.events import Event
from nubbin.reduction.options import word_for_pass
from nubbin.reduction.recorded.inspection import verify
from nubbin.reduction.recorded.resume import resume
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError

Script = Callable[..., Path]

NOTE = Guard.note

#: Each pass replaces a phrase by a word, which no deletion comes to.
PASSES = """
import os, time

def phrases(text, old="one two", new="three"):
    at = text.find(old)
    while at >= 0:
        yield at, at + len(old), new
        at = text.find(old, at + 1)

def of_bytes(data: bytes):
    return [(data.index(b"one"), data.index(b"one") + 7, b"three")] if b"one two" in data else []

def of_tree(data, tree):
    for node in tree.walk():
        if b"one two" in data[node.start:node.stop]:
            at = data.index(b"one two", node.start)
            yield at, at + 7, "three"

def together(text):
    if "one" in text:
        at = text.index("one")
        yield [(at, at + 3, "th"), (at + 3, at + 7, "ree")]

def forks(text):
    os.fork()
    print("not an answer")
    yield from phrases(text)

def raises(text):
    raise KeyError("y")

def bare():
    return []

def several(data, tree, more):
    return []

def lies(text):
    yield 3, 1_000_000, ""

def dies(text):
    os._exit(3)

def hangs(text):
    time.sleep(1000)

def checksums(text):
    lines = [line.partition("*")[0] for line in text.splitlines()]
    return "".join(f"{line}*{sum(map(ord, line)) % 97}\\n" for line in lines)

def raises_first(text, calls=[]):
    calls.append(text)
    if len(calls) < 3:
        raise KeyError(len(calls))
    return checksums(text)

def raises_on_empty(text):
    text[0]
    return checksums(text)
"""


def module_level(text: str) -> object:
    return text and [(0, 1, "")]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "p.py").write_text(PASSES)
    (tmp_path / "input.txt").write_text("zero é\none two\nfour\none two\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def test(script: Script) -> Path:
    return script('[ "$(grep -c "one two\\|three" input.txt)" = 2 ]')


@pytest.mark.parametrize(
    "given",
    ["p.py:phrases", "first@p.py:of_bytes", "last@p.py:of_tree", "p.py:together", "p.py:forks"],
)
def test_a_pass_proposes_edits(given: str, here: Path, test: Path) -> None:
    result = reduce(test, here / "input.txt", passes=(given,))
    assert result.data.split() == [b"three", b"three"]
    assert result.minimal


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("raises", "raised KeyError: 'y' (p.py, line 30)"),
        ("lies", "raised IndexError: the edit 3..1000000 is not in the text, which has 28"),
        ("dies", "ended its process"),
        ("hangs", "did not answer within 5 s"),
    ],
)
def test_a_pass_of_no_use_costs_a_sentence(
    name: str, said: str, here: Path, test: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Guard, "note", NOTE)
    monkeypatch.setattr(open_doors, "_LIMIT_S", 5.0 if name == "hangs" else 300.0)
    events: list[Event] = []
    given = (f"first@p.py:{name}", "p.py:phrases")
    result = reduce(test, here / "input.txt", passes=given, observers=[events.append])
    assert result.data.split() == [b"three", b"three"]
    (failed,) = (each for each in events if isinstance(each, PassFailed))
    assert (failed.name, failed.error.partition("; it is not")[0]) == (f"p.py:{name}", said)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("p.py:none", "p.py:none cannot be loaded: raised NameError: there is no none in it"),
        ("p.py:bare", r"raised TypeError: it takes \(\), and not \(text\) or \(data, tree\)"),
        ("p.py:several", r"it takes \(data, tree, more\), and not \(text\) or \(data, tree\)"),
        ("p.py:os", r"raised TypeError: it is not a function\."),
        ("q.py:none", "q.py, cannot be read"),
        ("none", "there is no pass 'none'"),
    ],
)
def test_no_such_pass(given: str, said: str, here: Path, test: Path) -> None:
    with pytest.raises(NubbinError, match=said):
        reduce(test, here / "input.txt", passes=(given,))
    assert not (here / "input.reduced.txt").exists()


def test_a_function_is_named_by_its_file() -> None:
    assert word_for_pass(module_level) == f"{__file__}:module_level"
    with pytest.raises(TypeError, match="from the top of a file"):
        word_for_pass(lambda text: ())


def test_a_pass_of_an_installed_package(
    here: Path, test: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = here / "site"
    about = site / "mine-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "mine.py").write_text(PASSES)
    (about / "METADATA").write_text("Name: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[nubbin.passes]\nmine = mine:phrases\n")
    monkeypatch.syspath_prepend(site)
    assert reduce(test, here / "input.txt", passes=("mine",)).data.split() == [b"three", b"three"]


@pytest.mark.parametrize("name", ["checksums", "raises_on_empty", "raises_first"])
def test_a_repair_is_called_with_every_candidate(
    name: str, here: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test rejects each line whose checksum is wrong, so nothing else gets anywhere."""
    monkeypatch.setattr(Guard, "note", NOTE)
    source = here / "sums.txt"
    source.write_text(
        "".join(f"{line}*{sum(map(ord, line)) % 97}\n" for line in ["ab", "xcy", "d"])
    )
    check = (
        "text = open('sums.txt').read(); lines = [x.split('*') for x in text.splitlines()]\n"
        "sys.exit(not all(int(c) == sum(map(ord, a)) % 97 for a, c in lines) or 'c' not in text)"
    )
    test = script(f'exec {sys.executable} -c "import sys\n{check}"')
    given = (f"repair@p.py:{name}",)
    result = reduce(test, source, passes=given, record=here / "run", smallest="char")
    assert result.data in (b"c*2\n", b"c*2")
    assert result.minimal
    assert verify(here / "run").holds


def test_a_pass_that_has_changed_is_not_gone_on_with(here: Path, test: Path) -> None:
    reduce(test, here / "input.txt", passes=("p.py:phrases",), record=here / "run")
    (here / "p.py").write_text(PASSES + "\n")
    with pytest.raises(NubbinError, match=r"The pass p\.py:phrases has changed"):
        resume(here / "run")


def test_a_run_with_a_proposer_says_how_to_go_on(here: Path, test: Path) -> None:
    from nubbin.journal.journal import Journal  # noqa: PLC0415

    reduce(test, here / "input.txt", record=here / "run")
    with Journal(here / "run") as journal:
        journal.tell(options={"proposer": "./propose"})
    assert verify(here / "run").holds
    with pytest.raises(NubbinError, match=r"--pass FILE\.py:NAME"):
        resume(here / "run")


def test_a_run_of_an_earlier_nubbin_goes_on(here: Path, test: Path) -> None:
    from nubbin.journal import schema  # noqa: PLC0415

    run = here / "run"
    whole = reduce(test, here / "input.txt", record=run).data
    forgotten: dict[str, Any]
    from nubbin.disk import Folder  # noqa: PLC0415

    with Folder(run) as ours:
        store = schema.opened_for_writing(ours)
        forgotten = schema.told(store)
        del forgotten["passes"], forgotten["reduce_with"], forgotten["pass_sources"]
        schema.tell(store, forgotten)
        store.close()
    assert resume(run, trust=True).data == whole


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dies", ["ended its process; the run ends"]),
        (
            "raises",
            [
                "raised KeyError: 'y' (p.py, line 30); such candidates are tried as they are",
                "raised KeyError: 'y' (p.py, line 30); the run ends",
            ],
        ),
    ],
)
def test_a_repair_of_no_use_ends_the_run(
    name: str, said: list[str], here: Path, script: Script, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Candidates that are not repaired prove nothing: the best is kept, and not called minimal."""
    monkeypatch.setattr(Guard, "note", NOTE)
    monkeypatch.setattr(open_doors, "_MAX_RAISED", 3)
    events: list[Event] = []
    test, given = script('[ "$(wc -c <input.txt)" = 29 ]'), (f"repair@p.py:{name}",)
    result = reduce(test, here / "input.txt", passes=given, observers=[events.append])
    assert result.data == (here / "input.txt").read_bytes()
    assert [each.error for each in events if isinstance(each, PassFailed)] == said
    assert not result.minimal
    assert result.queries <= 5


def test_files_with_the_same_text_are_repaired_each(here: Path, script: Script) -> None:
    for name in "ab":
        (here / "in").mkdir(exist_ok=True)
        (here / "in" / name).write_text("x*23\ny*24\nz\n")
    test = script("cat in/a in/b >c; [ \"$(grep -c 'y[*]24' c)\" = 2 ]")
    result = reduce(test, here / "in", passes=("repair@p.py:checksums",))
    assert result.files == {"in/a": b"y*24\n", "in/b": b"y*24\n"}


LINES = b"".join(b"step %d\nset volt=%d\nwait %d\n" % (at, at % 10, at) for at in range(60))


def test_a_repair_that_restores_a_part_is_no_way_back(here: Path, script: Script) -> None:
    """Without its last part, the result would be repaired to one that was accepted before."""
    repair = "import zlib\ndef f(data: bytes):\n    body = data.rsplit(b'#', 1)[0]\n"
    (here / "sum.py").write_text(repair + "    return body + b'#%08x\\n' % zlib.adler32(body)")
    source = here / "in.txt"
    source.write_bytes(b"%b#%08x\n" % (LINES, adler32(LINES)))
    held = "d != sum.f(d) or b'set volt=9' not in d"
    check = f"import sys, sum; d = open('in.txt', 'rb').read(); sys.exit({held})"
    test = script(f'PYTHONPATH={here} exec {sys.executable} -c "{check}"')
    result = reduce(test, source, passes=("repair@sum.py:f",))
    assert (result.data[:11], len(result.data)) == (b"set volt=9#", 20)
    assert result.minimal
