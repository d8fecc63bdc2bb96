"""The contract with a test: what it is given, and what its exit code means."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from faults import PATIENCE_S, names, script
from nubbin.oracles import oracle as oracle_module
from nubbin.oracles.commands.command_test import CommandTest
from nubbin.oracles.local_oracle import LocalOracle, OracleSpec
from nubbin.oracles.oracle import Timeout
from nubbin_core.verdict import Verdict

INTERESTING, UNINTERESTING, UNRESOLVED = Verdict


def oracle(folder: Path, body: str, target: str = "small.c") -> LocalOracle:
    return LocalOracle(OracleSpec(CommandTest.of(script(folder, body)), target), PATIENCE_S)


@pytest.mark.parametrize(
    ("body", "verdict", "exit_code"),
    [
        ("exit 0", INTERESTING, 0),
        ("exit 1", UNINTERESTING, 1),
        ("exit 124", UNINTERESTING, 124),
        ("exit 125", UNRESOLVED, 125),
        ("exit 255", UNINTERESTING, 255),
        ("kill -SEGV $$", UNINTERESTING, -signal.SIGSEGV),
        ("kill -KILL $$", UNINTERESTING, -signal.SIGKILL),
    ],
)
def test_exit_codes(tmp_path: Path, body: str, verdict: Verdict, exit_code: int) -> None:
    with oracle(tmp_path, body) as ask:
        answer = ask({"small.c": b"x"})
    assert (answer.verdict, answer.exit_code, answer.timed_out) == (verdict, exit_code, False)
    assert answer.output == b""
    assert answer.seconds > 0


DATA = bytes(range(256)) * 500


@pytest.mark.parametrize("arrival", ['"$PWD/small.c"', "./small.c", '"$1"', "-", "/dev/stdin"])
def test_candidate_arrives_every_way(tmp_path: Path, arrival: str) -> None:
    (tmp_path / "expected").write_bytes(DATA)
    with oracle(tmp_path, f"cmp {arrival} {tmp_path}/expected") as ask:
        assert ask({"small.c": DATA}).verdict is INTERESTING
        assert ask({"small.c": DATA + b"!"}).verdict is UNINTERESTING


def test_candidate_is_the_only_argument_absolute_and_alone(tmp_path: Path) -> None:
    body = '[ $# = 1 ] && [ "$1" = "$(pwd -P)/small.c" ] && [ "$(ls -A)" = small.c ]'
    with oracle(tmp_path, body) as ask:
        assert ask({"small.c": b""}).verdict is INTERESTING


def test_stdin_cannot_be_written(tmp_path: Path) -> None:
    with oracle(tmp_path, "echo more >&0") as ask:
        assert ask({"small.c": b""}).verdict is UNINTERESTING


def test_a_folder_is_an_argument_and_stdin_is_empty(tmp_path: Path) -> None:
    body = """
        [ "$(cat)" = "" ] && [ "$1" = "$PWD/proj" ] && cd "$1" &&
        [ "$(find . -type f | sort | tr '\\n' ' ')" = "./a.c ./sub/deep/b.h " ] &&
        [ "$(cat sub/deep/b.h)" = two ]"""
    with oracle(tmp_path, body, "proj") as ask:
        files = {"proj/a.c": b"one", "proj/sub/deep/b.h": b"two"}
        assert ask(files).verdict is INTERESTING


def test_a_folder_may_be_empty(tmp_path: Path) -> None:
    with oracle(tmp_path, '[ -d "$1" ] && [ -z "$(ls -A "$1")" ]', "proj") as ask:
        assert ask({}).verdict is INTERESTING


@pytest.mark.parametrize("path", ["/etc/x", "../x", "a/../../x", "", "."])
def test_no_file_leaves_the_folder(tmp_path: Path, path: str) -> None:
    with oracle(tmp_path, "exit 0", "proj") as ask, pytest.raises(ValueError, match="inside"):
        ask({path: b"x"})


def test_every_query_has_a_fresh_folder(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with oracle(tmp_path, f"[ ! -e left ] && touch left && pwd >> {log}") as ask:
        for _ in range(3):
            assert ask({"small.c": b""}).verdict is INTERESTING
            assert not any(Path(line).exists() for line in log.read_text().splitlines())
    assert len(set(log.read_text().splitlines())) == 3


def test_environment_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAVOUR", "crème")
    body = '[ "$FLAVOUR" = crème ] && f=$(mktemp) && [ "${f%/*}" = "$PWD" ]'
    with oracle(tmp_path, body) as ask:
        assert ask({"small.c": b""}).verdict is INTERESTING


def test_a_relative_test_outlives_a_change_of_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, 'exec "$(dirname "$0")/helper.sh"')
    script(tmp_path, "exit 0", "helper.sh")
    monkeypatch.chdir(tmp_path)
    with LocalOracle(OracleSpec(CommandTest.of(Path("test.sh")), "small.c"), PATIENCE_S) as ask:
        monkeypatch.chdir("/")
        assert ask({"small.c": b""}).verdict is INTERESTING


def test_explain_keeps_what_is_printed(tmp_path: Path) -> None:
    with oracle(tmp_path, "echo first; echo second >&2; printf '\\377\\000'; exit 3") as ask:
        answer = ask.explain({"small.c": b""})
    assert answer.output == b"first\nsecond\n\xff\x00"
    assert answer.exit_code == 3


def test_queries_print_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with oracle(tmp_path, "echo loud; echo louder >&2") as ask:
        ask({"small.c": b""})
        ask.explain({"small.c": b""})
    assert capfd.readouterr() == ("", "")


def test_timeout_learns_from_interesting_runs_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle_module, "_MIN_LIMIT_S", 0.0)
    timeout = Timeout(60.0)
    with LocalOracle(
        OracleSpec(CommandTest.of(script(tmp_path, "exec test -s small.c")), "small.c"), timeout
    ) as ask:
        ask({"small.c": b""})
        assert timeout.limit == 60.0
        seconds = ask({"small.c": b"x"}).seconds
        assert timeout.limit == 10 * seconds


def test_other_parent_folder(tmp_path: Path) -> None:
    with LocalOracle(
        OracleSpec(
            CommandTest.of(
                script(tmp_path, '[ "${PWD#' + str(tmp_path) + '/nubbin-}" != "$PWD" ]')
            ),
            "small.c",
        ),
        None,
        folder=tmp_path,
    ) as ask:
        assert ask({"small.c": b""}).verdict is INTERESTING
    assert names(tmp_path) == ["test.sh"]
