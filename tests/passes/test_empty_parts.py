"""The values of large maps that are referred to are emptied, and stay, with the chains to them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nubbin.documents.edits import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.passes.nodes.bodies import empty_parts
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate
from nubbin_core.minimizers import EMPTY, Subset, Uses
from nubbin_core.minimizers.uses import NO_USER

PARTS = 64


def schema(root: dict[str, Any], **others: Any) -> File:
    """Return one in which each type but the last refers to the next one."""
    definitions = {
        f"type{i}": {"properties": {"a": {"$ref": f"#/definitions/type{i + 1}"}, "b": [i] * 20}}
        for i in range(PARTS)
    }
    data = json.dumps({**root, "definitions": definitions | others}, indent=1)
    return File("a.json", data.encode())


def full(file: File) -> set[str]:
    """Return the definitions with anything in them."""
    return {name for name, value in json.loads(file.data)["definitions"].items() if value}


def test_a_value_that_is_kept_keeps_the_chain_to_it() -> None:
    file = schema({"$ref": "#/definitions/type0"})
    running = empty_parts(file, Gate(Syntax("json")))
    groups = next_proposal(running)
    assert groups is not None
    assert groups.size == 4
    assert full(groups.render(EMPTY)) == set()
    half = groups.render(Subset.of([1]))
    assert full(half) == {f"type{i}" for i in range(len(full(half)))}
    single = next_proposal(running, half)
    assert single is not None
    assert single.size == len(full(half))
    assert full(single.render(Subset.of([7]))) == {f"type{i}" for i in range(8)}


def test_what_the_others_can_do_without_goes_alone() -> None:
    light = {"by": {"$ref": "#/definitions/type9"}}
    file = schema({"$ref": "#/definitions/type0", "or": "#/definitions/by"}, **light)
    running = empty_parts(file, Gate(Syntax("json")))
    proposal = next_proposal(running)
    for needed in ({f"type{i}" for i in range(PARTS // 2)}, {f"type{i}" for i in range(20)}):
        assert proposal is not None
        kept = Subset.full(proposal.size)
        for at in reversed(range(proposal.size)):
            if needed <= full(proposal.render(kept - Subset.of([at]))):
                kept -= Subset.of([at])
        came_out = proposal.render(kept)
        assert full(came_out) == {*needed, "by"}
        proposal = next_proposal(running, came_out)
    assert proposal is not None
    assert proposal.size == 2
    assert full(proposal.render(Subset.of([0]))) in (needed, {*needed, "by"} - {"type8"})


def test_if_no_group_can_be_emptied_nothing_more_is_asked() -> None:
    file = schema({"$ref": "#/definitions/type3"})
    running = empty_parts(file, Gate(Syntax("json")))
    assert next_proposal(running) is not None
    assert next_proposal(running, file) is None


def test_a_map_to_which_nothing_refers_costs_nothing() -> None:
    data = json.dumps({f"key{i}": [i] * 20 for i in range(PARTS)}).encode()
    assert next_proposal(empty_parts(File("a.json", data), Gate(Syntax("json")))) is None


def test_values_of_yaml_are_emptied() -> None:
    parts = "".join(
        f"  t{i}:\n    type: object\n    size: {i}\n    of: [a, t{i + 1}]\n" for i in range(PARTS)
    )
    file = File("a.yaml", f"use: t5\ndefs:\n{parts}".encode())
    proposal = next_proposal(empty_parts(file, Gate(Syntax("yaml"))))
    assert proposal is not None
    assert proposal.render(EMPTY).data.count(b"{}") == PARTS


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[set[int]], list[set[int]]]:
    n = draw(st.integers(1, 5))
    some = st.sets(st.integers(0, n - 1), max_size=3)
    weights = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    uses = draw(st.lists(some, min_size=n, max_size=n))
    return weights, [draw(some), draw(some)], uses


def _chains(starts: set[int], uses: list[set[int]]) -> Iterator[list[int]]:
    left = [[start] for start in starts]
    while left:
        chain = left.pop()
        yield chain
        left += [[*chain, used] for used in uses[chain[-1]] - set(chain)]


@given(graphs())
def test_no_chain_is_lighter(graph: tuple[list[int], list[set[int]], list[set[int]]]) -> None:
    weights, starts, uses = graph
    users = Uses.of_each(uses).chains(weights, starts)
    lightest: dict[int, int] = {}
    for some in starts:
        found: dict[int, int] = {}
        for chain in _chains(some, uses):
            weight = sum(weights[part] for part in chain)
            found[chain[-1]] = min(weight, found.get(chain[-1], weight))
        lightest = found | lightest
    assert users.keys() == lightest.keys()
    for part, user in users.items():
        before = 0 if user == NO_USER else lightest[user]
        assert user == NO_USER or part in uses[user]
        assert weights[part] + before == lightest[part]
    assert all(
        user == NO_USER or user in list(users)[:at] for at, user in enumerate(users.values())
    )
