from __future__ import annotations

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
