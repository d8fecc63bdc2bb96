"""Command lines that run elsewhere: what becomes absolute, and where the candidate goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from nubbin.oracles.command_line import placed


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gcc -c", "gcc -c {}"),
        ("gcc -c {} -o out", "gcc -c {} -o out"),
        ("gcc -c crash.c -o out", "gcc -c {} -o out"),
        ("gcc -c ./crash.c", "gcc -c {}"),
        ("gcc -c HERE/crash.c", "gcc -c {}"),
        ("./tool {} | grep 'a b' && true", "HERE/tool {} | grep 'a b' && true"),
        ("python 'check.py' {}", "python 'HERE/check.py' {}"),
        ("python sub/../check.py {}", "python HERE/check.py {}"),
        ("tool --config=check.py {}", "tool --config=HERE/check.py {}"),
        ("tool {}; cat gone.txt ../.. . -- plain", "tool {}; cat gone.txt ../.. . -- plain"),
        ("/bin/sh {}", "/bin/sh {}"),
    ],
)
def test_a_line_for_another_folder(tmp_path: Path, line: str, expected: str) -> None:
    here = tmp_path.resolve()
    for name in ("crash.c", "tool", "check.py", "plain"):
        (here / name).touch()
    line, expected = (text.replace("HERE", str(here)) for text in (line, expected))
    assert placed(line, here, Path("crash.c")) == expected


def test_the_input_may_lie_elsewhere(tmp_path: Path) -> None:
    source = Path("sub", "crash.c")
    assert placed("gcc crash.c", tmp_path, source) == "gcc {}"
    (tmp_path / "crash.c").touch()
    assert placed("gcc crash.c", tmp_path, source) == f"gcc {tmp_path}/crash.c {{}}"


def test_several_inputs_have_no_name(tmp_path: Path) -> None:
    (tmp_path / "a.c").touch()
    assert placed("cc", tmp_path) == "cc {}"


def test_a_path_that_a_shell_would_split_stays(tmp_path: Path) -> None:
    folder = tmp_path / "my files"
    folder.mkdir()
    (folder / "tool").touch()
    assert placed("./tool", folder) == "./tool {}"
