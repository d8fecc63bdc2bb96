"""The reducers: how each is found and started, and the wrapper of the test."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import nubbin
from harness.reductions import NUBBIN, executable
from nubbin.reduction.options import REDUCERS

WRAPPER = """#!/bin/bash
size_of() {{
  find "$1" -type f -printf '%s\\n' 2>/dev/null | awk '{{ n += $1 }} END {{ print n + 0 }}'
}}
size=$(size_of {name})
echo "? $EPOCHREALTIME $size" >>{log}
{test} "$@"
status=$?
echo "= $status" >>{log}
if [ $status = 0 ] && [ "$size" -lt "$(size_of {best})" ]; then
  rm -rf {best}.part && cp -r {name} {best}.part && rm -rf {best} && mv {best}.part {best}
fi
exit $status
"""

CONDITION = """import subprocess


def interesting(args, prefix):
    return subprocess.run([{wrapper!r}], check=False).returncode == 0
"""

#: The version of a reducer that does not tell it.
UNKNOWN = "not recorded"

C_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".i", ".ii"}
NAMES = {
    "nubbin": "nubbin",
    "shrinkray": "Shrink Ray",
    "cvise": "C-Vise",
    "creduce": "C-Reduce",
    "picire": "Picire",
    "lithium": "Lithium",
}
TOOLS = tuple(NAMES)
#: nubbin by itself, and when the reducer of a case has its first turn in nubbin.
WITH_NUBBIN = {"nubbin": (), "first": ("first@",), "together": ("",)}
#: Reducers for one format, and the suffixes of its files; where there is none, Shrink Ray.
DOMAIN_TOOLS = {
    "llvm-reduce": {".ll"},
    "ddsmt": {".smt2"},
    "wasm-reduce": {".wasm"},
    "mlir-reduce": {".mlir"},
    "spirv-reduce": {".spv"},
    "shrinkray": {".sql", ".cnf", ".pcap", ".pb", ".o", ".ttf", ".mp4", ".tiff"},
}

#: The reducers for one format name the candidate in their last argument, or name none.
ADAPTER = """#!/bin/sh
file={name}
for file; do :; done
folder=$(mktemp -d) && cp "$file" "$folder"/{name} && cd "$folder" && {wrapper}
status=$?
rm -r "$folder"
exit $status
"""
#: Runs the reducer of a case, and asks about the file that it leaves: formatters ask nothing.
ALONE = """name=$0; test=$1; shift; "$@"; [ ! -s out ] || cp out "$name"; "$test" && echo"""
PLACE = re.compile(r"\{(test|out|jobs|)\}")
#: mlir-reduce takes a status other than 0 for interesting.
INVERTED = """#!/bin/sh
! {adapter} "$1"
"""


def write_wrapper(path: Path, name: str, test: Path, log: Path, best: Path) -> None:
    """Write an executable that runs `test` and logs queries and answers.

    Every query adds two lines to `log`: `? time size` before the test, `= status` after it. The
    smallest candidate that passed, under `name` in the folder of the query, is kept as `best`. A
    folder is as large as its files; the test writes nothing into it. Behind its end, where nothing
    runs, the wrapper has the text of the test, for reducers that read which files a test names.
    """
    parts = {"name": name, "log": log, "test": test, "best": best}
    text = WRAPPER.format(**{key: shlex.quote(str(value)) for key, value in parts.items()})
    executable(path, text + test.read_text(errors="replace"))


def find(tool: str, folders: Sequence[str]) -> list[str] | None:
    """Return the command that starts a reducer, from `folders` or PATH; None if there is none.

    PATH itself is not changed, because the tests may need another Python than the reducer.
    """
    if tool in WITH_NUBBIN:
        return NUBBIN
    if tool == "alone":
        return ["sh", "-c", ALONE]
    found = shutil.which(tool, path=os.pathsep.join([*folders, os.environ["PATH"]]))
    return [str(Path(found).absolute())] if found else None


def version(tool: str, program: list[str]) -> str:
    """Return the version of a reducer: nubbin's commit, and what any other prints of itself."""
    line = [*program, "--version"]
    if tool in WITH_NUBBIN:
        folder = str(Path(nubbin.__file__).parent)
        line = ["git", "-C", folder, "describe", "--always", "--dirty", "--exclude=*"]
    printed = subprocess.run(line, capture_output=True, text=True, check=False).stdout
    found = re.search(r"\S+" if tool in WITH_NUBBIN else r"\d+(\.\d+)+", printed)
    return found[0] if found else UNKNOWN


def arguments(tool: str, wrapper: Path, copy: Path, jobs: int = 1, reducer: str = "") -> list[str]:
    """Return the arguments of a reducer: its jobs, no terminal, otherwise its defaults.

    The reducers for one format get one job. `reducer` is the one that is run `alone`, or by nubbin.
    """
    test, name = str(wrapper), copy.name
    not_c = [] if copy.suffix.lower() in C_SUFFIXES else ["--not-c"]
    if tool in WITH_NUBBIN:
        other = [f"--reduce-with={when}{reducer}" for when in WITH_NUBBIN[tool]]
        return ["reduce", "--quiet", "--jobs", str(jobs), *other, test, name]
    if tool == "shrinkray":
        return ["--parallelism", str(jobs), "--ui", "basic", test, name]
    if tool in {"cvise", "creduce"}:
        return ["--n", str(jobs), "--skip-key-off", *not_c, test, name]
    if tool == "picire":
        return ["--input", name, "--test", test]
    if tool in DOMAIN_TOOLS or tool == "alone":
        adapter = wrapper.with_name("adapter.sh")
        names = {"name": shlex.quote(name), "wrapper": shlex.quote(test)}
        executable(adapter, ADAPTER.format(**names))
        inverse = INVERTED.format(adapter=shlex.quote(str(adapter)))
        inverted = executable(wrapper.with_name("inverted.sh"), inverse)
        places = {"{test}": str(adapter), "{out}": "out", "{jobs}": str(jobs), "{}": name}
        words = shlex.split(REDUCERS.get(reducer, reducer))
        return {
            "alone": [name, test, *(PLACE.sub(lambda at: places[at[0]], word) for word in words)],
            "llvm-reduce": [f"--test={adapter}", name],
            "ddsmt": ["-q", "-j", "1", "--ignore-output", name, "reduced.smt2", str(adapter)],
            "wasm-reduce": [
                *("--all-features", "--force", "-t", "tested.wasm", "-w", "working.wasm"),
                f"--command={adapter} tested.wasm",
                name,
            ],
            "mlir-reduce": [
                f"--reduction-tree=traversal-mode=0 test={inverted}",
                *("-o", "reduced.mlir", name),
            ],
            "spirv-reduce": [name, "-o", "reduced.spv", "--", str(adapter)],
        }[tool]
    condition = wrapper.with_name("condition.py")
    condition.write_text(CONDITION.format(wrapper=test))
    return [str(condition), name]
