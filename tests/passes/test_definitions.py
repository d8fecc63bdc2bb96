"""Numbered definitions that nothing else leads to are deleted at once."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from nubbin.documents.consistency.consistency import Consistency
from nubbin.documents.consistency.hypotheses import hypotheses
from nubbin.documents.file import File
from nubbin.passes.words.definitions import definitions
from nubbin_core.minimizers import EMPTY

N = 12
NODES = st.sets(st.integers(0, N - 1), max_size=2)


def text_of(roots: set[int], uses: list[set[int]], *, by_name: bool) -> bytes:
    heads = "".join(f"  call void @f(), !dbg !{at}\n" for at in sorted(roots))
    if by_name:
        heads = f"!named = !{{{', '.join(f'!{at}' for at in sorted(roots))}}}\n"
    nodes = (
        f"!{at} = !{{name{at}x{'y' * 20}{''.join(f', !{each}' for each in sorted(used))}}}\n"
        for at, used in enumerate(uses)
    )
    return (heads + "".join(nodes)).encode()


def named(data: bytes) -> dict[str, set[str]]:
    """Return what each definition of a text uses, by the names in them; "" uses the roots."""
    text = data.decode()
    names = dict(re.findall(r"^!(\d+) = !\{name(\d+)x", text, re.MULTILINE))
    found = {"": {names[at] for at in re.findall(r"!(\d+)", text.partition("\n!0 =")[0])}}
    for at, rest in re.findall(r"^!(\d+) = !\{\w+(.*)\}", text, re.MULTILINE):
        found[names[at]] = {names[each] for each in re.findall(r"!(\d+)", rest)}
    return found


@given(NODES, st.lists(NODES, min_size=N, max_size=N), st.booleans())
@examples(50)
def test_what_is_reached_from_a_name_or_another_line_stays(
    roots: set[int], uses: list[set[int]], by_name: bool
) -> None:
    data = text_of(roots, uses, by_name=by_name)
    known = Consistency.of(data, hypotheses(data), [])
    proposal = next(definitions(File("a.ll", data).with_data(data, known)), None)
    before, reached, ahead = named(data), {""}, [""]
    while ahead:
        new = before[ahead.pop()] - reached
        reached |= new
        ahead += new
    if not roots or len(reached) > N - 1:
        assert not roots or proposal is None
        return
    assert proposal is not None
    after = named(proposal.render(EMPTY).data)
    assert after == {name: used for name, used in before.items() if name in reached}
