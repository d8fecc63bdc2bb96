from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nubbin.report.page import weave as module
from nubbin.report.page.weave import NEVER, Texts, Weave

WORDS = st.sampled_from([b"one ", b"two ", b"(", b")", b"\n", b"\0", "é".encode()])
VERSION = st.lists(WORDS, max_size=12).map(b"".join)


def version(weave: Weave, step: int) -> bytes:
    """Read a version as the script of the page does."""
    lengths, born, died = (row.tolist() for row in weave.segments())
    text, ends = weave.text(), list(accumulate(lengths))
    return b"".join(
        text[end - size : end]
        for end, size, came, went in zip(ends, lengths, born, died, strict=True)
        if came <= step and (went == NEVER or step < went)
    )


@given(st.lists(VERSION, min_size=1, max_size=12))
def test_every_version_can_be_read(versions: list[bytes]) -> None:
    weave = Weave(versions[0], 1)
    for step, data in enumerate(versions[1:], 2):
        weave.change(step, data)
    assert [version(weave, step) for step in range(1, len(versions) + 1)] == versions
    assert len(weave.text()) == weave.size


def test_deletions_take_no_room() -> None:
    lines = [b"line %d\n" % number for number in range(100)]
    weave = Weave(b"".join(lines), 1)
    weave.change(2, b"".join(lines[::2]))
    weave.change(3, b"".join(lines[::4]))
    assert weave.text() == b"".join(lines)


def test_files_come_and_go() -> None:
    found = Texts()
    for number, files in enumerate(
        ({"a": b"1", "b": b"2"}, {"a": b"1"}, {"a": b"1", "c": b"3"}, {"b": b"4", "c": b"3"}), 1
    ):
        found.add(number, files)
    assert {path: (each.first, each.last) for path, each in found.weaves.items()} == {
        "a": (1, 4),
        "b": (1, NEVER),
        "c": (3, NEVER),
    }
    assert [version(found.weaves["b"], step) for step in range(1, 5)] == [b"2", b"", b"", b"4"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_BYTES", 1 << 16)


def test_texts_begin_when_they_are_small_enough(small: None) -> None:
    found = Texts()
    large = bytes(module._MAX_BYTES + 1)
    found.add(1, {"a": large})
    assert (found.first, found.weaves) == (0, {})
    found.add(2, {"a": large[1:]})
    found.add(3, {"a": b"small"})
    assert found.first == 2
    assert version(found.weaves["a"], 3) == b"small"


def test_texts_that_change_all_the_time_begin_again(small: None) -> None:
    found = Texts()
    size = module._MAX_BYTES // 8
    for number in range(1, 20):
        found.add(number, {"a": b"%d" % number * (size // len(b"%d" % number))})
        total = sum(weave.size for weave in found.weaves.values())
        assert total <= 4 * size
    assert found.first > 1
    assert version(found.weaves["a"], 19) == b"19" * (size // 2)
