from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from platform import python_version

from click.testing import CliRunner

import nubbin
from faults import script
from nubbin.cli import main
from nubbin.cli.commands import reduce_command
from nubbin.option import Group, Option
from nubbin.reduction.options import options_in_groups


def test_commands_are_declared_without_what_only_their_work_needs() -> None:
    declared = "from nubbin.cli import main; list(main.commands.values())"
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", declared],
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.split("|")[-1].strip() for line in told.stderr.splitlines()}
    assert "nubbin.cli.commands" in imported
    # Without numpy, because a wheel is built, with the page of `man`, where numpy is not installed.
    assert not {"nubbin_core.minimizers", "numpy", "rich", "asyncio", "textual"} & imported


def test_a_run_imports_what_it_uses(letters: Path, tmp_path: Path) -> None:
    script(tmp_path, "grep -q a letters.txt")
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "nubbin", "reduce", "./test.sh", letters],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.split("|")[-1].strip() for line in told.stderr.splitlines()}
    assert "nubbin.reduction.reduce" in imported
    unused = {
        "numpy.ma",  # 25 ms, by numpy.unique
        "importlib.metadata",  # for algorithms of other packages
        "asyncio",
        "distributed",
        "textual",
        "nubbin.checks.causes",
        "nubbin.documents.containers.zip_archive",
        "nubbin.oracles.commands.run_test",
    }
    assert sorted(unused & imported) == []


def test_help_shows_what_is_for_daily_use() -> None:
    text = CliRunner().invoke(main, ["reduce", "--help"], terminal_width=80).output
    assert text == CliRunner().invoke(main, ["reduce"], terminal_width=80).output
    assert len(text.splitlines()) <= 40
    assert [line[7:].split(" [OPTIONS] ")[1] for line in text.splitlines()[:3]] == [
        "TEST INPUT...",
        "--run CMD INPUT...",
        "INPUT... -- CMD...",
    ]
    assert text.count("\n  nubbin reduce ") == 4
    for name, option in reduce_options().items():
        assert (f" --{name} " in text) is option.daily, name
    assert all(f" --{name} " in text for name in ("run", "prints", "smallest", "help-all"))
    assert not any(name in text for name in ("--seed", "--p0", "--stdout", "Exit codes"))


def reduce_options() -> dict[str, Option]:
    return {
        each.name.replace("_", "-"): each
        for each in options_in_groups(Group.REDUCE)
        if each.section
    }


def test_each_command_says_all_if_asked() -> None:
    for name in main.commands:
        short = CliRunner().invoke(main, [name, "-h"])
        full = CliRunner().invoke(main, [name, "--help-all"])
        assert (short.exit_code, full.exit_code) == (0, 0)
        assert len(full.output) >= len(short.output) - len("Options")
        assert len(short.output.splitlines()) <= 40


def test_help_all_shows_every_option_and_exit_code() -> None:
    text = CliRunner().invoke(main, ["reduce", "--help-all"]).output
    for param in reduce_command.params:
        assert all(name in text for name in param.opts if name.startswith("--"))
    for code in ("0 ", "1 ", "2 ", "130 "):
        assert f"\n    {code}" in text.split("Exit codes:")[1]
    assert max(map(len, text.splitlines())) <= 80


def test_all_commands_are_on_one_screen() -> None:
    text = CliRunner().invoke(main, ["-h"], terminal_width=80).output
    assert text == CliRunner().invoke(main, [], terminal_width=80).output
    lines = text.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert [name for name in main.commands if f"\n  {name:8}  " not in text] == []


def test_options_for_research_come_last() -> None:
    text = CliRunner().invoke(main, ["reduce", "--help-all"]).output
    daily, research = text.split("\nResearch:\n")
    for option in ("--algorithm", "--p0", "--seed"):
        assert option in research
        assert option not in daily
    assert "--max-time" in daily


def test_version() -> None:
    told = CliRunner().invoke(main, ["-V"])
    assert told.exit_code == 0
    assert told.output.startswith(f"nubbin {nubbin.__version__} (Python {python_version()})\n")
    assert f", cpp {version('tree-sitter-cpp')}," in told.output
    assert f", language-pack {version('tree-sitter-language-pack')}" in told.output


def test_windows_is_refused_in_a_paragraph() -> None:
    code = "import os; os.name = 'nt'; from nubbin.__main__ import main; main()"
    told = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert told.stdout == ""
    assert told.stderr.startswith("nubbin: Windows is not supported: ")
    assert "Traceback" not in told.stderr
