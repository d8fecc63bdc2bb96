"""Options are declared once: the library, the command line and the journal agree on them."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import get_type_hints

import click
import numpy as np
import pytest

import nubbin
from nubbin.cli.commands import reduce_command, resume_command
from nubbin.option import Group
from nubbin.reduction.keywords import CheckKeywords, ReduceKeywords, ResumeKeywords, options_given
from nubbin.reduction.options import OPTIONS, Options, options_in_groups


@pytest.mark.parametrize(
    ("function", "keywords", "groups"),
    [
        (nubbin.reduce, ReduceKeywords, Group.REDUCE),
        (nubbin.resume, ResumeKeywords, Group.RESUME),
        (nubbin.check, CheckKeywords, Group.CHECK),
    ],
)
def test_the_library_shows_every_option(function: object, keywords: type, groups: Group) -> None:
    """Type checkers and editors see them by `keywords`, readers by the signature and the help."""
    assert callable(function)
    assert get_type_hints(function)["options"].__args__ == (keywords,)
    assert get_type_hints(keywords) == {each.name: each.type for each in options_in_groups(groups)}
    parameters = inspect.signature(function).parameters
    lines = (inspect.getdoc(function) or "").splitlines()
    for option in options_in_groups(groups):
        name = option.name
        assert parameters[name].default == option.default
        (line,) = (each for each in lines if each.startswith(f"    {name}: "))
        said = line.partition(": ")[2].removesuffix(f" In {option.unit}.").rstrip(".")
        assert option.help.startswith(said)
        assert "(30, " not in line  # a time as the command line has it


@pytest.mark.parametrize(
    ("command", "groups"), [(reduce_command, Group.REDUCE), (resume_command, Group.RESUME)]
)
def test_the_command_line_has_every_option(command: click.Command, groups: Group) -> None:
    there = {param.name: param for param in command.params if isinstance(param, click.Option)}
    for option in options_in_groups(groups):
        assert (option.name in there) == (option.section is not None)
        if shown := there.get(option.name):
            assert (shown.help, shown.default) == (option.help, option.default)


WRONG = (None, True, 1, 0.5, "x", b"x", ["x"], {"x": 1}, object())


@pytest.mark.parametrize("name", OPTIONS)
def test_a_value_of_another_type_is_refused_in_a_sentence(name: str) -> None:
    """Each option has a type that it takes, and tells others by one sentence with its name."""
    refused = 0
    for value in WRONG:
        try:
            OPTIONS[name].checked(value)
        except (TypeError, ValueError) as error:
            assert re.match(rf"(no )?{name}\b", str(error))
            refused += isinstance(error, TypeError)
    assert refused >= 4


def test_numbers_of_numpy_are_numbers() -> None:
    keywords = {"jobs": np.int64(3), "timeout": np.float32(0.5), "sandbox": np.bool_(True)}
    taken = options_given(keywords, Group.REDUCE).values(Group.TEST | Group.WORKERS)
    values = [taken[name] for name in keywords]
    assert values == [3, 0.5, True]
    assert list(map(type, values)) == [int, float, bool]


def test_what_is_not_given_has_its_default() -> None:
    options = options_given({"seed": 7}, Group.REDUCE)
    assert (options.seed, options.p0, options.memory) == (7, 0.1, None)
    assert options == Options(seed=7)


def test_a_function_takes_its_own_options_only() -> None:
    with pytest.raises(TypeError, match="there is no option 'trust'; there are all_files, output"):
        options_given({"trust": True}, Group.REDUCE)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"sed": 7}, TypeError, "there is no option 'sed'"),
        ({"algorithm": "magic"}, ValueError, "no algorithm 'magic'; there are auto, "),
        ({"smallest": "words"}, ValueError, "no smallest 'words'; there are tree, token"),
        ({"smallest": "commits"}, ValueError, "no smallest 'commits'; there are tree, token"),
        ({"smallest": "changes"}, ValueError, "no smallest 'changes'; there are tree, token"),
        ({"jobs": 0}, ValueError, "jobs is at least 1, not 0"),
        ({"seed": -1}, ValueError, "seed is at least 0, not -1"),
        ({"timeout": 0}, ValueError, "timeout is more than 0 seconds, not 0"),
        ({"memory": -1}, ValueError, "memory is more than 0 bytes, not -1"),
        ({"price": 0}, ValueError, "price is a finite number of rejected queries over 0, not 0"),
        ({"p0": 1}, ValueError, "p0 is a probability between 0 and 1, not 1"),
        ({"jobs": "x"}, TypeError, "^jobs is a whole number or None, not 'x'$"),
        ({"jobs": True}, TypeError, "^jobs is a whole number or None, not True$"),
        ({"without": "tokens"}, TypeError, "^without is a list of texts, not 'tokens'$"),
        ({"output": 1}, TypeError, "^output is a text or a path or None, not 1$"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_read(
    options: ReduceKeywords, error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        nubbin.reduce(tmp_path / "no test", tmp_path / "no input", **options)
