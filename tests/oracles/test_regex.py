"""Expressions are matched as Python's `re` does, and cannot hold anybody up."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.oracles.failures import matcher, regex
from nubbin.oracles.failures.regex import Regex, TooSlow
from nubbin.oracles.processes.cancellation import CancelToken
from nubbin_core.errors import OptionError

ENDLESS = Regex("--prints", "(a+)+b")
AS = b"a" * 64 + b"!"

_ATOMS = st.sampled_from(
    ["a", "b", "ab", "a+", "[ab]", r"\bb\b", "^", "$", "(?:a|b)", "(a)", r"\1", "a*?", "(?=b)", "|"]
    + ["(?s:.*)"] * 6
    + [".*", r"\|", "(", ")", "[", "]", "?", "(?i)", r"(?<=a)"]
)


@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
@given(
    st.lists(_ATOMS, max_size=8).map("".join),
    st.lists(st.sampled_from([b"a", b"b", b"\n", b"|", b" "])),
)
def test_it_means_what_it_means_to_python(text: str, parts: list[bytes]) -> None:
    data = b"".join(parts)
    try:
        pattern = re.compile(text.encode(), re.MULTILINE)
    except re.error:
        with pytest.raises(OptionError, match="--prints"):
            Regex("--prints", text)
        return
    ours = Regex("--prints", text)
    assert ours.is_in(data) == bool(pattern.search(data))
    assert ours.is_in(b"-", data) == bool(pattern.search(b"-") or pattern.search(data))
    places = [[(start, stop) for start, stop in each] for each in ours.places([data, b""], None)]
    assert places == [[each.span() for each in pattern.finditer(one)] for one in (data, b"")]


def test_line_ends_and_bytes_that_are_no_text() -> None:
    assert Regex("--prints", os.fsdecode(b"^\xff\n.$")).is_in(b"x\n\xff\nz\n")


def test_characters_are_matched_in_utf_8_and_bytes_in_other_data() -> None:
    text = "‘size’ é\n".encode()
    assert Regex("--prints", "^.size. [à-ü]$").is_in(text)
    (places,) = Regex("--keep", ".size.| .").places([text], None)
    assert [text[start:stop].decode() for start, stop in places] == ["‘size’", " é"]
    assert Regex("--prints", "^...size").is_in("‘size".encode() + b"\xff")


def test_it_ends_after_its_limit_and_the_next_is_answered() -> None:
    with pytest.raises(TooSlow, match=r"0\.2 s to match --prints '\(a\+\)\+b'"):
        ENDLESS.is_in(AS, limit=0.2)
    assert ENDLESS.is_in(b"aab")


def test_other_threads_go_on_meanwhile_and_a_query_can_be_cancelled() -> None:
    token, ended = CancelToken(), threading.Event()

    def match() -> None:
        with token.as_current(), pytest.raises(TooSlow):
            ENDLESS.is_in(AS, limit=None)
        ended.set()

    thread = threading.Thread(target=match)
    thread.start()
    assert ENDLESS.is_in(b"aab")  # by another process, because the first is at work
    assert not ended.is_set()
    token.cancel()
    thread.join()
    assert ended.is_set()


def test_a_signal_is_heard_in_the_main_thread() -> None:
    class Heard(Exception):
        pass

    def hear(*_: object) -> None:
        raise Heard

    before = signal.signal(signal.SIGUSR1, hear)
    try:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(Heard):
            ENDLESS.is_in(AS, limit=None)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ENDLESS.is_in(b"aab")


def test_a_process_that_somebody_ends_is_replaced() -> None:
    assert ENDLESS.is_in(b"aab")
    for child in regex._idle(os.getpid()):
        child.kill()
    assert ENDLESS.is_in(b"aab")


def test_a_process_ends_itself_if_nobody_else_can() -> None:
    """As after kill -9 of ours, in the midst of a match."""
    question = json.dumps((ENDLESS.text, [len(AS)], False, 0.2)).encode() + b"\n" + AS + b"\n"
    command = [sys.executable, "-I", "-S", matcher.__file__]
    assert subprocess.run(command, input=question, check=False).returncode == -signal.SIGALRM


def test_what_is_missing_is_missed_in_linear_time() -> None:
    """A message and what stands before it: `re` would take minutes."""
    text = r"\bbuild\b(?s:.*)RuntimeError: cycle at step [\d.]+: boom"
    log = b"in build: hello\n" * (4 << 16)
    assert not Regex("--prints", text).is_in(log, limit=60.0)
    assert not Regex("--prints", text).is_in(b"RuntimeError: cycle\n" + log, limit=60.0)
    assert Regex("--prints", text).is_in(log + b"RuntimeError: cycle at step 7: boom", limit=60.0)


def test_an_escaped_backslash_hides_no_choice() -> None:
    assert Regex("--prints", r"a\\|b(?s:.*)c").is_in(b"a\\")
