"""How large an installation is, and how long it takes.

    script/package --offline    # builds nubbin and its core into dist/
    bench/run.py speed/install [--pythons python3.11 python3.12 ...]

For each Python, pip downloads the wheels of nubbin with all languages. Then each kind is installed
from these into an environment of its own, without network, by uv if it is there or else by pip, and
is used once: `minimize` of the core, or `nubbin reduce`. Without tree-sitter means nubbin and all
that it needs but tree-sitter and its grammars, as on a Python that they have no wheels for.

- *download, MB*: the wheels that were installed, in millions of bytes.
- *on disk, MB*: the environment, with compiled modules, less what it had when it was empty.
- *install, s*: processor time from downloaded wheels to compiled modules.
- *use, s*: processor time of the first use after that, with that of its children.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.experiment import BENCH, Table
from harness.reductions import executable

_MINIMIZE = (
    "from nubbin_core import minimize; assert minimize('hay', lambda k: 'a' in k).kept == 'a'"
)
_KINDS = {
    "core alone": "nubbin-core",
    "command": "nubbin",
    "with all languages": "nubbin[languages]",
    "without tree-sitter": "",
}


def size(paths: Iterator[Path]) -> int:
    """Return the bytes of files."""
    return sum(path.lstat().st_size for path in paths if not path.is_dir())


def seconds_of(command: Sequence[str | Path]) -> float:
    """Run a command; return the processor seconds that it took."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return sum(os.times()[2:4]) - sum(before[2:4])


def install(place: Path, words: Sequence[str], wheels: Path) -> float:
    """Install into an environment from a folder of wheels; return the seconds that took."""
    python = str(place / "bin/python")
    command = [sys.executable, "-m", "pip", "--python", python, "install"]
    if uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--compile-bytecode", "--python", python]
    return seconds_of([*command, "--quiet", "--no-index", "--find-links", wheels, *words])


def wheels_of(place: Path, wheels: Path) -> list[Path]:
    """Return the wheels of what is installed in an environment."""
    names = {each.stem.lower() for each in place.glob("lib/*/site-packages/*.dist-info")}
    return [w for w in wheels.iterdir() if "-".join(w.name.split("-")[:2]).lower() in names]


def use(place: Path, folder: Path, kind: str) -> float:
    """Use what is installed; return the seconds that took."""
    test = executable(folder / "test.sh", '#!/bin/sh\ngrep -q used "$1"\n')
    source = folder / "small.c"
    source.write_text("int main(void) {\n  int used = 1;\n  return used;\n}\n")
    if kind == "core alone":
        return seconds_of([place / "bin/python", "-I", "-c", _MINIMIZE])
    return seconds_of([place / "bin/nubbin", "reduce", "--quiet", test, source])


def experiment(*, pythons: Sequence[str] = (sys.executable,)) -> Iterator[Table]:
    dist = BENCH.parent / "dist"

    def rows() -> Iterator[list[object]]:
        for python in pythons:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                wheels = folder / "wheels"
                command = [python, "-m", "pip", "download", "--quiet", "--find-links", str(dist)]
                subprocess.run([*command, "-d", str(wheels), "nubbin[languages]"], check=True)
                version = subprocess.check_output([python, "--version"], text=True).split()[1]
                for kind, wanted in _KINDS.items():
                    place = folder / kind.replace(" ", "-")
                    subprocess.run([python, "-m", "venv", "--without-pip", place], check=True)
                    empty, words = size(place.rglob("*")), [wanted]
                    if not wanted:
                        all_of_it = wheels_of(folder / "command", wheels)
                        others = [w for w in all_of_it if not w.name.startswith("tree_sitter")]
                        words = ["--no-deps", *map(str, others)]
                    seconds = install(place, words, wheels)
                    download = size(iter(wheels_of(place, wheels)))
                    disk = size(place.rglob("*")) - empty
                    megabytes = f"{download / 1e6:.1f}", f"{disk / 1e6:.1f}"
                    try:
                        used = f"{use(place, folder, kind):.2f}"
                    except subprocess.CalledProcessError:
                        used = "fails"
                    yield [version, kind, *megabytes, f"{seconds:.1f}", used]

    columns = "Python | what | download, MB | on disk, MB | install, s | use, s"
    yield Table(columns, rows())
