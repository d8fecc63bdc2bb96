"""Options are declared once: the library, the command line and the journal agree on them."""

from __future__ import annotations

import inspect
from pathlib import Path

import click
import pytest

import nubbin
from nubbin.cli.reduce_command import reduce_command
from nubbin.cli.resume_command import resume_command
from nubbin.reduction.option import chosen, completed, declared
from nubbin.reduction.options import JobOptions, Options, ResourceOptions


@pytest.mark.parametrize(
    ("function", "kind"), [(nubbin.reduce, Options), (nubbin.resume, ResourceOptions)]
)
def test_the_library_shows_every_option(function: object, kind: type) -> None:
    assert callable(function)
    parameters = inspect.signature(function).parameters
    for name, (_, option) in declared(kind).items():
        assert parameters[name].default == option.default
        assert option.help in (inspect.getdoc(function) or "")


@pytest.mark.parametrize(
    ("command", "kind"), [(reduce_command, Options), (resume_command, ResourceOptions)]
)
def test_the_command_line_has_every_option(command: click.Command, kind: type) -> None:
    there = {param.name: param for param in command.params if isinstance(param, click.Option)}
    for name, (_, option) in declared(kind).items():
        assert (name in there) == (option.section is not None)
        if name in there:
            assert (there[name].help, there[name].default) == (option.help, option.default)


def test_what_is_not_given_has_its_default() -> None:
    options = completed(Options(seed=7), Options)
    assert (options["seed"], options["p0"], options["memory"]) == (7, 0.1, None)
    assert set(chosen(options, JobOptions)) == set(declared(JobOptions))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"sed": 7}, TypeError, "there is no option 'sed'"),
        ({"algorithm": "magic"}, ValueError, "no algorithm 'magic'; there are auto, "),
        ({"atom": "words"}, ValueError, "no atom 'words'; there are auto, lines"),
        ({"jobs": 0}, ValueError, "jobs is at least 1, not 0"),
        ({"seed": -1}, ValueError, "seed is at least 0, not -1"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_read(
    options: Options, error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        nubbin.reduce(tmp_path / "no test", tmp_path / "no input", **options)
