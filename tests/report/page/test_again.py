from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.commands.run_test import RunTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.servers.python_test import PytestTest, PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.report.page.recording import Recording, commands_again
from report.page.conftest import NAME, Runs


def words(recording: Recording, **changes: object) -> list[str]:
    """Return the words of the command line that reduces again."""
    job = replace(recording.job, **changes)  # type: ignore[arg-type]
    (_, line), _ = commands_again(job, recording.run.folder, is_done=True)
    return shlex.split(line)


def test_the_command_line_is_as_it_was(runs: Runs) -> None:
    recording = Recording.of(runs["text"])
    folder = str(runs["text"].parent)
    given = replace(
        recording.job.options, smallest="lines", keep="it's $a", sandbox=True, without=("a b", "c")
    )
    test = replace(recording.job.test, folder=folder)
    _, _, executable, *chosen, source = words(recording, options=given, test=test)
    assert (executable, source) == ("./test.sh", f"./{NAME}")
    assert sorted(chosen) == sorted(
        [
            "--sandbox",
            "--smallest",
            "lines",
            "--keep",
            "it's $a",
            "--without",
            "a b",
            "--without",
            "c",
        ]
    )
    job = replace(recording.job, options=given)
    assert dict(replace(recording, job=job).circumstances).items() >= {
        ("seed", "0"),
        ("sandbox", "True"),
        ("smallest", "lines"),
        ("keep", "it's $a"),
        ("without", "a b, c"),
    }


def test_other_kinds_of_tests(runs: Runs) -> None:
    recording = Recording.of(runs["text"])
    here = str(Path.cwd())
    conditions = Conditions(exits="SIGSEGV", stderr="in 'f'")
    run = RunTest(("cc {} -o 'a b'",), here, conditions=conditions)
    expected = ["--run", "cc {} -o 'a b'", "--exits", "SIGSEGV", "--stderr", "in 'f'"]
    assert words(recording, test=run)[2:-3] == expected
    project = ProjectTest(("make -s",), here, conditions=conditions, imports=("src",))
    assert words(recording, test=project)[2:4] == ["--run", "make -s"]
    server = ServerTest(("/bin/it", "a b"), here)
    assert words(recording, test=server)[2:-3] == ["--server", "/bin/it 'a b'"]
    python = PythonTest(("/x/check.py", "crashes"), here, "/a b/python")
    expected = ["--python", "/x/check.py:crashes", "--interpreter", "/a b/python"]
    assert words(recording, test=python)[2:-3] == expected


def test_a_test_that_is_in_no_file(runs: Runs, tmp_path: Path) -> None:
    recording, result = Recording.of(runs["text"]), tmp_path / "tests.txt"
    test = PytestTest.of_suite(tmp_path, "t.py::b", ("-x",), "/py")
    job = replace(recording.job, test=test, target=result)
    (verify,) = commands_again(job, recording.run.folder, is_done=True)
    result.write_text("t.py::a[1 2]\n")
    line = "/py -m pytest -x 't.py::a[1 2]' t.py::b"
    assert commands_again(job, recording.run.folder, is_done=True) == [
        ("Run the result", line),
        verify,
    ]
    assert replace(recording, job=job).script is None
