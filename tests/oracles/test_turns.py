"""Turns: together with others, or alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from nubbin.oracles.turns import Turns


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
