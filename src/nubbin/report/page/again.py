"""Command lines that repeat a recorded reduction, or run its test on the result."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from nubbin.option import Group
from nubbin.oracles.commands.command_line import quoted_path, quoted_word
from nubbin.reduction.job import Job

#: The most inputs that a command line names.
_MAX_INPUTS = 20


def commands_again(job: Job, run: Path, *, is_done: bool) -> list[tuple[str, str]]:
    """Return what a user can repeat, each with its command line.

    Paths are relative to the folder in which the user was. If no command accepts the test, for
    example of commits, the lines run the test on the result and verify it.
    """
    verify = (
        "Run the test again on the result and on each removal",
        f"nubbin verify {quoted_path(run, job.test.folder)}",
    )
    test = job.test.as_options
    if test is None:
        line = None
        with suppress(OSError):  # the result does not exist yet, or was removed
            line = job.line(is_done=is_done)
        return [("Run the result", line), verify] if line else [verify]
    inputs = list(job.original.contents) if job.original.name == "." else [job.original.name]
    words = [test, *job.options.as_words(Group.RECORDED, " ", quoted_word)]
    words += [quoted_path(job.root / each, job.test.folder) for each in inputs[:_MAX_INPUTS]]
    words += ["..."] * (len(inputs) > _MAX_INPUTS)
    return [("Reduce the input again", f"nubbin reduce {' '.join(words)}"), verify]
