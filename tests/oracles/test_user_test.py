"""What can be a test, and what cannot."""

from __future__ import annotations

import inspect
import json
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nubbin.errors import NubbinError
from nubbin.oracles import make
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.servers.python_test import PythonTest
from nubbin.oracles.servers.server_test import ServerTest
from nubbin.oracles.user_test import UserTest
from nubbin.verdict import Verdict
from started_once import asked, function, verdicts


def test_functions_that_are_not_there(tmp_path: Path) -> None:
    test = function(tmp_path, "return True")
    with pytest.raises(NubbinError, match=r"check\.py:crashes"):
        PythonTest.of(str(tmp_path / "nowhere.py:check"))
    with pytest.raises(NubbinError, match="no Python function"):
        PythonTest.of(test.words[0])


@pytest.mark.parametrize("kind", [CommandTest.of, PythonTest.of])
def test_a_path_that_is_too_long(kind: Callable[[str], UserTest]) -> None:
    with pytest.raises(NubbinError, match="cannot be looked up: File name too long"):
        kind("x" * 300 + ":check")


def test_servers_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(NubbinError, match="no program"):
        ServerTest.of("no-such-program --fast")
    with pytest.raises(NubbinError, match="no command"):
        ServerTest.of("'")
    with pytest.raises(NubbinError, match="no command"):
        ServerTest.of("")


def test_a_function_of_this_file(tmp_path: Path) -> None:
    assert verdicts(asked(make.test_of(has_a_bug), b"a bug", b"none")) == [
        Verdict.INTERESTING,
        Verdict.UNINTERESTING,
    ]
    with pytest.raises(NubbinError, match="at the top"):
        make.test_of(lambda path: True)
    with pytest.raises(NubbinError, match="at the top"):
        make.test_of(os.path.exists.__call__)  # type: ignore[operator]
    noted: dict[str, Any] = {}
    exec(compile("def check(path): return True", "<cell 1>", "exec"), noted)
    with pytest.raises(NubbinError, match="notebook"):
        make.test_of(noted["check"])
    kept = tmp_path / "cell.py"
    kept.write_text("def check(path): return True")
    exec(compile(kept.read_text(), str(kept), "exec"), noted)
    assert inspect.getsource(noted["check"])  # and remembered, as by notebooks
    kept.unlink()
    with pytest.raises(NubbinError, match="notebook"):
        make.test_of(noted["check"])


def has_a_bug(path: Path) -> bool:
    return b"bug" in path.read_bytes()


@pytest.mark.parametrize("kind", ["command", "server", "python"])
def test_a_test_is_the_same_after_a_journal_and_a_pipe(tmp_path: Path, kind: str) -> None:
    test = {
        "command": CommandTest.of("/bin/sh"),
        "server": ServerTest.of("sh -c 'cat -n'"),
        "python": function(tmp_path, "return True"),
    }[kind]
    about = {"kind": kind, "words": list(test.words), "folder": test.folder}
    assert about.items() <= test.to_json().items()
    for same in (make.from_json(json.loads(json.dumps(test.to_json()))), copied(test)):
        assert (type(same), same, hash(same)) == (type(test), test, hash(test))


def copied(test: UserTest) -> UserTest:
    same: UserTest = pickle.loads(pickle.dumps(test))
    return same


def test_fingerprints_change_with_the_files(tmp_path: Path) -> None:
    test = function(tmp_path, "return True")
    before = test.digest()
    assert make.from_json(test.to_json()).digest() == before
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
    assert test.digest() == make.from_json(test.to_json()).digest()
