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


def test_the_heaviest_definitions_are_emptied_first() -> None:
    file = schema({"$ref": "#/definitions/type3"})
    running = empty_parts(file, Gate(Syntax("json")))
    heaviest = next_proposal(running)
    assert heaviest is not None
    emptied = json.loads(heaviest.render(EMPTY).data)["definitions"]
    assert list(emptied) == [f"type{i}" for i in range(PARTS)]
    light = {name for name, value in emptied.items() if value}
    assert len(light) == PARTS - 8
    assert {f"type{i}" for i in range(10)} < light  # which have numbers of one digit
    others = next_proposal(running, heaviest.render(Subset.of([0])))
    assert others is not None
    assert others.size == PARTS - 7
    left = json.loads(others.render(Subset.of([0])).data)["definitions"]
    assert [name for name, value in left.items() if value] == ["type0"]


def test_if_none_of_the_heaviest_can_be_emptied_nothing_more_is_asked() -> None:
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
    assert proposal.render(EMPTY).data.count(b"{}") == proposal.size
