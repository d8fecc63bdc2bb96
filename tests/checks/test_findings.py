"""Each mistake in a test is found by the check that is made for it, and explained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from faults import LIMITS_S, PATIENCE_S
from nubbin.checks.case import Finding
from nubbin.checks.trust import idle
from nubbin.cli.work.on_inputs import verdict_line
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.user_test import UserTest
from nubbin.reduction.reduce import reduce
from nubbin.reduction.start.check import check, learn
from nubbin_core.errors import NubbinError

Script = Callable[..., Path]

TEXT = "".join(f"line {number}\n" for number in range(20)) + "boom\n"

#: Scripts that cannot be trusted: the check that finds it, and what it says.
WRONG = {
    "a command that is not there": (
        "no-such-tool input.txt",
        "missing-commands",
        ("runs the command no-such-tool in line 2, which is not found", "Install it"),
    ),
    "a command that is not there, negated": (
        "! no-such-tool input.txt",
        "missing-commands",
        ("runs the command no-such-tool in line 2",),
    ),
    "a command that another starts": (
        "env no-such-tool input.txt",
        "missing-commands",
        ("runs the command no-such-tool, which",),
    ),
    "a command that may not be executed": (
        "{folder}/lib.sh input.txt",
        "missing-commands",
        ("runs the command {folder}/lib.sh in line 2, which may not be executed", "chmod +x"),
    ),
    "a command that may not be executed, started by another": (
        "env {folder}/lib.sh input.txt",
        "missing-commands",
        ("runs the command {folder}/lib.sh, which may not be executed",),
    ),
    "a file beside the input": (
        ". ./lib.sh; looks input.txt",
        "missing-files",
        ("With {folder}/lib.sh, it accepts it", "cp {folder}/lib.sh ."),
    ),
    "a program beside the input": (
        "./tool input.txt",
        "missing-files",
        ("With {folder}/tool, it accepts it",),
    ),
    "two files of which it names one": (
        "cat part.sh other/* >all && . ./all && looks input.txt",
        "missing-files",
        ("With {folder}/part.sh and {folder}/other/more.sh, it accepts it",),
    ),
    "the input by a path that is not there": (
        "grep -q boom ../*/work/input.txt work/input.txt",
        "missing-files",
        ("that is the input itself",),
    ),
    "the original": (
        "# a comment\ngrep -q boom {folder}/input.txt",
        "original-path",
        ("its line 3 names the original, {folder}/input.txt", "3: grep -q boom"),
    ),
    "the folder of the original": (
        "cd '{folder}' && grep -q boom input.txt",
        "original-path",
        ("its line 2 goes to the folder of the original, {folder}",),
    ),
    "its own folder": (
        'cd "$(dirname "$0")"\ngrep -q boom input.txt',
        "original-path",
        ("its line 2 goes to its own folder, where the original is, {folder}",),
    ),
    "any failure": (
        "true",
        "empty-input",
        ("accepts even an empty input.txt", "Make it look for the misbehaviour itself"),
    ),
    "never": (
        "echo no; exit 3",
        "refusal",
        ("in each of 10 runs: it exited with status 3", "The test must exit with status 0"),
    ),
    "the wrong way round": (
        "! grep -q boom input.txt",
        "refusal",
        ("it exited with status 1. Instead, it accepts an empty input.txt",),
    ),
    "a variable that is not set": (
        '# in $NOWHERE\ncd \'{folder}/other\'\ngrep -q "boom${NOT_SET}bam" "$1"',
        "refusal",
        ("Note that its line 4 uses $NOT_SET, which is not set.",),
    ),
    "a variable that is not set, and nothing else": (
        '[ -z "$NOT_SET" ]',
        "empty-input",
        ("nubbin would delete everything", "its line 2 uses $NOT_SET, which is not set."),
    ),
    "a file of another name": (
        "# of in.txt\ngrep -q boom in.txt",
        "other-name",
        ("Line 3 of {folder}/test.sh names in.txt, which is not there. The input is input.txt:",),
    ),
    "a file of another name, which is beside the input": (
        ". ./lib.sh; looks twin.txt",
        "missing-files",
        ("{folder}/lib.sh and {folder}/twin.txt, it accepts it, but then it also accepts",),
    ),
    "another folder": (
        "cd /\ngrep -q boom input.txt",
        "other-name",
        ("Line 3 of {folder}/test.sh names input.txt, which is not there. input.txt is in the",),
    ),
    "braces in a script": (
        "grep -q boom {}",
        "other-name",
        ("names {}, which is not there. Only --run replaces {}",),
    ),
    "a program beside the input that may not be executed": (
        "./locked input.txt",
        "other-name",
        ("names ./locked, which is not there. {folder}/locked may not be executed either",),
    ),
    "a command hidden by the shell": (
        "no-such-tool 2>/dev/null",
        "refusal",
        ("exited with status 127 (of a shell: it does not find a command)",),
    ),
    "flaky": (
        "echo >>{folder}/runs; [ $(wc -l <{folder}/runs) != 4 ] && grep -q boom input.txt",
        "repetition",
        ("in 4 of 5 runs. The test is flaky",),
    ),
}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "work"
    (folder / "other").mkdir(parents=True)
    (folder / "lib.sh").write_text('looks() { grep -q boom "$1"; }\n')
    (folder / "part.sh").write_text("looks() {\n")
    (folder / "other" / "more.sh").write_text('grep -q boom "$1"; }\n')
    (folder / "tool").write_text('#!/bin/sh\ngrep -q boom "$1"\n')
    (folder / "tool").chmod(0o755)
    (folder / "locked").write_text('#!/bin/sh\ngrep -q boom "$1"\n')
    (folder / "twin.txt").write_text(TEXT)
    path = folder / "input.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture
def write(script: Script, source: Path) -> Callable[[str], Path]:
    return lambda body: script(body.replace("{folder}", str(source.parent)), "work/test.sh")


def problems(test: UserTest | Path, source: Path, *, all_files: bool = False) -> list[Finding]:
    found = check(test, source, jobs=1, timeout=PATIENCE_S, all_files=all_files)
    return [finding for finding in found if finding.level == "problem"]


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_test_is_explained(write: Callable[[str], Path], source: Path, fault: str) -> None:
    body, name, texts = WRONG[fault]
    before = sorted(source.parent.rglob("*"))
    (found,) = problems(write(body), source)
    assert found.check == name
    for text in texts:
        assert text.replace("{folder}", str(source.parent)) in found.text
    after = {path for path in source.parent.rglob("*") if path.name not in {"test.sh", "runs"}}
    assert after == set(before)
    if name != "repetition":  # a reduction gives the same reason
        with pytest.raises(NubbinError) as raised:
            reduce(write(body), source, jobs=1, timeout=PATIENCE_S)
        assert str(raised.value) == found.text


def test_a_good_test_has_no_problem(write: Callable[[str], Path], source: Path) -> None:
    found = list(check(write("grep -q boom input.txt"), source, jobs=2))
    assert [(each.check, each.level) for each in found] == [
        ("limits", "fine"),
        ("empty-input", "fine"),
        ("repetition", "fine"),
        ("disturbance", "fine"),
        ("sensitivity", "fine"),
    ]
    assert [each.text for each in found[1:]] == [
        each.text for each in check(write("grep -q boom input.txt"), source, jobs=2)
    ][1:]
    assert not (source.parent / ".nubbin").exists()


@pytest.mark.parametrize(
    ("body", "doubt"),
    [
        ("[ -s input.txt ]", "even with its bytes shuffled"),
        ('[ "$(cksum <input.txt)" = "$(cksum <{folder}/input.txt)" ]', "the test accepts 0"),
    ],
)
def test_what_a_person_should_look_at(
    write: Callable[[str], Path], source: Path, body: str, doubt: str
) -> None:
    found = list(check(write(body), source, jobs=1, timeout=PATIENCE_S))
    assert [doubt in each.text for each in found if each.level == "doubt"] == [True]
    assert not [each for each in found if each.level == "problem"]


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("#include <a.h>\nint f(){return 1;}\nint main(void) {\n f();\n}\n", "int main(void) {}\n"),
        (
            '// It\'s\npackage main\nimport "fmt"\nfunc main() { f() }\n',
            "package main\nfunc main() {}\n",
        ),
        ('char *s = "{"; main(){f();}', "main(){}\n"),
        (
            "class A {\n int f() { return 1; }\n static void main(String[] a) { f(); }\n}\n",
            "class A { static void main(String[] a) {}}\n",
        ),
        ("/* a; { */\nclass A { // it's\nint main() {f();}}", "class A {int main() {}}\n"),
        ('{"main": [1, 2]}', None),
        ("int main(void);\n", None),
    ],
)
def test_a_program_that_does_nothing(text: str, program: str | None) -> None:
    assert idle(text.encode()) == (program and program.encode())


@pytest.mark.parametrize(("line", "doubts"), [("grep -q main {}", 1), ("grep -q boom {}", 0)])
def test_a_test_that_may_run_an_old_program_is_doubted(
    source: Path, line: str, doubts: int
) -> None:
    source.write_text('int main(void) {\n  puts("boom");\n}\n')
    found = list(check(RunTest.of(line, Conditions(exits="0")), source, jobs=1, timeout=PATIENCE_S))
    assert sum(each.check == "idle-program" for each in found) == doubts
    doubted = any(each.level == "doubt" for each in found)
    assert str(verdict_line(found)).endswith("with the doubts above." if doubted else "trusted.")


def test_a_failure_by_a_missing_file_is_no_bug(source: Path) -> None:
    line = "if grep -q boom {}; then cat lib.sh; fi"
    for conditions in (Conditions(prints="No such file"), Conditions()):
        (found,) = problems(RunTest.of(line, conditions), source)
        assert found.check == "missing-files"
        assert f"only because a file is missing where it is run: with {source.parent}/lib.sh" in (
            found.text
        )


def test_what_was_left_out_of_a_folder_and_is_needed_is_told(
    write: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = tmp_path / "work" / "p"
    for name in (".gitignore", "main.c", "build/made.h", "build/other.h", "node_modules/x/i.js"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("/build\n" if name == ".gitignore" else name)
    test = write("grep -q main p/main.c && grep -q made p/build/made.h")
    (found,) = problems(test, folder)
    assert found.check == "missing-files"
    assert f"With {folder}/build/made.h, it accepts it" in found.text
    assert "nubbin left that out of the input. --all-files takes it in." in found.text
    assert not problems(test, folder, all_files=True)


@pytest.mark.parametrize("path", ["input.txt", "{}"])
def test_braces_of_code_are_told_from_the_place_of_the_candidate(source: Path, path: str) -> None:
    code = f'd = {{}}; d[1] = open("{path}").read(); assert "boom" not in d[1], "it is there"'
    test = RunTest.of(f"python3 -c '{code}'", Conditions(prints="it is there"), source)
    (found,) = problems(test, source)
    assert found.check == "braces-in-quotes"
    assert '    python3 -c \'d = { }; d[1] = open("{}").read();' in found.text


@pytest.mark.parametrize("shell", ["/bin/sh", "/usr/bin/env bash", "/bin/bash -e"])
def test_shells_name_a_variable_that_is_not_set(source: Path, shell: str) -> None:
    test = source.with_name("of_a_shell")
    script = f'#!{shell}\n\ngrep -q "boom$NOT_SET$1" "$1"\n# '
    test.write_bytes(script.encode() + b"\xff\n")  # Latin-1
    test.chmod(0o755)
    (found,) = problems(test, source)
    assert "its line 3 uses $NOT_SET, which is not set." in found.text
    (found,) = problems(RunTest.of("grep $NOT_SET$HOME", Conditions(exits="0")), source)
    assert "Note that it uses $NOT_SET, which is not set." in found.text


@pytest.mark.parametrize(
    ("line", "text"),
    [("./lib.sh", "/lib.sh, which may not be executed"), ("no-such-tool", ", which is not found")],
)
def test_a_command_that_cannot_be_run_is_no_bug(source: Path, line: str, text: str) -> None:
    """The same is said whether conditions are given or learned, by all that learn them."""
    said = set()
    for conditions in (Conditions(prints="boom"), Conditions(exits="nonzero"), Conditions()):
        test = RunTest.of(line.replace("./", f"{source.parent}/"), conditions)
        with pytest.raises(NubbinError, match=text) as raised:
            reduce(test, source, jobs=1, timeout=PATIENCE_S)
        said.add(str(raised.value))
    with pytest.raises(NubbinError) as raised:
        learn(test.words[0], source)
    assert said == {str(raised.value)}


def test_a_test_that_is_stopped_is_run_once(
    write: Callable[[str], Path], source: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    test = write(f"echo >>{runs}; sleep 1000")
    for limit in LIMITS_S:
        (found,) = check(test, source, jobs=1, timeout=limit)
        if runs.exists():  # else it was stopped before it got there
            break
    assert "was stopped on input.txt because it took more than" in found.text
    assert runs.read_text() == "\n"
