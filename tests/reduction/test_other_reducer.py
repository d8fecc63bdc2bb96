"""Other reducers: their test is the run's, and they take turns with the passes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from faults import Tether
from nubbin.passes.guard import Guard, PassFailed
from nubbin.reduction.doors import other_reducer
from nubbin.reduction.events import Event, ListStarted
from nubbin.reduction.pass_problem import _EachAlone
from nubbin.reduction.reduce import reduce
from nubbin_core.errors import NubbinError
from nubbin_core.minimizers import Subset
from nubbin_core.search.problem import Answered

Script = Callable[..., Path]

NOTE = Guard.note

#: Replaces one phrase after the other by a word, which no deletion comes to, if its test allows it.
REDUCER = """
f=$1; t=$2; log=$3
"$t" "$f" && echo begun >>"$log"
while sed '0,/one two/s//three/' "$f" >c.txt
    ! cmp -s c.txt "$f" && "$t" c.txt
do cp c.txt "$f"; done
"""
#: The same in Shrink Ray's protocol.
SPEAKER = """
import base64, json, sys
text = base64.b64decode(json.loads(input())["reduce"])
while b"one two" in text:
    smaller = text.replace(b"one two", b"three", 1)
    print(json.dumps({"content": base64.b64encode(smaller).decode()}), flush=True)
    if not json.loads(input())["interesting"]:
        break
    text = smaller
print('{"idle": true}', flush=True)
sys.stdin.read()  # ends when nubbin closes it
"""
TEXT = "zero\none two\nfour\none two\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "input.txt").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def test(script: Script) -> Path:
    return script('[ "$(grep -c "one two\\|three" input.txt)" = 2 ]')


def kinds(events: list[Event]) -> list[str]:
    return [each.kind for each in events if isinstance(each, Answered)]


@pytest.mark.parametrize(
    ("when", "jobs", "line"),
    [
        ("", 1, "./other.sh {} {test} log"),
        ("first@", 3, "./other.sh {} {test} log"),
        ("first@", 2, f"{sys.executable} speaker.py"),
    ],
)
def test_a_reducer_takes_turns(
    when: str, jobs: int, line: str, here: Path, test: Path, *, script: Script
) -> None:
    script(REDUCER, "other.sh")
    (here / "speaker.py").write_text(SPEAKER)
    events: list[Event] = []
    result = reduce(
        test, here / "input.txt", reduce_with=(when + line,), observers=[events.append], jobs=jobs
    )
    assert result.data.split() == [b"three", b"three"]
    assert result.minimal
    asked = kinds(events)
    assert asked.count("other reducer") == 2
    names = [each.name for each in events if isinstance(each, ListStarted)]
    assert names.count("speaker.py" if "speaker" in line else "other.sh") == 1
    assert (asked[:2] == ["other reducer"] * 2) == bool(when)


def test_it_hears_the_truth_about_larger_files(here: Path, test: Path, script: Script) -> None:
    larger = '(cat "$2"; echo more) >c.txt; "$1" c.txt && echo yes'
    script(f'({larger}; echo x >c.txt; "$1" c.txt || echo no) >>{here}/log', "other.sh")
    alone = reduce(test, here / "input.txt", output=here / "alone")
    line = "first@./other.sh {test} {}"
    result = reduce(test, here / "input.txt", reduce_with=(line,))
    assert result.data == alone.data
    assert (here / "log").read_text().split()[:2] == ["yes", "no"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo bad luck >&2; exit 1", "exited with status 1: bad luck"),
        (': >"$1"', ""),
        ('cat "$1" "$1" >"$3"', ""),
        ('rm -rf ./* ../* 2>/dev/null; "$2" "$1"', "exited with status 127"),
        ('"$2" no-such-file; "$2"; kill -9 $$', "was ended by signal 9"),
        ('while sed s/^/x/ <"$1" >c; do cp c "$1"; "$2" "$1"; done', ""),
    ],
)
def test_a_reducer_of_no_use_changes_nothing(
    body: str,
    said: str,
    here: Path,
    test: Path,
    *,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Guard, "note", NOTE)
    monkeypatch.setattr(other_reducer, "_PATIENCE", 4)
    script(body, "other.sh")
    alone = reduce(test, here / "input.txt", output=here / "alone")
    events: list[Event] = []
    line = "first@./other.sh {} {test} {out}"
    result = reduce(test, here / "input.txt", reduce_with=(line,), observers=[events.append])
    assert result.data == alone.data
    assert (here / "input.txt").read_text() == TEXT
    assert kinds(events).count("other reducer") <= 16
    told = [each.error for each in events if isinstance(each, PassFailed)]
    assert told == ([said] if said else [])


def test_one_that_hangs_ends_with_its_children(
    here: Path, test: Path, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Guard, "note", NOTE)
    monkeypatch.setattr(other_reducer, "_SILENT_S", 2.0)
    with Tether(here) as tether:
        body = f"exec 9>{tether.path}; echo up >&9; setsid sleep 1000 & sleep 1000"
        script(body, "other.sh")
        events: list[Event] = []
        line = "first@./other.sh {} {test}"
        reduce(test, here / "input.txt", reduce_with=(line,), observers=[events.append])
        tether.assert_cut(b"up\n")
    (failed,) = (each for each in events if isinstance(each, PassFailed))
    assert failed.error == "asked nothing for 2 s; it is not run again"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no-such-program", "there is no executable 'no-such-program'"),
        ("", "there is no executable ''"),
        (
            "sort {} >{out}",
            r"so '>\{out\}' would be an argument. Write: sh -c 'sort \{\} >\{out\}'",
        ),
        ("cat 'x", "No closing quotation"),
    ],
)
def test_no_such_reducer(line: str, said: str, here: Path, test: Path) -> None:
    with pytest.raises(NubbinError, match=said):
        reduce(test, here / "input.txt", reduce_with=(line,))


def test_a_folder_is_refused(here: Path, script: Script) -> None:
    for name in "ab":
        (here / "in").mkdir(exist_ok=True)
        (here / "in" / name).write_text("x")
    with pytest.raises(NubbinError, match="another reducer gets one file, and in is 2"):
        reduce(script("[ -s in/a ]"), here / "in", reduce_with=("cat",))


@given(st.lists(st.tuples(st.integers(-9, 9), st.booleans()), min_size=1, max_size=6))
@examples(20)
def test_of_a_wave_the_best_is_kept(wave: list[tuple[int, bool]]) -> None:
    gained, answers = zip(*wave, strict=True)
    everything = Subset.full(len(wave))
    asks = _EachAlone(everything, gained)
    assert [[*(everything - each.kept)] for each in asks.ask()] == [[at] for at in everything]
    told = asks.tell(answers)
    assert told.ask() == ()
    removed = [gained[at] for at in everything - told.kept]
    assert sum(removed) == max([0, *(gain for gain, yes in wave if yes)])
    assert len(removed) == bool(sum(removed))
