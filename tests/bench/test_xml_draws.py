"""studies/basex draws documents that parse, and the same ones for the same seed."""

from __future__ import annotations

import random
from xml.etree import ElementTree

import pytest

from studies import xml_draws


@pytest.mark.parametrize("seed", range(5))
def test_a_document_parses_and_numbers_its_elements(seed: int) -> None:
    text = xml_draws.document(random.Random(seed), 5000)
    assert len(text) > 5000
    ids = [element.get("id") for element in ElementTree.fromstring(text).iter()]
    assert ids == [str(number) for number in range(len(ids))]
    assert text == xml_draws.document(random.Random(seed), 5000)


def test_queries_differ_and_are_drawn_again_alike() -> None:
    drawn = [xml_draws.query(random.Random(seed)) for seed in range(200)]
    assert len(set(drawn)) > 190
    assert drawn == [xml_draws.query(random.Random(seed)) for seed in range(200)]
    assert all(query.count("[") == query.count("]") for query in drawn)
