"""The Tab key in bash, zsh and fish: what click leaves out.

An option and its value may be one word, `--smallest=token`. Values may have blanks in bash, and
descriptions commas in fish.
"""

from __future__ import annotations

import re

from click import Context, Parameter
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

_SPECIAL, _ESCAPED = re.compile(r"[^\w@%+=:,./-]"), r"\\\g<0>"


class _Bash(BashComplete):
    """To bash, `=` is a word of its own, and what is inserted has to be quoted."""

    source_template = BashComplete.source_template.replace("read type", "read -r type")

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that one."""
        words, incomplete = super().get_completion_args()
        if incomplete == "=":
            return words, ""
        return words[:-1] if words[-1:] == ["="] else words, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """Return a line for the script of bash."""
        return f"{item.type},{_SPECIAL.sub(_ESCAPED, item.value)}"


class _OneWord(ShellComplete):
    """For shells in which an option and its value are completed as one word."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the words that may stand in the place of the incomplete one."""
        found = super().get_completions(args, incomplete)
        option = re.match("--[a-z-]+=", incomplete)
        return [_prefixed(option[0], each) for each in found] if option else found


def _prefixed(option: str, item: CompletionItem) -> CompletionItem:
    return CompletionItem(option + item.value, item.type, item.help)


class _Zsh(_OneWord, ZshComplete):
    # zsh completes the file after `=`.
    source_template = ZshComplete.source_template.replace(
        "_path_files", "compset -P '*='; _path_files"
    )


class _Fish(_OneWord, FishComplete):
    # What is not a word of nubbin is completed as a file, also after `=`.
    source_template = FishComplete.source_template.replace(
        'split ","', 'split --max 1 ","'
    ).replace("__fish_complete_path $metadata[2]", "complete -C \"'' \"(commandline -ct)")


def complete_file(_: Context, __: Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what the Tab key makes of a value that begins with the path of a file."""
    return [CompletionItem(incomplete, type="file")]


def set_up() -> None:
    """Let click use these."""
    for each in (_Bash, _Zsh, _Fish):
        add_completion_class(each)
