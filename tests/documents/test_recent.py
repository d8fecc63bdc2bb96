"""What was made of the last documents is remembered, up to a size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.recent import Recent


@given(st.lists(st.sampled_from([b"", b"a", b"bb", b"ccc", b"dddddddd"]), max_size=30))
def test_of_the_last_documents_all_are_remembered_that_fit(asked: list[bytes]) -> None:
    recent, made = Recent[bytes](5), list[bytes]()
    last: list[bytes] = []

    def make(data: bytes) -> bytes:
        made.append(data)
        return data * 2

    for data in asked:
        known = data in last
        before = len(made)
        assert recent.of(data, make) == data * 2
        assert (len(made) == before) == known
        last = [*(each for each in last if each != data), data]
        while len(last) > 1 and sum(map(len, last)) > 5:
            del last[0]
