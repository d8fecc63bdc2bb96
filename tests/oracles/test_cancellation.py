from __future__ import annotations

import select
import threading

from nubbin.oracles import cancellation
from nubbin.oracles.cancellation import Switch


def test_throwing_stops_what_is_registered_and_only_that() -> None:
    switch = Switch()
    stopped: list[str] = []
    with switch.stops(lambda: stopped.append("over")):
        pass
    with switch.stops(lambda: stopped.append("one")), switch.stops(lambda: stopped.append("two")):
        assert not switch.thrown
        switch.throw()
        switch.throw()
        assert switch.thrown
        assert stopped == ["one", "two"]
    with switch.stops(lambda: stopped.append("late")):
        assert stopped == ["one", "two", "late"]


def test_current_is_the_one_around_us() -> None:
    outer, inner = Switch(), Switch()
    with outer.open():
        with inner.open():
            assert cancellation.current() is inner
        assert cancellation.current() is outer
    assert cancellation.current() not in (outer, inner)
    assert not cancellation.current().thrown


def test_the_block_ends_only_after_a_call_that_is_under_way() -> None:
    """What is stopped may be another's after the block, so no call may come that late."""
    switch = Switch()
    inside, called, left = threading.Event(), threading.Event(), threading.Event()
    late: list[bool] = []

    def stop() -> None:
        called.set()
        # Only a broken switch lets the other thread go on; it has this time to show it.
        late.append(left.wait(0.5))

    def work() -> None:
        with switch.stops(stop):
            inside.set()
            called.wait()
        left.set()

    threads = [threading.Thread(target=each) for each in (work, switch.throw)]
    threads[0].start()
    inside.wait()
    threads[1].start()
    for thread in threads:
        thread.join()
    assert late == [False]


def test_a_callback_may_throw_again() -> None:
    switch = Switch()
    stopped: list[str] = []
    with switch.stops(switch.throw), switch.stops(lambda: stopped.append("once")):
        switch.throw()
    assert stopped == ["once"]


def test_a_descriptor_can_be_read_when_the_switch_is_thrown() -> None:
    switch = Switch()
    with switch.readable() as descriptor:
        assert not select.select([descriptor], [], [], 0)[0]
        switch.throw()
        assert select.select([descriptor], [], [], 0)[0]
    with switch.readable() as descriptor:
        assert select.select([descriptor], [], [], 0)[0]
