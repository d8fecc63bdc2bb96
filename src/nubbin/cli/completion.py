"""Complete words in bash, zsh and fish, where click does not.

An option and its value can be one word, such as `--smallest=token`. Values can contain blanks in
bash, and descriptions can contain commas in fish.
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
    """For bash, `=` is a word of its own, and completions must be quoted."""

    source_template = BashComplete.source_template.replace("read type", "read -r type")

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the incomplete one, and the incomplete one."""
        words, incomplete = super().get_completion_args()
        if incomplete == "=":
            return words, ""
        return words[:-1] if words[-1:] == ["="] else words, incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """Return a line for the bash script."""
        return f"{item.type},{_SPECIAL.sub(_ESCAPED, item.value)}"


class _OneWord(ShellComplete):
    """For shells that complete an option and its value as one word."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the completions of a word."""
        found = super().get_completions(args, incomplete)
        option = re.match("--[a-z-]+=", incomplete)
        start = option[0] if option else ""
        return [CompletionItem(start + each.value, each.type, each.help) for each in found]


class _Zsh(_OneWord, ZshComplete):
    # zsh completes the file after `=`.
    source_template = ZshComplete.source_template.replace(
        "_path_files", "compset -P '*='; _path_files"
    )


class _Fish(_OneWord, FishComplete):
    # Other words are completed as files, also after `=`.
    source_template = FishComplete.source_template.replace(
        'split ","', 'split --max 1 ","'
    ).replace("__fish_complete_path $metadata[2]", "complete -C \"'' \"(commandline -ct)")


def complete_file(_: Context, __: Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a value that begins with the path of a file."""
    return [CompletionItem(incomplete, type="file")]


def register_completions() -> None:
    """Register these completions with click."""
    for each in (_Bash, _Zsh, _Fish):
        add_completion_class(each)
