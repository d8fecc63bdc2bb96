"""The versions with which the record can be made again."""

from __future__ import annotations

import csv
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PINNED = ROOT / "record/evaluation/constraints.txt"


def test_every_package_of_the_study_is_pinned_to_a_version_it_allows() -> None:
    files = (ROOT / "pyproject.toml", ROOT / "bench/pyproject.toml")
    nubbin, study = (tomllib.loads(file.read_text()) for file in files)
    hook = nubbin["tool"]["hatch"]["metadata"]["hooks"]["custom"]
    words = [*hook["dependencies"], *hook["parsers"], *study["project"]["dependencies"]]
    allowed = {each.name: each.specifier for each in map(Requirement, words) if each.specifier}
    lines = [line for line in PINNED.read_text().splitlines() if not line.startswith("#")]
    pinned = list(map(Requirement, lines))
    assert set(allowed) <= {each.name for each in pinned}
    for each in pinned:
        (exactly,) = each.specifier
        assert exactly.operator == "=="
        assert each.name not in allowed or allowed[each.name].contains(exactly.version), each


def test_the_container_has_the_compilers_and_the_environment_of_the_study() -> None:
    recipe = (ROOT / "bench/Containerfile").read_text()
    with (ROOT / "bench/nubbin_bench/artifact/c_tests.csv").open() as file:
        tools = {row["tool"] for row in csv.DictReader(file)}
    packages = {"h8300-hms-gcc": "gcc-h8300-hms", "avr-gcc": "gcc-avr"}
    assert {packages.get(tool, tool) for tool in tools} <= set(recipe.split())
    environment = "pip install -c record/evaluation/constraints.txt . ./bench"
    assert environment in recipe
    assert environment in (ROOT / "record/evaluation/README.md").read_text()
