"""Every option of a reduction, declared once.

`nubbin.reduce` and `nubbin.resume` take these as keyword arguments, the command line as options;
the journal keeps those of `Group.RECORDED`. Imports next to nothing, so that `--help` is instant.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nubbin.option import Group, Option, flag, option, options_in
from nubbin.passes.grain import UNITS
from nubbin_core.algorithms import ALGORITHMS
from nubbin_core.argument_types import StrPath

if TYPE_CHECKING:
    from nubbin_core.search.budget import Budget

#: The command lines of reducers that are known by name. While other passes run, a reducer waits for
#: its test, so its own time limits are switched off.
REDUCERS: Final = {
    "creduce": "creduce --n {jobs} --timeout 999999 {test} {}",
    "cvise": "cvise --n {jobs} --timeout 999999 {test} {}",
    "ddsmt": "ddsmt -j {jobs} --timeout 999999 {} {out} {test}",
    "llvm-reduce": "llvm-reduce --test={test} {} -o {out}",
    "perses": "perses --test-script {test} --input-file {} --threads {jobs}",
    "shrinkray": "shrinkray --ui=basic --parallelism {jobs} --timeout 0 {test} {}",
    "wasm-tools": "wasm-tools shrink {test} {} -o {out}",
}

#: The prefix of an algorithm that runs only on the levels of the syntax tree: `hdd:NAME`.
HDD = "hdd"


def _is_foreign(algorithm: str) -> bool:
    from nubbin_core.search.algorithm import is_foreign  # noqa: PLC0415 - imports the minimizers

    return is_foreign(algorithm.removeprefix(f"{HDD}:"))


def _as_words(passes: Any) -> Any:
    """Replace each function among passes by its word for --pass."""
    if not isinstance(passes, list | tuple):
        return passes
    return [word_for_pass(each) if callable(each) else each for each in passes]


def word_for_pass(given: str | Callable[..., Any]) -> str:
    """Return the word for --pass that means a function; raises TypeError if there is none."""
    if isinstance(given, str):
        return given
    import inspect  # noqa: PLC0415 - takes long, and few runs have functions
    from pathlib import Path  # noqa: PLC0415

    file = inspect.getsourcefile(given) if inspect.isfunction(given) else None
    if file is None or not Path(file).is_file() or not given.__qualname__.isidentifier():
        raise TypeError(f"passes has functions from the top of a file, not {given!r}")
    return f"{file}:{given.__qualname__}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """A value for each option."""

    all_files: bool = flag(
        Group.INPUT,
        "Of a folder, leave out nothing: no version control, installed packages, caches "
        "or ignored files.",
    )
    output: StrPath | None = option(
        Group.RESULT, "Write the result to PATH.", daily=True, short="-o", unit="path"
    )
    in_place: bool = flag(
        Group.RESULT, "Replace INPUT; keep it as INPUT.orig.", daily=True, short="-i"
    )
    memory: int | None = option(
        Group.TEST,
        "Limit the memory of one run of the test (800M). All its processes count. "
        "Default: no limit.",
        daily=True,
        short="-m",
        unit="bytes",
    )
    runs: int | None = option(
        Group.TEST,
        "Run each candidate up to N times; the failure needs to occur once. Default: "
        "once, or as often as a flaky test needs.",
        least=1,
    )
    sandbox: bool = flag(
        Group.TEST, "Confine the test to its own folder, without a network; needs bwrap."
    )
    format: str | None = option(
        Group.CHOICES,
        "The language of INPUT (python, json, ..., binary). With binary, nubbin does not "
        "unpack it. Default: detected from the name or the first lines.",
        daily=True,
        metavar="LANGUAGE",
    )
    without: tuple[str, ...] = option(
        Group.CHOICES,
        "Leave out the pass with this name in `nubbin log RUN`; may be repeated. Without "
        "the passes of the proof, the result is not proven 1-minimal.",
        default=(),
        metavar="PASS",
    )
    pretty: bool = flag(
        Group.JOB,
        "Also write NAME.reduced.pretty.EXT, for reading. nubbin uses clang-format, ruff, "
        "black, jq, prettier, xmllint, gofmt or rustfmt, or breaks lines if none of these is "
        "installed. It writes the file only if the test accepts it.",
        daily=True,
        section="Result",
    )
    obfuscate: bool = flag(
        Group.JOB,
        "When nothing more can be removed, replace words and numbers that the failure does not "
        "need by meaningless ones. The table RESULT.words.tsv is for you alone.",
        section="Result",
    )
    smallest: str = option(
        Group.JOB,
        "The smallest unit: tree, token (default), or char. With tree, statements remain "
        "whole, and with token, words and numbers; char also shortens these. Binary files are "
        "reduced to bytes. With lines, tokens, chars or bytes, nubbin removes nothing but "
        "these, and uses no grammar.",
        default="token",
        daily=True,
        metavar="UNIT",
        choices=UNITS,
    )
    keep: str | None = option(Group.JOB, "Never change text that matches REGEX.", metavar="REGEX")
    only: str | None = option(Group.JOB, "Change only text that matches REGEX.", metavar="REGEX")
    passes: tuple[str | Callable[..., Any], ...] = option(
        Group.JOB,
        "Also try the edits of a Python function of yours, which gets the text and yields "
        "(start, stop, replacement), or lists of these that belong together; may be repeated. NAME "
        "alone is a pass of an installed package. WHEN is first, with (default) or last, or "
        "repair for a function that returns each candidate with checksums corrected. See "
        "docs/doors.md.",
        default=(),
        typed="--pass",
        metavar="[WHEN@]FILE.py:NAME",
        read=_as_words,
    )
    reduce_with: tuple[str, ...] = option(
        Group.JOB,
        f"Give another reducer turns: {', '.join(REDUCERS)}, or a line with {{}} for the file and "
        "{test} for its test, which nubbin answers; also {out}, a file for the result, and {jobs}. "
        "first@CMD begins with it; may be repeated. INPUT must be one file. See docs/doors.md.",
        default=(),
        metavar="[first@]CMD",
    )
    price: float = option(
        Group.JOB,
        "The cost of an accepted query, in rejected ones: 30 if only candidates that "
        "compile run a long test suite, 0.1 if most rejections are timeouts. The default "
        "algorithm then tries larger or smaller deletions. It matters above 10 and below 0.3. "
        "Default: 1.",
        default=1.0,
        unit="rejected queries",
    )
    algorithm: str = option(
        Group.JOB,
        f"The search algorithm. NAME is {', '.join(ALGORITHMS)}, an algorithm of an "
        "installed package, or FILE.py:CLASS, your own (see docs/new-algorithm.md). "
        f"{HDD}:NAME runs NAME only on the levels of the syntax tree.",
        default="auto",
        short="-a",
        metavar="NAME",
        choices=(*ALGORITHMS, *(f"{HDD}:{name}" for name in ALGORITHMS)),
        others=_is_foreign,
        section="Research",
    )
    p0: float = option(
        Group.JOB,
        "First estimate of the share of elements to keep (probdd, cdd). Default: 0.1.",
        default=0.1,
        unit="probability",
        section="Research",
    )
    seed: int = option(
        Group.JOB,
        "Seed of every random choice. Default: 0.",
        default=0,
        least=0,
        section="Research",
    )
    timeout: float | None = option(
        Group.WORKERS,
        "Stop one run of the test after TIME (30, 0.5, 2m). Default: measured, and generous.",
        daily=True,
        short="-t",
        unit="seconds",
    )
    jobs: int | None = option(
        Group.WORKERS,
        "Run N tests at once. The result is the same for any N. Default: one per core, or "
        "per thread of the cluster.",
        daily=True,
        short="-j",
        least=1,
    )
    cluster: str | None = option(
        Group.WORKERS,
        "Run tests in the Dask cluster of this scheduler (tcp://host:8786), or in N "
        "processes of this machine (local:N). Every worker needs TEST.",
        unit="address",
    )
    executor: Executor | None = option(
        Group.WORKERS,
        "Run tests in this executor, `jobs` at once. It must pickle calls to workers with "
        "the same version of nubbin, and return their results. Calls that it refuses, "
        "cancels, fails or loses (no answer within the time limit for each call that it "
        "has, and a minute) are made again, three times in all.",
        section=None,
    )
    max_queries: int | None = option(Group.BUDGET, "Stop after N queries in all.", least=1)
    max_time: float | None = option(
        Group.BUDGET,
        "Stop the reduction after TIME (90, 10m, 1h30m). This also ends a run of the test.",
        daily=True,
        unit="seconds",
    )
    target_size: int | None = option(
        Group.BUDGET, "Stop at SIZE bytes or fewer (10K).", unit="bytes"
    )
    trust: bool = flag(
        Group.TRUST,
        "Use RUN although another user recorded it. That user chose the command to run "
        "and the path to write.",
        daily=True,
    )
    golf: bool = flag(
        Group.PROJECT,
        "Continue to the smallest files: shorten words, rename, remove line breaks. "
        "Default: stop at whole statements, for a person to read.",
        daily=True,
    )
    cold: bool = flag(
        Group.PROJECT,
        "Start Python for each run. Default: if CMD only starts Python, nubbin forks runs "
        "from a Python with the imports of CMD, provided that they fail in the same way.",
        section="Test",
    )

    def values(self, groups: Group) -> dict[str, Any]:
        """Return the values of the options of some groups, by name."""
        return {each.name: getattr(self, each.name) for each in options_in_groups(groups)}

    def budget(self) -> Budget:
        """Return what the reduction may cost; its time begins now."""
        from nubbin_core.search.budget import Budget  # noqa: PLC0415 - imports the minimizers

        return Budget(**self.values(Group.BUDGET))

    def chosen(self, groups: Group) -> dict[str, list[Any]]:
        """Return the values of some groups that differ from the defaults, each as a list."""
        given = {
            name: list(value) if isinstance(value, list | tuple) else [value]
            for name, value in self.values(groups).items()
            if value != OPTIONS[name].default
        }
        return {name: values for name, values in given.items() if values}

    def as_words(
        self, groups: Group, between: str = "=", quoted: Callable[[str], str] = str
    ) -> list[str]:
        """Return the options of some groups as words of a command line, or of a shell."""
        return [
            OPTIONS[name].flag + ("" if value is True else between + quoted(str(value)))
            for name, values in self.chosen(groups).items()
            for value in values
        ]


#: The declaration of each option by name, in the order of the help.
OPTIONS: Final = options_in(Options)


def options_in_groups(groups: Group) -> list[Option]:
    """Return the options of some groups, in the order of the help."""
    return [each for each in OPTIONS.values() if each.group in groups]
