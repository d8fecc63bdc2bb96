from __future__ import annotations

import select
import threading
from functools import partial
from itertools import count

from faults import interrupted
from nubbin.oracles.processes import cancellation
from nubbin.oracles.processes.cancellation import CancelToken


def test_cancelling_stops_what_is_registered_and_only_that() -> None:
    token = CancelToken()
    stopped: list[str] = []
    with token.on_cancel(lambda: stopped.append("over")):
        pass
    with (
        token.on_cancel(lambda: stopped.append("one")),
        token.on_cancel(lambda: stopped.append("two")),
    ):
        assert not token.cancelled
        token.cancel()
        token.cancel()
        assert token.cancelled
        assert stopped == ["one", "two"]
    with token.on_cancel(lambda: stopped.append("late")):
        assert stopped == ["one", "two", "late"]


def test_current_is_the_one_around_us() -> None:
    outer, inner = CancelToken(), CancelToken()
    with outer.as_current():
        with inner.as_current():
            assert cancellation.current() is inner
        assert cancellation.current() is outer
    assert cancellation.current() not in (outer, inner)
    assert not cancellation.current().cancelled


def test_the_block_ends_only_after_a_call_that_is_under_way() -> None:
    """After the block, what is stopped may belong to another, so no call may come that late."""
    token = CancelToken()
    inside, called, left = threading.Event(), threading.Event(), threading.Event()
    late: list[bool] = []

    def stop() -> None:
        called.set()
        # Only a broken token lets the other thread go on; it has this time to show it.
        late.append(left.wait(0.5))

    def work() -> None:
        with token.on_cancel(stop):
            inside.set()
            called.wait()
        left.set()

    threads = [threading.Thread(target=each) for each in (work, token.cancel)]
    threads[0].start()
    inside.wait()
    threads[1].start()
    for thread in threads:
        thread.join()
    assert late == [False]


def test_a_callback_may_cancel_again() -> None:
    token = CancelToken()
    stopped: list[str] = []
    with token.on_cancel(token.cancel), token.on_cancel(lambda: stopped.append("once")):
        token.cancel()
    assert stopped == ["once"]


def test_a_descriptor_can_be_read_when_the_token_is_cancelled() -> None:
    token = CancelToken()
    with token.wake_descriptor() as descriptor:
        assert not select.select([descriptor], [], [], 0)[0]
        token.cancel()
        assert select.select([descriptor], [], [], 0)[0]
    with token.wake_descriptor() as descriptor:
        assert select.select([descriptor], [], [], 0)[0]


def test_no_interrupt_loses_a_callback() -> None:
    """Who cancels again after it has stopped all that is to be stopped."""
    for after in count():
        token, stopped = CancelToken(), set[str]()
        one, two = partial(stopped.add, "one"), partial(stopped.add, "two")
        with token.on_cancel(one), token.on_cancel(two):
            came = interrupted(token.cancel, after, cancellation.__file__)
            token.cancel()
            assert stopped == {"one", "two"}
        assert not token._callbacks
        if not came:
            break
    assert after > 2


def test_an_interrupt_leaves_no_callback_behind() -> None:
    for after in count():
        token, stopped = CancelToken(), list[str]()

        def work(token: CancelToken = token, stopped: list[str] = stopped) -> None:
            with token.on_cancel(lambda: stopped.append("late")):
                pass

        came = interrupted(work, after, cancellation.__file__)
        token.cancel()
        assert not stopped
        if not came:
            break
    assert after > 2
