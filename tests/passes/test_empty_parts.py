"""The parts of a list that is referred to are emptied, and stay."""

from __future__ import annotations

import json
from typing import Any

from nubbin.documents.file import File
from nubbin.documents.parsing.syntax import Syntax
from nubbin.minimizers import EMPTY, Subset
from nubbin.passes.nodes.empty_parts import empty_parts
from nubbin.passes.proposal import next_proposal
from nubbin.passes.syntactic import Gate

PARTS = 64


def schema(root: dict[str, Any]) -> File:
    definitions = {
        f"type{i}": {"properties": {"a": {"$ref": f"#/definitions/type{i + 1}"}, "b": [i] * 20}}
        for i in range(PARTS)
    }
    return File("a.json", json.dumps({**root, "definitions": definitions}, indent=1).encode())


def test_definitions_are_emptied_in_groups_and_then_one_by_one() -> None:
    file = schema({"$ref": "#/definitions/type3"})
    running = empty_parts(file, Gate(Syntax("json")))
    groups = next_proposal(running)
    assert groups is not None
    assert groups.size == 8
    assert set(json.loads(groups.render(EMPTY).data)["definitions"]) == {
        f"type{i}" for i in range(PARTS)
    }
    file = groups.render(Subset.of([0]))
    each = next_proposal(running, file)
    assert each is not None
    assert each.size == PARTS / 8
    left = json.loads(each.render(Subset.of([3])).data)["definitions"]
    assert [name for name, value in left.items() if value] == ["type3"]


def test_if_no_group_can_be_emptied_nothing_more_is_asked() -> None:
    file = schema({"$ref": "#/definitions/type3"})
    running = empty_parts(file, Gate(Syntax("json")))
    assert next_proposal(running) is not None
    assert next_proposal(running, file) is None


def test_a_list_to_which_nothing_refers_costs_nothing() -> None:
    assert next_proposal(empty_parts(schema({"title": "x"}), Gate(Syntax("json")))) is None


def test_values_of_yaml_are_emptied() -> None:
    parts = "".join(
        f"  t{i}:\n    type: object\n    size: {i}\n    of: [a, b]\n" for i in range(PARTS)
    )
    file = File("a.yaml", f"use: t5\ndefs:\n{parts}".encode())
    proposal = next_proposal(empty_parts(file, Gate(Syntax("yaml"))))
    assert proposal is not None
    assert proposal.render(EMPTY).data.count(b"{}") == PARTS
