"""What is shown of a candidate is all of a small one, and little of a large one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nubbin.watch.excerpt import excerpt
from nubbin.watch.vanished import Fate, Part

data = st.builds(lambda part, times: part * times, st.binary(max_size=30), st.integers(0, 2000))
parts = st.lists(st.builds(Part, st.sampled_from(Fate), data), max_size=8)


@given(parts)
def test_the_pieces_make_the_parts(parts: list[Part]) -> None:
    pieces = excerpt(parts)
    for fate in Fate:
        whole = b"".join(part.data for part in parts if part.fate is fate)
        assert b"".join(part.data for part, _ in pieces if part.fate is fate) == whole
    assert all(part.data for part, _ in pieces)


@given(parts)
def test_little_is_shown(parts: list[Part]) -> None:
    shown = sum(len(part.data) for part, is_shown in excerpt(parts) if is_shown)
    assert shown < 20_000 + 1_000 * len(parts)


@given(st.lists(st.builds(Part, st.sampled_from(Fate), st.binary(max_size=100)), max_size=8))
def test_all_of_a_small_candidate_is_shown(parts: list[Part]) -> None:
    assert all(is_shown for _, is_shown in excerpt(parts))


def test_a_change_deep_in_a_large_text_is_shown() -> None:
    line = b"int x = 1;\n"
    deep = [Part(Fate.KEPT, line * 9000), Part(Fate.GONE, b"gone"), Part(Fate.KEPT, line * 9000)]
    folded, above, gone, below, rest = excerpt(deep)
    assert (folded.is_shown, above.is_shown, gone.part.data, below.is_shown, rest.is_shown) == (
        *(False, True, b"gone"),
        *(True, False),
    )
    assert above.part.data.startswith(line)
    assert below.part.data.endswith(b"\n")
