"""A grammar may crash, hang or eat memory: it ends the parser's process, and no other."""

from __future__ import annotations

import fcntl
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from faults import PATIENCE_S
from nubbin.documents.parsing import trees
from nubbin.documents.parsing.trees import Tree, parsing, tree_of
from nubbin.documents.spans import Replacement

JSON = b'{"a": [1, 2.5, "three"], "b": null}'

CRASHES = {
    "typst": [b"[" * 3000, b"#[" * 3000, b"[[" * 3000],
    "agda": [b")" * 3000],
    "yaml": [
        b"- " * 2000,
        b"? " * 2000,
        b"".join(b" " * i + b"a:\n" for i in range(600)),
        b"".join(b" " * i + b"a:\r" for i in range(600)),
        b"".join(b" " * i + b"a:\n" + b" " * i + b"-\n" for i in range(300)),
    ],
    "kotlin": [b'"${' * 2000],
}
#: Its scanner never returns.
HANGS = "cobol", b"a\n\n" * 1000
#: Recovery from errors takes more than quadratic time.
SLOW = "apex", b"->" * 3000


@pytest.fixture(autouse=True)
def _no_longer_than_the_test() -> Iterator[None]:
    with parsing():
        yield


def parser() -> subprocess.Popen[bytes]:
    popen = trees._parser(os.getpid())._popen
    assert popen is not None
    return popen


def tree(data: bytes, language: str) -> Tree:
    found = tree_of(data, language)
    assert found is not None
    return found


def test_who_interrupts_a_question_asks_no_more_in_its_language(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(trees, "until", interrupted)
        tree_of(*HANGS[::-1])
    assert tree_of(HANGS[1] + b"a", HANGS[0]) is None
    assert trees._parser(os.getpid())._popen is None, "nobody was asked"
    assert tree(JSON, "json").is_reliable


@pytest.mark.parametrize(
    ("language", "data"), [(name, data) for name in CRASHES for data in CRASHES[name]]
)
def test_a_grammar_that_crashes_sees_no_tree(language: str, data: bytes) -> None:
    assert tree_of(data, language) is None
    assert tree(JSON, "json").is_reliable


@pytest.mark.parametrize(
    ("language", "data"),
    [
        ("yaml", b"".join(b" " * i + b"a:\n" + b" " * i + b"-\n" for i in range(99))),
        ("yaml", b"- " * 49 + b"a"),
        ("markdown", b">" * 199),
        ("kotlin", b'"${' * 500),
        ("json", b"[" * 1500),
    ],
)
def test_what_is_nested_less_deeply_has_one(language: str, data: bytes) -> None:
    assert tree_of(data, language) is not None


def test_a_candidate_that_crashes_is_admitted() -> None:
    """Such an edit is allowed like one that the parser gives up on; its document keeps its tree."""
    before = tree(b"[]" * 600, "typst")
    closing = [Replacement(at, at + 1) for at in range(1, 1200, 2)]
    assert before.allows_edit(closing)
    assert before.rows() == tree(b"[]" * 600, "typst").rows()


@pytest.mark.parametrize("hostile", [SLOW, HANGS])
def test_a_grammar_that_takes_too_long_sees_no_tree(
    monkeypatch: pytest.MonkeyPatch, hostile: tuple[str, bytes]
) -> None:
    monkeypatch.setattr(trees, "_MAX_OVERTIME_S", 0.5)
    language, data = hostile
    assert tree_of(data, language) is None
    assert tree(JSON, "json").is_reliable


def test_many_steps_are_counted_and_take_no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """So machines of any speed give up on the same texts."""
    monkeypatch.setattr(trees, "_MAX_OVERTIME_S", 1e6)
    language, data = SLOW
    assert tree_of(data, language) is None
    assert tree(b"class A {}", language).is_reliable


def test_a_grammar_that_took_too_long_is_not_asked_again_in_this_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trees, "_MAX_OVERTIME_S", 0.5)
    language, data = HANGS
    with parsing():
        assert tree_of(b"\n", language)
        assert tree_of(data, language) is None
        assert tree_of(b"\n", language) is None
        assert tree_of(data, language) is None
    assert tree_of(b"\n", language)


def test_patience_is_for_all_questions_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "_USUAL_S_PER_BYTE", 0.0)
    monkeypatch.setattr(trees, "_MAX_OVERTIME_S", 0.5)
    before = tree(b"[" + b"1, " * 10_000 + b"1]", "json")
    while before.rows().kinds:
        pass  # each takes some of the time
    assert tree_of(JSON, "json") is None


def test_memory_without_end_ends_it() -> None:
    code = (
        "import nubbin.documents.parsing.parser as it; it._MAX_MEMORY_BYTES = 1 << 28;"
        "it.parse = lambda *_: bytearray(1 << 29); it.main()"
    )
    question = pickle.dumps((9.0, [], 0, (b"", "json"), "copy", ()))
    done = subprocess.run(
        [sys.executable, "-c", code], input=question, capture_output=True, check=False
    )
    assert done.returncode == 1
    assert b"MemoryError" in done.stderr


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_a_process_that_somebody_ends_is_replaced(end: signal.Signals) -> None:
    before = tree(JSON, "json")
    rows = before.rows()
    parser().send_signal(end)
    assert before.rows() == rows
    parser().send_signal(end)
    assert not before.allows_edit([Replacement(0, 1)])
    parser().send_signal(end)
    assert tree(JSON, "json").facts == before.facts


def test_a_process_that_is_killed_at_a_question_is_replaced() -> None:
    before = tree(JSON, "json")
    rows, stopped = before.rows(), parser()
    stopped.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(before.rows)
        stopped.kill()
        assert asked.result() == rows


def _unread(pipe: int) -> int:
    """Return the number of bytes in a pipe."""
    (count,) = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return int(count)


def test_an_interrupted_question_is_not_answered_later() -> None:
    before = tree(JSON, "json")
    rows, stopped = before.rows(), parser()
    stopped.send_signal(signal.SIGSTOP)
    main = threading.get_ident()
    assert stopped.stdin is not None
    pipe = stopped.stdin.fileno()

    def interrupt() -> None:
        while not _unread(pipe):  # until the question is on its way
            os.sched_yield()
        signal.pthread_kill(main, signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), ThreadPoolExecutor() as pool:
        pool.submit(interrupt)
        before.allows_edit([Replacement(0, 1)])
    with parsing():
        pass  # until then, nobody who interrupts asks more in this language
    assert before.rows() == rows
    assert stopped.returncode is not None


def test_threads_may_ask_at_the_same_time() -> None:
    texts = [b"[%b1]" % (b"1, " * i) for i in range(40)]
    with ThreadPoolExecutor(8) as pool:
        facts = list(pool.map(lambda text: tree(text, "json").facts, texts * 3))
    assert facts == [tree(text, "json").facts for text in texts] * 3


def test_it_ends_with_the_block() -> None:
    with parsing():
        tree(JSON, "json")
        child = parser()
    assert child.returncode is not None


def run(code: str) -> subprocess.CompletedProcess[str]:
    start = "import os, signal\nfrom nubbin.documents.parsing import trees\n"
    return subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), signal.SIGKILL)", "raise SystemExit(3)"])
def test_it_ends_with_the_process_that_asks(end: str) -> None:
    told = run(
        "tree = trees.tree_of(b'[1]', 'json')\n"
        f"print(trees._parser(os.getpid())._popen.pid, flush=True)\n{end}"
    )
    try:
        child = os.pidfd_open(int(told.stdout))
    except ProcessLookupError:
        return
    poll = select.poll()
    poll.register(child, select.POLLIN)
    assert poll.poll(PATIENCE_S * 1000)
    os.close(child)


def test_a_fork_has_one_of_its_own() -> None:
    told = run(
        "tree = trees.tree_of(b'[1, 2]', 'json')\n"
        "def look():\n"
        "    errors = trees.tree_of(b'[', 'json').facts.errors\n"
        "    print(len(tree.rows().numbers), errors, flush=True)\n"
        "fork = os.fork()\n"
        "if fork == 0:\n"
        "    look()\n"
        "    raise SystemExit\n"
        "os.waitpid(fork, 0)\n"
        "look()\n"
    )
    assert told.stderr == ""
    mine, other = told.stdout.splitlines()
    assert mine == other


def test_modules_in_the_working_directory_are_not_taken_for_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("pickle", "tree_sitter", "array"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit\n")
    assert tree(JSON, "json").is_reliable


def test_the_process_starts_without_numpy() -> None:
    program = "import sys, nubbin.documents.parsing.parser; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
