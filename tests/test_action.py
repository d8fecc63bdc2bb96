"""The action and the container for workflows, as far as they can be run without these."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

ROOT = Path(__file__).parents[1]


def reducing() -> str:
    """The script of the last step, which reduces."""
    return dedent((ROOT / "action.yml").read_text().rpartition("run: |\n")[2])


@pytest.mark.nightly
@pytest.mark.parametrize("options", ["", "--prints 'a bad line' --smallest lines"])
def test_the_action_reduces_and_writes_a_comment(tmp_path: Path, options: str) -> None:
    (tmp_path / "in put").write_text("good\na bad line\ngood\n")
    (tmp_path / "nubbin/bin").mkdir(parents=True)
    (tmp_path / "nubbin/bin/nubbin").symlink_to(ROOT / ".venv/bin/nubbin")
    given = {
        "INPUT": "in put",
        "RUN": "! grep bad {} || ls no-such-file",
        "OPTIONS": options,
        "MAX_TIME": "1h",
    }
    there = {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "outputs")}
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", reducing()],  # as a runner does
        cwd=tmp_path,
        env={**os.environ, **given, **there},
        check=True,
    )
    outputs = dict(line.split("=", 1) for line in (tmp_path / "outputs").read_text().splitlines())
    assert Path(outputs["result"]).read_text().strip() == ("a bad line" if options else "bad")
    assert "grep bad" in Path(outputs["comment"]).read_text()


def test_the_container_gets_what_there_is() -> None:
    (wanted,) = re.findall(r"^COPY (.+) /nubbin/$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    folders = re.findall(
        r"^COPY (\w+) /nubbin/\1$", (ROOT / "Dockerfile").read_text(), re.MULTILINE
    )
    assert all((ROOT / name).exists() for name in (*wanted.split(), *folders))
    assert {"core", "src"} < {*folders}
