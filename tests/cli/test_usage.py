from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit

import pytest
from click.testing import CliRunner, Result

from examples import mostly_nightly
from nubbin.cli import main

Script = Callable[..., Path]


def reduce(*arguments: str | Path, stdout: str = "") -> Result:
    told = CliRunner().invoke(main, ["reduce", *map(str, arguments)])
    assert stdout or isinstance(told.exception, SystemExit), told.exception
    assert told.stdout == stdout
    assert "Traceback" not in told.stderr
    return told


def test_an_installed_package_offers_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They come after nubbin's own, which none of them replaces."""
    (tmp_path / "mine.py").write_text(
        "import click\nsay = click.Command('say', callback=lambda: print('hi'))\n"
    )
    about = tmp_path / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[nubbin.commands]\nsay = mine:say\ninit = mine:say\n")
    monkeypatch.syspath_prepend(tmp_path)
    said = [CliRunner().invoke(main, words) for words in (["say"], ["init"], ["sya"])]
    assert said[0].stdout == "hi\n"
    assert "hi" not in said[1].output
    assert "No such command 'sya'" in said[2].stderr


@pytest.fixture
def test(script: Script) -> Path:
    return script("grep -q a letters.txt")


def test_no_such_input(test: Path, tmp_path: Path) -> None:
    told = reduce(test, tmp_path / "nothing.txt")
    assert told.exit_code == 1
    assert "no input at" in told.stderr


def test_no_such_test(letters: Path, tmp_path: Path) -> None:
    told = reduce(tmp_path / "nothing.sh", letters)
    assert told.exit_code == 1
    assert "no test at" in told.stderr


def test_a_command_line_in_the_place_of_the_test(letters: Path) -> None:
    for line in ("grep -q a", "grep"):
        told = reduce(line, letters)
        assert told.exit_code == 1
        assert f"--run {shlex.quote(line)}" in told.stderr


@pytest.mark.parametrize("word", [" ", "a" * 300])
def test_a_word_that_is_no_path_is_told_as_one(letters: Path, word: str) -> None:
    for arguments in ([word, str(letters)], ["reduce", word, str(letters)]):
        told = CliRunner().invoke(main, arguments)
        assert isinstance(told.exception, SystemExit)
        assert "Error: " in told.stderr or "no test at" in told.stderr


def test_what_is_missing_is_named(test: Path, letters: Path) -> None:
    for arguments, said in (
        ([test], "Missing INPUT: the test comes first"),
        ([letters], f"--run CMD {letters}"),
        (["--run", "grep a"], "Missing INPUT: what to reduce"),
        (["--jobs", "2"], "Missing TEST and INPUT"),
        (["--run", " ", letters], "--run needs a value"),
    ):
        told = reduce(*arguments)
        assert told.exit_code == 2
        assert said in " ".join(told.stderr.split())


def test_a_test_in_the_place_of_the_command(test: Path, letters: Path) -> None:
    told = CliRunner().invoke(main, [str(test), str(letters)])
    assert told.exit_code == 2
    assert f"nubbin reduce {test} {letters}" in told.stderr
    told = CliRunner().invoke(main, [str(letters)])
    assert f"nubbin reduce --run CMD {letters}" in told.stderr
    told = CliRunner().invoke(main, ["reduc"])
    assert "Did you mean" in told.stderr


def test_a_pipe_is_no_input(test: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    told = reduce(test, tmp_path / "pipe")
    assert told.exit_code == 1
    assert "neither a file nor a folder" in told.stderr


def test_a_command_behind_dashes_is_that_of_run(letters: Path) -> None:
    result = letters.with_name("letters.reduced.txt")
    told = reduce("--exits", "0", letters, "--", "grep", "-q", "q", stdout=f"{result}\n")
    assert (told.exit_code, result.read_text()) == (0, "q")


def test_a_command_behind_dashes_is_that_of_a_campaign(tmp_path: Path) -> None:
    told = CliRunner().invoke(main, ["campaign", str(tmp_path / "nothing"), "--", "sh", "-x"])
    assert "no input at" in told.stderr


@pytest.mark.parametrize("options", [["campaign", "--run", ""], ["init", "--run", " "]])
def test_an_empty_command_does_not_execute_the_input(options: list[str], letters: Path) -> None:
    letters.write_text("#!/bin/sh\necho executed >$0.log\nexit 3\n")
    letters.chmod(0o755)
    told = CliRunner().invoke(main, [*options, str(letters)])
    assert told.exit_code == 2
    assert "command line is empty" in " ".join(told.stderr.split())


def test_a_test_behind_dashes_is_no_command(test: Path, letters: Path) -> None:
    result = letters.with_name("letters.reduced.txt")
    told = reduce("--jobs", "1", "-q", "--", test, letters, stdout=f"{result}\n")
    assert (told.exit_code, result.read_text()) == (0, "a")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["average.py", "DATA"], "nubbin reduce --run 'python3 average.py' DATA"),
        (["DATA", "average.py"], "nubbin reduce --run CMD average.py"),
        (["DATA", "grep -q a"], "nubbin reduce --run 'grep -q a' DATA"),
        (["sh", "average.py", "DATA"], "nubbin reduce --run 'sh average.py' DATA"),
        (["--run", "true", "TEST", "DATA"], "leave out --run: nubbin reduce TEST DATA"),
        (["DATA", "--", "python3", "averge.py"], "averge.py, and there is no such file in"),
        (["DATA", "--", "python3", "averge.py"], "Did you mean average.py?"),
    ],
)
def test_what_to_type_is_said(
    test: Path, letters: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(letters.parent)
    Path("average.py").write_text("import sys\n")
    names = {"TEST": test.name, "DATA": letters.name}
    for word, name in names.items():
        arguments = [name if each == word else each for each in arguments]
        said = said.replace(word, name)
    told = reduce(*arguments)
    assert told.exit_code in {1, 2}
    assert said in told.stderr
    assert "chmod" not in told.stderr


def test_test_and_input_swapped(test: Path, letters: Path) -> None:
    told = reduce(letters, test)
    assert told.exit_code == 1
    assert f"nubbin reduce {test} {letters}" in told.stderr


@pytest.mark.parametrize("modes", [(0o644, 0o644), (0o644, 0o755), (0o755, 0o755), (0o755, 0o644)])
def test_swapped_whatever_may_be_executed(
    test: Path, letters: Path, modes: tuple[int, int]
) -> None:
    letters.chmod(modes[0])
    test.chmod(modes[1])
    told = reduce(letters, test)
    assert told.exit_code == 1
    assert "If you swapped them, put the test first:" in told.stderr
    assert f"nubbin reduce {test} {letters}\n" in told.stderr
    assert (f"chmod +x {test}; nubbin" in told.stderr) == (modes[1] == 0o644)


def test_right_way_round_whatever_may_be_executed(test: Path, letters: Path) -> None:
    letters.chmod(0o755)
    result = letters.with_name("letters.reduced.txt")
    assert reduce("--max-queries", "1", test, letters, stdout=f"{result}\n").exit_code == 0
    script = letters.with_name("letters.sh")
    script.write_text("#!/bin/sh\n")
    assert "swapped" not in reduce(test, script).stderr
    test.chmod(0o644)
    assert "swapped" not in reduce(test, script).stderr


def test_not_executable(test: Path, letters: Path) -> None:
    test.chmod(0o644)
    told = reduce(test, letters)
    assert told.exit_code == 1
    assert "chmod +x" in told.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            OSError(errno.EMFILE, "Too many open files"),
            f"ulimit -n {4 * max(1024, getrlimit(RLIMIT_NOFILE)[0])}",
        ),
        (FileNotFoundError(errno.ENOENT, "No such file", os.devnull), "mknod -m 666 /dev/null"),
        (MemoryError(), "more memory than it may have"),
    ],
)
def test_what_the_system_lacks_is_told(
    test: Path,
    letters: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    said: str,
) -> None:
    def lacking(*_: object, **__: object) -> None:
        raise OSError("no candidate can be written") from error

    monkeypatch.setattr("nubbin.reduction.start.check.read_inputs", lacking)
    monkeypatch.setattr("nubbin.reduction.reduce.read_inputs", lacking)
    for command in ("reduce", "check"):
        told = CliRunner().invoke(main, [command, str(test), str(letters)])
        assert (told.exit_code, said in told.stderr) == (1, True)


def test_a_test_that_is_never_interesting(script: Script, letters: Path) -> None:
    told = reduce(script("echo no such bug; exit 3"), letters)
    assert told.exit_code == 1
    assert "status 3" in told.stderr
    assert "no such bug" in told.stderr
    assert not letters.with_name("letters.reduced.txt").exists()


def test_a_signature_that_does_not_match(script: Script, letters: Path) -> None:
    told = reduce("--prints", "error: .*two", script("echo error: the one"), letters)
    assert told.exit_code == 1
    assert "does not match --prints 'error: .*two'" in told.stderr
    assert "\n    error: the one\n" in told.stderr
    told = reduce("--prints", "two", script("exit 0"), letters)
    assert "prints nothing at all" in told.stderr
    told = reduce("--prints", "two", script("exit 101"), letters)
    assert "in another way" in told.stderr


@pytest.mark.parametrize(
    ("inputs", "words"),
    mostly_nightly(
        [
            ("letters.txt", "letters.txt, which is also its last argument and its standard input."),
            ("folder", "the folder folder, which is also its last argument."),
            ("folder/a letters.txt", "folder/a and letters.txt. Its last argument is that folder."),
            ("folder letters.txt", "the 5 files given. Its last argument is that folder."),
        ],
        [("folder letters.txt", "the 5 files given. Its last argument is that folder.")],
    ),
)
def test_what_the_folder_of_a_query_holds(
    script: Script, letters: Path, inputs: str, words: str
) -> None:
    folder = letters.with_name("folder")
    folder.mkdir()
    for name in "abcd":
        (folder / name).write_text(name)
    told = reduce(script("exit 1"), *(letters.parent / each for each in inputs.split()))
    assert f"contains only {words}" in told.stderr


def test_a_working_directory_that_is_gone(test: Path, letters: Path, tmp_path: Path) -> None:
    nubbin, gone = [sys.executable, "-m", "nubbin"], tmp_path / "gone"
    gone.mkdir()
    for command in (["reduce", str(test), str(letters)], ["log"], ["resume"], ["verify"]):
        told = subprocess.run(
            ["/bin/sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", *nubbin, *command],
            cwd=gone,
            capture_output=True,
            text=True,
            check=False,
        )
        gone.mkdir()
        assert (told.returncode, told.stdout) == (1, "")
        assert "The current folder no longer exists" in told.stderr


def test_a_test_that_is_always_interesting(script: Script, letters: Path) -> None:
    told = reduce(script("exit 0"), letters)
    assert told.exit_code == 1
    assert "empty" in told.stderr


def test_a_place_for_the_record_that_is_none(test: Path, letters: Path) -> None:
    told = reduce("--run-dir", letters / "run", test, letters)
    assert told.exit_code == 1
    assert f"cannot be recorded in {letters / 'run'} (--run-dir names another" in told.stderr
    assert "start again" in told.stderr


def test_a_place_for_the_result_that_goes_away(
    script: Script, letters: Path, tmp_path: Path
) -> None:
    place, once = tmp_path / "place", tmp_path / "once"
    place.mkdir()
    once.touch()
    goes = f"[ -e {place}/small.txt ] && rm {once} && rm -r {place}"
    test = script(f"{goes}; grep -q a letters.txt")
    told = reduce(
        "-j", "1", "-o", place / "small.txt", "--run-dir", tmp_path / "run", test, letters
    )
    assert told.exit_code == 1
    assert f"{place / 'small.txt'} cannot be written: [Errno 2] " in told.stderr
    assert f"continue with: nubbin resume {tmp_path / 'run'}" in told.stderr
    place.mkdir()
    assert CliRunner().invoke(main, ["resume", "--quiet", str(tmp_path / "run")]).exit_code == 0
    assert (place / "small.txt").read_text() == "a"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-a", "foo"], "there is no algorithm 'foo'. --help-all lists them."),
        (["-a", "ddmim"], "there is no algorithm 'ddmim'. Did you mean ddmin"),
        (["-a", "hdd:hdd:cdd"], "there is no algorithm 'hdd:hdd:cdd'"),
        (["--format", "klingon"], "no format is called 'klingon'; did you mean kotlin?\n"),
        (["--format", "qwxz"], "`text` means no structure at all.\n"),
        (["--smallest", "lines", "--format", "klingon"], "did you mean kotlin?\n"),
        (["--keep", "["], "--keep '[' is not a regular expression"),
        (["--only", "a{99999999999999999999}"], "is not a regular expression"),
        (["--prints", "("], "--prints '(' is not a regular expression"),
        (["--keep", "omega"], "matches nothing in the input"),
        (["--smallest", "lines", "-a", "hdd:cdd"], "Leave out one of the two"),
        (["-a", "hdd:cdd"], "needs a syntax tree"),
        (["--smallest", "words"], "'lines'"),
        (["-j", "0"], "--jobs"),
        (["-j", "many"], "--jobs"),
        (["--seed", "-1"], "--seed"),
        (["--p0", "1"], "--p0"),
        (["--price", "0"], "--price"),
        (["--price", "inf"], "--price"),
        (["--timeout", "-3"], "not a duration"),
        (["--max-time", "soon"], "not a duration"),
        (["--memory", "2X"], "not a size"),
        (["--max-queries", "0"], "--max-queries"),
        (["--quiet", "--verbose"], "not both"),
        (["--in-place", "-o", "small.txt"], "not both"),
        (["-o", "nowhere/small.txt"], "there is no folder nowhere"),
        (["-o", "."], "it is a folder. Name a file."),
        (["--stats", "nowhere/stats.json"], "there is no folder nowhere"),
        (["--fast"], "No such option"),
        (["--server", "cat", "--python", "check.py:has"], "not both"),
        (["--server", "cat", "--run", "cat"], "not both"),
        (["--no-stderr", "x"], "--no-stderr needs --run CMD."),
        (["--run", "cat", "--exits", "maybe"], "--exits 'maybe' is not a way to end"),
        (["--run", "cat", "--hangs", "5", "--timeout", "5"], "Use a longer --timeout"),
    ],
)
def test_usage_errors(test: Path, letters: Path, options: list[str], words: str) -> None:
    told = reduce(*options, *([letters] if options[0] == "--run" else [test, letters]))
    assert told.exit_code == 2
    assert words in told.stderr
    assert not letters.with_name("letters.reduced.txt").exists()


@pytest.mark.parametrize("option", ["-o", "--stats"])
def test_the_input_is_not_overwritten(test: Path, letters: Path, option: str) -> None:
    before = letters.read_bytes()
    told = reduce(option, letters, test, letters)
    assert told.exit_code == 2
    assert "--in-place" in told.stderr
    assert letters.read_bytes() == before


def test_too_few_arguments(test: Path) -> None:
    assert reduce(test).exit_code == 2
    assert reduce("--server", "cat").exit_code == 2


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["--python", "nowhere.py:check"], "There is no Python function"),
        (["--server", "no-such-program -x"], "There is no program"),
        (["--server", "echo ready"], "must print one line"),
        (["--server", "sed -u s/.*/uninteresting/"], "answered no"),
        (["--server", "true"], "The server must answer each path"),
    ],
)
def test_servers_and_functions_that_are_none(letters: Path, option: list[str], words: str) -> None:
    told = reduce(*option, letters)
    assert told.exit_code == 1
    assert words in told.stderr.replace("\n", " ")
    assert not letters.with_name("letters.reduced.txt").exists()


@pytest.mark.parametrize("command", ["reduce", "check", "log", "resume", "init"])
def test_a_path_that_the_system_cannot_look_up(command: str) -> None:
    told = CliRunner().invoke(main, [command, "x" * 300, "y"])
    assert (told.exit_code, "File name too long" in told.stderr) == (2, True)


@pytest.mark.parametrize(
    "command",
    [
        ["reduce", "-o", "nodir/x", "--run", "false", "letters.txt"],
        ["reduce", "--stats", "nodir/x", "--run", "false", "letters.txt"],
        ["report", "-o", "nodir/x"],
        ["show", "-o", "nodir/x"],
        ["init", "-o", "nodir/x", "--run", "false", "letters.txt"],
    ],
)
def test_one_mistake_has_one_paragraph(
    test: Path, letters: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(letters.parent)
    assert CliRunner().invoke(main, ["reduce", str(test), str(letters)]).exit_code == 0
    told = CliRunner().invoke(main, command)
    assert told.exit_code in {1, 2}
    said = "nodir/x cannot be written: there is no folder nodir. Make it, or name another place."
    assert said in told.stderr


@pytest.mark.parametrize("options", [[], ["--in-place"]])
def test_a_name_that_leaves_no_room_is_refused_before_the_test_is_run(
    test: Path, letters: Path, options: list[str]
) -> None:
    long = letters.rename(letters.with_name("x" * 255))
    told = reduce(*options, test, long)
    assert told.exit_code == 1
    assert "long" in told.stderr
    assert "Errno" not in told.stderr
    assert {path.name for path in letters.parent.iterdir()} == {long.name, test.name}


def test_how_to_go_on_is_said_once(script: Script, letters: Path, tmp_path: Path) -> None:
    place, run = tmp_path / "small.txt", tmp_path / "run"
    test = script(f"[ -e {place} ] && echo mine >{place}; grep -q a letters.txt")
    told = reduce("-j", "1", "-o", place, "--run-dir", run, test, letters)
    assert told.exit_code == 1
    assert place.read_text() == "mine\n"
    assert told.stderr.count("continue with") == told.stderr.count("nubbin resume") == 1
    assert f"Move {place} away, and continue with: nubbin resume {run}\n" in told.stderr
