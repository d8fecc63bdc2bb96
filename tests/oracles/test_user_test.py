"""What can be a test, and what cannot."""

from __future__ import annotations

import inspect
import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nubbin.oracles import user_test
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.commands.project_test import ProjectTest
from nubbin.oracles.failures.conditions import Conditions
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_pool import ServerTest
from nubbin.oracles.user_test import UserTest, from_json
from nubbin_core.errors import NubbinError
from nubbin_core.verdict import Verdict
from started_once import asked, function, verdicts


def test_functions_that_are_not_there(tmp_path: Path) -> None:
    test = function(tmp_path, "return True")
    with pytest.raises(NubbinError, match=r"check\.py:crashes"):
        PythonTest.of(str(tmp_path / "nowhere.py:check"))
    with pytest.raises(NubbinError, match="no Python function"):
        PythonTest.of(test.words[0])


@pytest.mark.parametrize("kind", [CommandTest.of, PythonTest.of])
def test_a_path_that_is_too_long(kind: Callable[[str], UserTest]) -> None:
    with pytest.raises(NubbinError, match=r"cannot look up the path .*: File name too long"):
        kind("x" * 300 + ":check")


def test_servers_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(NubbinError, match="no program"):
        ServerTest.of("no-such-program --fast")
    with pytest.raises(NubbinError, match="not a command"):
        ServerTest.of("'")
    with pytest.raises(NubbinError, match="not a command"):
        ServerTest.of("")


def test_a_function_of_this_file(tmp_path: Path) -> None:
    assert verdicts(asked(user_test.test_of(has_a_bug), b"a bug", b"none")) == [
        Verdict.INTERESTING,
        Verdict.UNINTERESTING,
    ]


def test_functions_that_no_process_can_import_are_copied(tmp_path: Path) -> None:
    word = b"bug"
    noted: dict[str, Any] = {"word": word}
    code = "def check(path):\n    return word in path.read_bytes()\n"
    kept = tmp_path / "cell.py"  # as notebooks have it: remembered, and not there
    kept.write_text(code)
    exec(compile(code, str(kept), "exec"), noted)
    assert inspect.getsource(noted["check"])
    kept.unlink()
    calls = []

    def local(path: Path) -> bool:
        calls.append(path)
        return word in path.read_bytes() and has_a_bug(path)

    for each in (lambda path: word in path.read_bytes(), local, noted["check"], HasA(word)):
        said = verdicts(asked(user_test.test_of(each), b"a bug", b"none"))
        assert said == [Verdict.INTERESTING, Verdict.UNINTERESTING]
    assert not calls  # but in the copy


class HasA:
    def __init__(self, word: bytes):
        self.word = word

    def __call__(self, path: Path) -> bool:
        return self.word in path.read_bytes()


def test_what_cannot_be_copied_is_told(tmp_path: Path) -> None:
    with (
        (tmp_path / "log").open("w") as log,
        pytest.raises(NubbinError, match=r"function .*<lambda> cannot be copied .*annot pickle"),
    ):
        user_test.test_of(lambda path: bool(log.write("asked")))
    test = user_test.test_of(Elsewhere())
    with pytest.raises(NubbinError, match=r"cannot be loaded in another process: .*elsewhere"):
        asked(test, b"a bug")
    with pytest.raises(TypeError, match="test is an executable, a command or a function, not 7"):
        user_test.test_of(7)  # type: ignore[arg-type]


class Elsewhere:
    """Is another process than this one when it is loaded."""

    def __call__(self, path: Path) -> bool:
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("raise ImportError('elsewhere')",)


def test_a_file_that_calls_nubbin_when_it_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "unguarded.py"
    file.write_text(
        "from nubbin.oracles.user_test import test_of\n"
        "def crashes(path):\n    return True\ntest_of(crashes)\n"
    )
    with pytest.raises(NubbinError, match='under `if __name__ == "__main__":`'):
        asked(PythonTest.of(f"{file}:crashes", sys.executable), b"a bug")


def has_a_bug(path: Path) -> bool:
    return b"bug" in path.read_bytes()


@pytest.mark.parametrize("kind", ["command", "function", "server", "python", "project"])
def test_a_test_is_the_same_after_a_journal_and_a_pipe(tmp_path: Path, kind: str) -> None:
    test = {
        "command": CommandTest.of("/bin/sh"),
        "function": user_test.test_of(lambda path: True),
        "server": ServerTest.of("sh -c 'cat -n'"),
        "python": function(tmp_path, "return True"),
        "project": ProjectTest(
            ("make",),
            "/p",
            conditions=Conditions(exits="2"),
            imports=("src",),
            released="/r",
            modules=("os",),
        ),
    }[kind]
    about = {"kind": kind, "words": test.words, "folder": test.folder}
    assert about.items() <= test.to_json().items()
    for same in (from_json(json.loads(json.dumps(test.to_json()))), copied(test)):
        assert (type(same), same, hash(same)) == (type(test), test, hash(test))


def copied(test: UserTest) -> UserTest:
    same: UserTest = pickle.loads(pickle.dumps(test))
    return same


def test_fingerprints_change_with_the_files(tmp_path: Path) -> None:
    test = function(tmp_path, "return True")
    before = test.digest()
    assert from_json(test.to_json()).digest() == before
    function(tmp_path, "return False")
    assert test.digest() != before
    helper = tmp_path / "helper"
    helper.write_text("one")
    by_server = ServerTest.of(f"{sys.executable} {helper}")
    before = by_server.digest()
    helper.write_text("two")
    assert by_server.digest() != before


def test_a_word_may_be_longer_than_any_path() -> None:
    test = ServerTest.of(f"cat {'x' * 5000}")
    assert test.digest() == from_json(test.to_json()).digest()
