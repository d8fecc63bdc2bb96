"""A scene for attacks on nubbin: an input, a test, other things of the user, and what must hold.

A scene is drawn from a seed. It knows without nubbin which candidates are interesting, so it can
check a result and a claim of 1-minimality itself. The user's own files lie beside the input. In
TMPDIR there are folders, and a process, that look like nubbin's. None of these may be touched.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from harness.reductions import NUBBIN

HANG_S = 900.0  # a command that takes longer counts as hanging
_SETTLE_S = 20.0  # a killed process must be gone after this time

#: Old folders of the user in TMPDIR, with names like nubbin's.
_DECOYS = ("nubbin-main", "nubbin-venv-1", ".nubbin-x1", "nubbin-0")


@dataclass(slots=True)
class Row:
    """How often something happened, how often it stopped a run, and how many faults it showed."""

    times: int = 0
    stopped: int = 0
    faults: int = 0

    def add(self, stopped: bool, faults: int) -> None:
        """Count one attack."""
        self.times += 1
        self.stopped += stopped
        self.faults += faults > 0


def told(what: str, faults: list[str]) -> int:
    """Print the faults of an attack on standard error; return how many there are."""
    if faults:
        print(f"{what}: {faults}", file=sys.stderr, flush=True)
    return len(faults)


@dataclass(frozen=True)
class Puzzle:
    """An input: interesting with all of `needs`, and the second of `pair` if it has the first."""

    name: str
    files: dict[str, bytes]
    needs: tuple[bytes, ...]
    pair: tuple[bytes, bytes]

    @property
    def single(self) -> bool:
        """Whether the input is one file."""
        return list(self.files) == [self.name]

    def interesting(self, files: dict[str, bytes]) -> bool:
        """Tell whether the test finds a candidate interesting."""
        first, second = (any(each in data for data in files.values()) for each in self.pair)
        needs = (any(each in data for data in files.values()) for each in self.needs)
        return all(needs) and not (first and not second)

    def condition(self) -> str:
        """Return the same as a line of sh, to be run in the folder of the candidate."""
        name = shlex.quote(self.name)

        def has(words: bytes) -> str:
            return f"grep -aqrF -e {shlex.quote(words.decode())} -- {name}"

        first, second = map(has, self.pair)
        needs = " && ".join(map(has, self.needs))
        return f"{needs} && {{ ! {first} || {second}; }}"

    def function(self) -> str:
        """Return the same as a Python file with a function `check`."""
        return _FUNCTION.format(needs=self.needs, pair=self.pair)


_FUNCTION = """
def check(path):
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    parts = [each.read_bytes() for each in files]
    has = lambda words: any(words in part for part in parts)
    return all(map(has, {needs!r})) and not (has({pair!r}[0]) and not has({pair!r}[1]))
"""


#: The input of the rows of docs/reliability.md.
STANDARD = Puzzle(
    "input.c",
    {
        "input.c": b"".join(
            b"int f%d(int x) { return g(x, %d) + boom; }\n" % (i, i) for i in range(40)
        )
    },
    (b"f31", b"boom", b"f7"),
    (b"f12", b"g(x, 12)"),
)


def puzzle(rng: random.Random) -> Puzzle:
    """Draw an input of any format, of one file or many, small enough for some hundred queries."""
    needs = tuple(rng.sample((b"zap", b"Kilo", b"0x7f", b"mango", b"q_9"), rng.randint(1, 3)))
    pair = (b"open", b"shut")
    lines = [_line(rng, number) for number in range(rng.randint(4, 60))]
    for each in (*needs, *pair):
        at = rng.randrange(len(lines))
        lines[at] = lines[at].replace(b"name", each, 1) + b" " + each
    if rng.random() < 0.2:
        paths = [f"tree/{'sub/' * rng.randint(0, 2)}f{i}.txt" for i in range(rng.randint(1, 6))]
        parts = {path: lines[at :: len(paths)] for at, path in enumerate(paths)}
        return Puzzle("tree", {path: b"\n".join(part) for path, part in parts.items()}, needs, pair)
    end = rng.choice((b"\n", b"\n", b"\r\n", b" ", b"\n\n", b"\0"))
    names = "input.c", "input.json", "a b.txt", "-x.py", "input.typ", "input", "naïve.md"
    name = rng.choice((*names, "in'put.xml"))
    return Puzzle(name, {name: end.join(lines)}, needs, pair)


def _line(rng: random.Random, number: int) -> bytes:
    hostile = bytes(rng.choices(range(256), k=rng.randint(0, 30)))
    opening = rng.choice((b"[", b"(", b"{", b"<a>", b"- ", b"#[", b"> ")) * rng.choice((1, 5, 300))
    shapes = (
        b"int name%d(int x) { return g(x, %d); }" % (number, number),
        b'{"name": [%d, %d]},' % (number, number * 7),
        b"  - name: %d" % number,
        b"name " + hostile,
        opening + b"name",
        "näme = „%d\u201c \u202e".encode() % number,
        b"\x1b[31mname\x1b[2J\x07",
    )
    return rng.choices(shapes, weights=(6, 4, 4, 2, 1, 1, 1))[0]


@dataclass
class Scene:
    """A puzzle laid out on disk; `faults` collects all that is wrong.

    `kind` is that of the test, `command` or `python`, `options` are for `nubbin reduce`, and
    `limits` stand before every command.
    """

    root: Path
    puzzle: Puzzle
    kind: str
    options: list[str]
    faults: list[str] = field(default_factory=list)
    limits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.work, self.tmp = self.root / "work", self.root / "tmp"
        self.script = self.root / "test.sh"
        self.neighbours = {"notes.txt": b"mine\n", "input.bak/kept": b"mine, too\n"}
        for path, data in {**self.puzzle.files, **self.neighbours}.items():
            _put(self.work / path, data)
        for name in _DECOYS:
            _put(self.tmp / name / "1" / "kept", b"of the user\n")
            os.utime(self.tmp / name, (0, 0))
        self.write_test()
        line = ["sleep", "1000000"]
        here = str(self.tmp / _DECOYS[0] / "1")
        self.bystander = subprocess.Popen(line, cwd=here, env={**os.environ, "TMPDIR": here})

    def write_test(self, misdeed: str = "") -> None:
        """Write the test; `misdeed` is a line of sh that it runs first."""
        _put(self.script, f"#!/bin/sh\n{misdeed}\n{self.puzzle.condition()}\n".encode())
        self.script.chmod(0o755)
        _put(self.root / "check.py", self.puzzle.function().encode())

    @property
    def environment(self) -> dict[str, str]:
        """The environment that nubbin runs in."""
        return {**os.environ, "TMPDIR": str(self.tmp)}

    @property
    def input(self) -> Path:
        """Where the input lies."""
        return self.work / self.puzzle.name

    @property
    def target(self) -> Path:
        """Where the result goes by default."""
        name = Path(self.puzzle.name)
        end = name.suffix if self.puzzle.single else ""
        return self.work / f"{name.name.removesuffix(end)}.reduced{end}"

    def line(self, *words: object) -> list[str]:
        """Return the command line `nubbin reduce`, or of other `words`."""
        first = list(map(str, words)) or ["reduce"]
        test = [str(self.script)]
        options = [*self.options]
        if self.kind == "python":
            options, test = [*options, f"--python={self.root}/check.py:check"], []
        more = [*options, "--", *test, str(self.input)] if first[0] == "reduce" else []
        return [*self.limits, *NUBBIN, *first, *more]

    def start(self, *words: object) -> subprocess.Popen[bytes]:
        """Start a command in the folder of the input."""
        return self.popen(self.line(*words))

    def start_with(self, *words: str) -> subprocess.Popen[bytes]:
        """Start `nubbin reduce` on the input with a test of its own, which `words` name."""
        line = [*self.limits, *NUBBIN, "reduce", *self.options, *words, str(self.input)]
        return self.popen(line)

    def popen(self, line: list[str]) -> subprocess.Popen[bytes]:
        """Start any command in the folder of the input, with a pipe from each of its outputs."""
        pipe = subprocess.PIPE
        return subprocess.Popen(line, cwd=self.work, env=self.environment, stdout=pipe, stderr=pipe)

    def end(self, process: subprocess.Popen[bytes]) -> tuple[int, str]:
        """Wait for a command; return its exit code and its standard error. A hang is a fault."""
        try:
            _, told = process.communicate(timeout=HANG_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.faults.append("hangs")
            return -1, ""
        text = (told or b"").decode(errors="surrogateescape")
        if "Traceback" in text or "Error:" in text.splitlines()[-1:]:
            self.faults.append(f"traceback: {text[-300:]}")
        if any(ord(char) < 32 and char not in "\n\t" for char in text):
            self.faults.append(f"raw control characters: {text[-200:]!r}")
        if process.returncode == -signal.SIGXCPU:
            self.faults.append("hangs: its processor time was used up")
        return process.returncode, text

    def run(self, *words: object) -> tuple[int, str]:
        """Run a command to its end; see `end`."""
        return self.end(self.start(*words))

    def run_to_the_end(self, *options: object) -> tuple[int, str]:
        """Go on with the last run, or begin if there is none that could go on."""
        code, told = self.run("resume", "-q", *options)
        if code == 1 and ("no run here" in told or "before it began" in told):
            code, told = self.run("reduce", "-q", *options)
        return code, told

    # -- what must hold -------------------------------------------------------------------

    def result(self) -> dict[str, bytes] | None:
        """Return the files of the result; see `at`."""
        return self.at(self.target)

    def at(self, place: Path) -> dict[str, bytes] | None:
        """Return the files at a place under their names in the input; None if there is none."""
        if place.is_file():
            return {self.puzzle.name: place.read_bytes()}
        return _files(place, self.puzzle.name) if place.is_dir() else None

    def check(self, expected: dict[str, bytes] | None) -> None:
        """Add all that is wrong at the end to `faults`; without `expected`, any result will do."""
        if expected is not None and self.result() != expected:
            self.faults.append(f"another result: {str(self.result())[:200]}")
        for path, data in {**self.puzzle.files, **self.neighbours}.items():
            place = self.work / path
            if not place.is_file() or place.read_bytes() != data:
                self.faults.append(f"{path} of the user was changed")
        for name in _DECOYS:
            place = self.tmp / name / "1" / "kept"
            if not place.is_file() or place.read_bytes() != b"of the user\n":
                self.faults.append(f"the user's folder {name} was changed")
        if self.bystander.poll() is not None:
            self.faults.append("a process of the user was killed")
        self._check_tidy()

    def _check_tidy(self) -> None:
        known = {Path(path).parts[0] for path in (*self.puzzle.files, *self.neighbours)}
        left = {path.name for path in self.work.iterdir()} - known - {".nubbin", self.target.name}
        left |= {path.name for path in self.tmp.iterdir()} - set(_DECOYS)
        if left:
            self.faults.append(f"left behind: {sorted(left)}")
        deadline = time.monotonic() + _SETTLE_S
        while found := self.processes():
            if time.monotonic() > deadline:
                self.faults.append(f"processes left: {found}")
                break
            time.sleep(0.05)

    def processes(self) -> list[str]:
        """Return the command lines of processes that nubbin left in this scene."""
        sign, found = b"TMPDIR=" + os.fsencode(self.tmp), []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != self.bystander.pid:
                with suppress(OSError):
                    if sign in (entry / "environ").read_bytes():
                        found.append((entry / "cmdline").read_bytes().decode(errors="replace"))
        return found

    def minimal(self, files: dict[str, bytes]) -> bool:
        """Tell whether no single byte can go, by trying; True if there are too many to try."""
        if sum(map(len, files.values())) > 4000:
            return True
        return not any(
            self.puzzle.interesting({**files, path: data[:at] + data[at + 1 :]})
            for path, data in files.items()
            for at in range(len(data))
            if _whole(data[:at]) and _whole(data[at + 1 :])
        )


def _whole(data: bytes) -> bool:
    """Tell whether no UTF-8 character is cut at either end."""
    return not data or (data[0] & 0xC0 != 0x80 and data[-1] < 0xC0)


@contextmanager
def scene(puzzle: Puzzle, kind: str, options: list[str]) -> Iterator[Scene]:
    """Yield a scene in a temporary folder of its own."""
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        made = Scene(Path(name), puzzle, kind, options)
        try:
            yield made
        finally:
            made.bystander.kill()
            made.bystander.wait()


def undisturbed(
    puzzle: Puzzle, kind: str, options: list[str]
) -> tuple[dict[str, bytes], float, list[str]]:
    """Return the result of an undisturbed run, its seconds, and its faults."""
    with scene(puzzle, kind, options) as made:
        started = time.monotonic()
        stats = made.root / "stats.json"
        code, told = made.run("reduce", "-q", "--jobs", "1", "--stats", stats)
        seconds = time.monotonic() - started
        files = made.result() or {}
        if code != 0:
            made.faults.append(f"exit code {code}: {told}")
        elif not puzzle.interesting(files):
            made.faults.append(f"the result is not interesting: {files}")
        elif (
            "--smallest=token" not in options  # this option claims 1-minimality by tokens only
            and json.loads(stats.read_text())["minimal"]
            and not made.minimal(files)
        ):
            made.faults.append(f"not 1-minimal, as claimed: {files}")
        made.check(None)
        return files, seconds, made.faults


def recorded(puzzle: Puzzle, misdeed: str, to: Path) -> Path:
    """Copy the record of an unfinished run to a place; return the folder of its scene.

    `misdeed` is a line of sh that the test runs first.
    """
    with scene(puzzle, "command", []) as made:
        made.write_test(misdeed)
        made.run("reduce", "-q", "--jobs", "1", "--max-queries", "4")
        (run,) = made.work.glob(".nubbin/*/")
        shutil.copytree(run, to)
        return made.root


def _put(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def _files(folder: Path, name: str) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"{name}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}
