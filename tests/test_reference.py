"""The reference has all commands and options, and their help as it is."""

from __future__ import annotations

import re
import string
from pathlib import Path

import click
import pytest
from command_help import command_help
from commands_directive import markdown, section
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import nubbin
from nubbin.cli import main

_WORDS = st.text(
    string.digits + string.ascii_letters + string.punctuation.replace("`", ""), min_size=1
)


@pytest.mark.parametrize("name", main.commands)
def test_every_option_is_in_the_reference(name: str) -> None:
    command = main.commands[name]
    told = command_help(f"nubbin {name}", command)
    assert all(each.startswith("-") for options in told.options.values() for each, _ in options)
    text = "\n".join(section(told))
    for param in command.params:
        if isinstance(param, click.Option) and param.name != "help_all":
            assert param.help, param.name
            assert all(f" {option}" in text for option in param.opts)
            assert markdown(param.help) in text


def test_every_public_name_is_in_the_reference() -> None:
    text = (Path(__file__).parents[1] / "docs" / "api.md").read_text()
    assert sorted(re.findall(r"auto\w+:: (\w+)", text)) == sorted(nubbin.__all__)


@given(st.lists(_WORDS, min_size=1).map(" ".join))
def test_a_help_text_is_shown_as_it_is(text: str) -> None:
    (paragraph,) = [each for each in MarkdownIt().parse(markdown(text)) if each.children]
    shown = paragraph.children or []
    assert {each.type for each in shown} <= {"text", "text_special"}
    assert "".join(each.content for each in shown) == text


def test_code_in_a_help_text_stays_code() -> None:
    (paragraph,) = [
        each for each in MarkdownIt().parse(markdown("as `a_*b*` says")) if each.children
    ]
    assert [each.content for each in paragraph.children or []] == ["as ", "a_*b*", " says"]
