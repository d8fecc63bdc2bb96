"""Queries run together with others, or alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from faults import interrupted
from nubbin.oracles import local_oracle as module
from nubbin.oracles.local_oracle import TogetherOrAlone


def test_who_wants_to_be_alone_waits_until_all_have_left_and_lets_nobody_in() -> None:
    entry, came = TogetherOrAlone(), list[str]()

    def come_alone() -> None:
        with entry.alone():
            came.append("alone")

    def come_after() -> None:
        with entry.together():
            came.append("after")

    with ThreadPoolExecutor(2) as threads:
        with entry.together(), entry.together():
            alone = threads.submit(come_alone)
            while not (entry._door.locked() or alone.done()):
                pass
            after = threads.submit(come_after)
            came.append("first")
        alone.result()
        after.result()
    assert came == ["first", "alone", "after"]


@pytest.mark.parametrize("how", ["together", "alone"])
def test_an_interrupt_at_any_instant_keeps_nobody_out(how: str) -> None:
    for after in count():
        entry = TogetherOrAlone()

        def work(entry: TogetherOrAlone = entry) -> None:
            with entry.together(), entry.together():
                pass
            with entry.together() if how == "together" else entry.alone():
                pass

        came = interrupted(work, after, module.__file__)
        assert not entry._door.locked()
        with entry.alone():
            pass
        with entry.together():
            assert entry._door.acquire(blocking=False)
            entry._door.release()
        if not came:
            break
    assert after > 5
