"""How does a person call it? The command line.

Only click is imported before a command runs: help and usage errors are instant.
"""

from __future__ import annotations

import click

from nubbin.cli.recorded import (
    history_command,
    restore_command,
    runs_command,
    verify_command,
)
from nubbin.cli.reduce import reduce_command
from nubbin.cli.resume import resume_command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="nubbin", message="nubbin %(version)s")
def main() -> None:
    """Find the smallest input that still makes your program misbehave."""


main.add_command(reduce_command, "reduce")
main.add_command(resume_command, "resume")
main.add_command(runs_command, "runs")
main.add_command(history_command, "history")
main.add_command(restore_command, "restore")
main.add_command(verify_command, "verify")
