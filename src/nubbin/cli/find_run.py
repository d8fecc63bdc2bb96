"""Finds the recorded run that a user means."""

from __future__ import annotations

from pathlib import Path

from nubbin.cli.usage import CliError


def find_run(run: Path | None) -> Path:
    """Return the folder of a run: of this path, of this name in .nubbin, or of the last one here.

    Raises `CliError` if there is none here.
    """
    from nubbin.journal.runs import RUNS, runs_in  # noqa: PLC0415

    if run is not None:
        named = Path(RUNS) / run
        return named if not run.exists() and named.exists() else run
    here = runs_in(Path())
    if not here:
        raise CliError("There is no recorded run here. Name one, or change to a folder with one.")
    return here[-1].folder


def unfinished_run() -> Path:
    """Return the folder of the last run here that is not done; raises `CliError` for none."""
    from nubbin.journal.runs import runs_in  # noqa: PLC0415

    left = [run for run in runs_in(Path()) if run.resumable]
    if not left:
        raise CliError("There is no run here that can go on; `nubbin runs` lists them all.")
    return left[-1].folder
