"""What a command does when it misbehaves is learned from the input and from nothing."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import nubbin
from examples import mostly_nightly
from faults import PATIENCE_S
from nubbin.journal.journal import Journal
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.reduction.events import Event, Learned, OtherErrorsAllowed
from nubbin.report.lines import lines_about

_SAID = re.compile(r"looking for: (.*)")
NO_OTHER = ", and no other kind of error"

TOOL = """\
import sys
def fetch(rows, name):
    if name not in rows: raise KeyError(name)
    return rows[name]
def load(text):
    if "wrong" in text: fetch({}, text.split()[0])
    if "odd" in text: raise ValueError("odd number 12")
load(open(sys.argv[1]).read())
"""
TEXT = "a\nwrong\nb\nodd\nc\n"


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tool.py").write_text(TOOL)
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def reduce(line: str, path: Path, **options: Any) -> tuple[str, str]:
    """Return what was learned, and the result."""
    seen: list[Event] = []
    test = RunTest.of(line, options.pop("conditions", Conditions()))
    options = {"output": path.with_name("small"), "jobs": 1, "timeout": PATIENCE_S, **options}
    result = nubbin.reduce(test, path, observers=[seen.append], **options)
    (learned,) = (event for event in seen if isinstance(event, Learned))
    return _SAID.findall(next(lines_about(learned)))[0], result.output.read_text()


def python(path: str) -> str:
    return f"{shlex.quote(sys.executable)} -I -S {path}"


def test_a_traceback_and_its_frame_hold_the_run_to_one_bug(text: Path) -> None:
    run = text.parent / "run"
    learned, result = reduce(python("tool.py"), text, record=run)
    assert learned == r"--exits 1 --prints '\bfetch\b\n(?: {4}.*\n)*KeyError: \W.*\W'"
    assert result == "wrong"
    assert "ValueError" in next((run / "other").glob("*/output.txt")).read_text()
    with Journal(run) as journal:
        said = {"exits": "1", "prints": r"\bfetch\b\n(?: {4}.*\n)*KeyError: \W.*\W"}
        assert journal.facts is not None
        assert journal.facts.test["conditions"] == said


def test_a_signal(text: Path) -> None:
    learned, result = reduce("if grep odd {}; then kill -SEGV $$; fi", text)
    assert (learned, result) == ("--exits SIGSEGV", "odd")


def test_the_line_that_an_empty_input_does_not_print(text: Path) -> None:
    line = "echo usage error 12 >&2; grep odd && echo at 7: bad row >&2; exit 3; : {}"
    learned, result = reduce(line, text)
    assert (learned, result) == (rf"--exits 3 --prints 'at [\d.]+: bad row'{NO_OTHER}", "odd")


def test_a_warning_tells_more_than_a_sum_at_the_end(text: Path) -> None:
    line = "grep -q odd {} && echo '  ^--^ W6 (warning): no way' && echo 3 in all; exit 1"
    assert reduce(line, text) == (
        rf"--exits 1 --prints 'W6 \(warning\): no way'{NO_OTHER}",
        "odd",
    )


def test_the_status_alone(text: Path) -> None:
    assert reduce("grep odd {}; exit $((4 - $?))", text) == ("--exits 4", "odd")


def test_a_report_of_a_command_that_succeeds(text: Path) -> None:
    line = "grep -q odd {} && echo 'x.c:1:2: runtime error: shift by 70 of 8'; true"
    learned, result = reduce(line, text)
    assert learned == r"--exits 0 --prints '\bx\.c:1:2\b.*runtime error: shift by [\d.]+ of [\d.]+'"
    assert result == "odd"


def test_what_does_not_repeat_is_not_learned(text: Path) -> None:
    line = "grep -q odd {} || exit 0; echo $$ | tr 0-9 a-j; echo bad; exit 1"
    assert reduce(line, text) == (f"--exits 1 --prints bad{NO_OTHER}", "odd")


def test_a_failure_now_and_then(text: Path) -> None:
    count = shlex.quote(str(text.parent / "count"))
    line = f"echo >>{count}; [ $(($(wc -l <{count}) % 2)) = 0 ] || exit 0; grep odd {{}} && exit 9"
    assert reduce(line, text, runs=3) == ("--exits 9", "odd")


def test_guards_may_be_given(text: Path) -> None:
    guarded = Conditions(valid=("grep a {}",))
    learned, result = reduce(python("tool.py"), text, conditions=guarded)
    assert (learned[:9], result) == ("--exits 1", "awrong")


@pytest.mark.parametrize(
    ("line", "options", "words"),
    [
        ("cat", {}, "cat {} succeeds on a copy of text.txt, as often as"),
        (
            "grep -q . {} && echo 'warning: odd'; true",
            {},
            r"misbehaviour:\n\n    nubbin reduce --run .* --prints 'warning: odd' .*text\.txt$",
        ),
        (
            "echo bad; exit 2; :",
            {},
            "fails on an empty text.txt as it does on this one: it exited ",
        ),
        ("sleep 60; :", {"timeout": 0.2}, "and that is the bug, say .*--hangs 5"),
    ],
)
def test_nothing_to_learn(text: Path, line: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(nubbin.NubbinError, match=words):
        nubbin.reduce(RunTest.of(line), text, jobs=1, **options)
    assert not text.with_name("text.reduced.txt").exists()


def test_a_run_without_end_is_made_once(text: Path) -> None:
    runs = text.with_name("runs")
    with pytest.raises(nubbin.NubbinError, match="took more than 64 MB of output"):
        nubbin.reduce(RunTest.of(f"echo >> {shlex.quote(str(runs))}; yes"), text, jobs=1)
    assert runs.read_text() == "\n"


def test_it_can_be_said_as_it_was_learned(text: Path) -> None:
    learned, _ = reduce(python("tool.py"), text)
    words = shlex.split(learned)
    test = RunTest.of(python("tool.py"), Conditions(exits=words[1], prints=words[3]))
    again = nubbin.reduce(test, text, output=text.with_name("again"), jobs=1)
    assert isinstance(test, RunTest)
    assert again.output.read_text() == "wrong"


def test_the_result_says_how_to_run_it(tmp_path: Path) -> None:
    source = tmp_path / "in put.txt"
    source.write_text("a\nb\n")
    test = RunTest.of("! grep -q b <{}", Conditions(exits="1"), source)
    result = nubbin.reduce(test, source)
    assert result.line == f"! grep -q b <'{result.output}'"


def learned(line: str, source: Path) -> Learned:
    """Return what is learned of a line before the first query."""
    seen: list[Event] = []
    test = RunTest.of(line, Conditions(), source)
    nubbin.reduce(test, source, jobs=1, max_queries=1, observers=[seen.append], record=True)
    (event,) = (event for event in seen if isinstance(event, Learned))
    return event


def test_a_command_that_finds_its_folder_runs_as_it_was_typed(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Makefile").write_text("all:\n\t@grep -q odd rows.txt && expr odd + 1\n")
    (folder / "rows.txt").write_text(TEXT)
    event = learned("make", folder)
    assert event.run == "cd {} && make"
    assert event.conditions == Conditions(
        exits="2", prints="expr: non-integer argument", known_errors="(?!)"
    )


def test_a_word_that_is_the_name_of_a_folder_may_be_a_name_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "Makefile").write_text("project:\n\t@grep -q odd rows.txt && expr odd + 1\n")
    (folder / "rows.txt").write_text(TEXT)
    assert learned("make project", folder).run == "cd {} && make project"
    (folder / "Makefile").write_text("all:\n\t@grep -q odd rows.txt && expr odd + 1\n")
    assert learned("make -C project", folder).run == "make -C {}"


def test_a_file_goes_behind_a_command_unless_that_finds_it_alone(text: Path) -> None:
    (text.parent / "find.py").write_text(
        "import pathlib, sys\n"
        "if sys.argv[1:]: sys.exit('usage: find')\n"
        "if 'odd' in pathlib.Path('text.txt').read_text(): sys.exit('bad row: odd')\n"
    )
    assert learned(python("find.py"), text).run == python(f"{text.parent}/find.py")
    assert learned(python("tool.py"), text).run == python(f"{text.parent}/tool.py {{}}")


def test_a_tool_that_refuses_what_is_broken_is_doubted(text: Path) -> None:
    strict = "import sys\nif not all(w.isalpha() for w in open(sys.argv[1]).read().split()): {}"
    (text.parent / "strict.py").write_text(strict.format("sys.exit('syntax error in this input')"))
    text.write_text("a\nb\nc 12\n")
    event = learned(python("strict.py"), text)
    assert event.conditions.valid == ()
    assert (
        event.doubt.startswith("An input of ) alone fails like this") and "--valid" in event.doubt
    )


def test_the_file_that_is_named_with_its_folder_is_broken(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    for place in ("in", "another/folder"):
        (folder / place).mkdir(parents=True)
        (folder / place / "rows.txt").write_text(TEXT)
    (folder / "Makefile").write_text(
        'all:\n\t@! grep -q odd in/rows.txt || (echo "error: no such" row in in/rows.txt; false)\n'
    )
    assert learned("make", folder).doubt == ""


def test_no_more_broken_texts_are_run_than_tell(text: Path) -> None:
    ran = text.parent / "ran"
    strict = f"import sys\ntext = open(sys.argv[1]).read()\nopen({str(ran)!r}, 'a').write(text)\n"
    strict += "if text: sys.exit('syntax error in this input')"
    (text.parent / "strict.py").write_text(strict)
    assert "An input of x y alone" in learned(python("strict.py"), text).doubt
    assert ran.read_text().count("x y") == 1
    assert not any(each in ran.read_text() for each in (")", "}", '"', "<"))


@pytest.mark.parametrize(("name", "head"), [("old.py", ""), ("old", "#!/usr/bin/env python3\n")])
def test_a_syntax_check_holds_the_candidates_to_valid_ones(
    tmp_path: Path, name: str, head: str
) -> None:
    source, tool = tmp_path / name, tmp_path / "tool.py"
    tool.write_text(
        "import ast, sys\ntext = open(sys.argv[1]).read()\n"
        "try: bad = any(isinstance(n, ast.Match) for n in ast.walk(ast.parse(text)))\n"
        "except SyntaxError: bad = True\n"
        "if bad: sys.exit('error: cannot parse this file')\n"
    )
    source.write_text(f"{head}x = 1\nmatch x:\n    case 1: pass\n")
    event = learned(python(str(tool)), source)
    assert event.conditions.valid == ("python3 -m py_compile {}",)
    assert "each candidate has to be valid" in event.doubt


def test_a_failure_that_only_its_status_tells_is_doubted(text: Path) -> None:
    event = learned("grep odd {}; exit $((4 - $?))", text)
    assert event.conditions == Conditions(exits="4")
    assert "--prints REGEX" in event.doubt


@pytest.mark.parametrize(
    ("said", "words"),
    mostly_nightly(
        [
            ("INTERNAL ERROR\nuse --show-traceback for more", "any crash counts"),
            (
                "text.txt:1: no such row\ntext.txt:2: a column is expected",
                "as 'text.txt:2: a column",
            ),
            ("error: ValueError not raised by load", "`nubbin: keep`"),
            ("error: expected load to throw an Error", "did not happen"),
        ],
        [("error: ValueError not raised by load", "`nubbin: keep`")],
    ),
)
def test_what_may_be_another_failure_is_doubted(text: Path, said: str, words: str) -> None:
    odd = f"import sys\nif 'odd' in open(sys.argv[1]).read(): sys.exit({said!r})"
    (text.parent / "odd.py").write_text(odd)
    event = learned(python("odd.py"), text)
    assert words in event.doubt
    assert ("--show-traceback" in event.doubt) == ("--show-traceback" in said)


@pytest.mark.parametrize(
    ("said", "is_doubted"),
    mostly_nightly(
        [
            ("not ok 1 reads all", True),
            ("not ok 1 reads all\n  ---\n    operator: throws\n  ...", True),
            ("not ok 1 reads all\n  ---\n    expected: 8\n    actual: 9\n  ...", True),
            ("not ok 1 reads all\n  ---\n    expected: 'rows'\n    actual: 9\n  ...", False),
            ("not ok 1 reads all\n  ---\n    error: no such table\n  ...", False),
            ("not ok 1 reads most", False),  # a test that does not shrink
        ],
        [("not ok 1 reads all", True), ("not ok 1 reads most", False)],
    ),
)
def test_a_test_of_the_input_of_which_no_value_is_told_is_doubted(
    text: Path, said: str, is_doubted: bool
) -> None:
    text.write_text("test('reads all', odd)\n")
    odd = f"import sys\nif 'odd' in open(sys.argv[1]).read(): sys.exit({said!r})"
    (text.parent / "odd.py").write_text(odd)
    doubt = learned(python("odd.py"), text).doubt
    assert ("also reduces" in doubt and "--keep REGEX" in doubt) == is_doubted


def test_what_a_tool_shows_of_the_place_is_kept_if_it_refuses_whatever_is_broken(
    text: Path,
) -> None:
    (text.parent / "strict.py").write_text(
        "import sys\nbad = [line for line in open(sys.argv[1]) if not line.strip().isalpha()]\n"
        "for line in bad: print('syntax error in this file\\n' + line + ' ' * 4 + '^')\n"
        "sys.exit(len(bad))\n"
    )
    text.write_text("a\nb = 12\nc = 3\n")
    event = learned(python("strict.py"), text)
    assert event.conditions.prints == r"syntax error in this file(?s:.*)b\s*=\s*[\d.]+"
    assert event.conditions.exits == "nonzero"  # two lines are broken: `)` ends with another status
    assert "--valid" in event.doubt


COMPILER = """\
import sys
names, broken = set(), 0
for number, line in enumerate(open(sys.argv[1]), 1):
    word, _, name = line.strip().partition(" ")
    if word == "let": names.add(name)
    elif word == "use" and name not in names:
        print(f"{sys.argv[1]}:{number}: error: unknown name {name}"); broken += 1
    elif word == "warn":
        print(f"{sys.argv[1]}:{number}: warning: possible fall-through"); broken += 1
    elif word == "begin": names.add("end")
    elif word == "end" and "end" not in names:
        print(f"{sys.argv[1]}:{number}: error: end without a beginning"); broken += 1
if broken: print("1 error")
sys.exit(broken > 0)
"""


@pytest.mark.parametrize(
    ("source", "words", "smallest"),
    [
        ("begin\nlet a\nuse a\nend\nwarn\nuse a\n", "fall-through", "warn\n"),
        ("begin\nend\nlet a\nuse b\nend\nuse a\nuse b\n", "unknown name b", "use b\n"),
    ],
)
def test_an_error_of_another_kind_is_another_failure(
    text: Path, source: str, words: str, smallest: str
) -> None:
    (text.parent / "compiler.py").write_text(COMPILER)
    text.write_text(source)
    learned, result = reduce(python("compiler.py"), text, smallest="lines")
    assert words in learned
    assert learned.endswith(NO_OTHER)
    assert result == smallest
    _, other = reduce(
        python("compiler.py"), text, smallest="lines", conditions=Conditions(known_errors=".")
    )
    assert len(other) <= len(result)


def test_a_report_tells_a_failure_whatever_other_errors_there_are(text: Path) -> None:
    assert NO_OTHER not in reduce(python("tool.py"), text)[0]


def test_errors_that_come_with_any_change_are_allowed_soon_and_again_when_resumed(
    text: Path,
) -> None:
    lines = [f"line {number}\n" for number in range(64)]
    text.write_text("".join([*lines, "odd\n"]))
    test = RunTest.of(
        "grep -q odd {} || exit 0; echo bad: a row; n=$(wc -l <{}); "
        "[ $n = 65 ] || echo a:1: error: only $n rows; exit 2"
    )
    runs = [text.with_name("whole"), text.with_name("part")]
    seen: list[Event] = []
    options: dict[str, Any] = {"jobs": 1, "observers": [seen.append], "smallest": "lines"}
    whole = nubbin.reduce(test, text, record=runs[0], output=text.with_name("w"), **options)
    dropped = OtherErrorsAllowed(30)
    assert seen.count(dropped) == 1
    assert "30 candidates" in next(lines_about(dropped))
    with Journal(runs[0]) as journal:
        assert journal.facts is not None
        assert "known_errors" not in journal.facts.test["conditions"]
    nubbin.reduce(test, text, record=runs[1], output=text.with_name("p"), max_queries=20, **options)
    del options["smallest"]
    again = nubbin.resume(runs[1], **options)
    assert seen.count(dropped) == 2
    assert (again.data, again.queries) == (whole.data, whole.queries) == (b"odd\n", again.queries)
