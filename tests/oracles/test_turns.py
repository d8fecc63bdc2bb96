"""Turns: together with others, or alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest

from faults import interrupted
from nubbin.oracles import local_oracle as module
from nubbin.oracles.local_oracle import Turns


def test_who_wants_to_be_alone_waits_until_all_have_left_and_lets_nobody_in() -> None:
    turns, came = Turns(), list[str]()

    def come_alone() -> None:
        with turns.alone():
            came.append("alone")

    def come_after() -> None:
        with turns.together():
            came.append("after")

    with ThreadPoolExecutor(2) as threads:
        with turns.together(), turns.together():
            alone = threads.submit(come_alone)
            while not (turns._door.locked() or alone.done()):
                pass
            after = threads.submit(come_after)
            came.append("first")
        alone.result()
        after.result()
    assert came == ["first", "alone", "after"]


@pytest.mark.parametrize("how", ["together", "alone"])
def test_an_interrupt_at_any_instant_keeps_nobody_out(how: str) -> None:
    for after in count():
        turns = Turns()

        def work(turns: Turns = turns) -> None:
            with turns.together(), turns.together():
                pass
            with turns.together() if how == "together" else turns.alone():
                pass

        came = interrupted(work, after, module.__file__)
        assert not turns._door.locked()
        with turns.alone():
            pass
        with turns.together():
            assert turns._door.acquire(blocking=False)
            turns._door.release()
        if not came:
            break
    assert after > 5
