"""Every option of a reduction, declared once.

`nubbin.reduce` and `nubbin.resume` take these as keyword arguments, the command line as options;
the journal keeps those of `JobOptions`. Imports next to nothing, so that `--help` is instant.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Annotated, TypedDict

from nubbin.passes.grain import UNITS
from nubbin.reduction.option import CONDITIONS, Option
from nubbin_core.argument_types import StrPath

#: The keys of `nubbin_core.minimizers.ALGORITHMS`: `--help` need not import those.
ALGORITHMS = (
    "auto",
    "adaptive",
    "bisect",
    "cdd",
    "ddmin",
    "exhaustive",
    "greedy",
    "heavy-first",
    "linear",
    "lithium",
    "opdd",
    "probdd",
    "probdd-no-random",
    "progression",
    "quickxplain",
    "waves",
    "wdd",
)

#: Before the name of an algorithm and a colon: on nothing but the levels of the syntax tree.
HDD = "hdd"


def _is_foreign(algorithm: str) -> bool:
    """Tell whether an algorithm is not nubbin's own."""
    from nubbin_core.search.algorithm import is_foreign  # noqa: PLC0415 - imports numpy

    return is_foreign(algorithm.removeprefix(f"{HDD}:"))


class PrintsOption(TypedDict, total=False):
    """How to tell one bug from another: a choice, and part of the answer of the test."""

    prints: Annotated[
        str | None,
        Option(
            section=CONDITIONS,
            daily=True,
            metavar="REGEX",
            help="The output matches REGEX. This also holds a TEST to one bug: candidates that "
            "fail in other ways are kept with the run.",
        ),
    ]


class ChoiceOptions(PrintsOption, total=False):
    """Options that a user may choose differently when a run goes on."""

    format: Annotated[
        str | None,
        Option(
            section="Search",
            daily=True,
            metavar="LANGUAGE",
            help="The language of INPUT (python, json, ..., binary). With binary, nubbin does not "
            "unpack it. Default: detected from the name or the first lines.",
        ),
    ]
    without: Annotated[
        tuple[str, ...],
        Option(
            section="Search",
            default=(),
            metavar="PASS",
            help="Leave out the pass with this name in `nubbin log RUN`; may be repeated. Without "
            "the passes of the proof, the result is not proven 1-minimal.",
        ),
    ]


class TestOptions(PrintsOption, total=False):
    """Options that decide what the test says."""

    memory: Annotated[
        int | None,
        Option(
            section="Test",
            daily=True,
            short="-m",
            metavar="SIZE",
            unit="bytes",
            help="Limit the memory of one run of the test (800M). All its processes count. "
            "Default: no limit.",
        ),
    ]
    runs: Annotated[
        int | None,
        Option(
            section="Test",
            metavar="N",
            least=1,
            help="Run each candidate up to N times; the failure needs to occur once. Default: "
            "once, or as often as a flaky test needs.",
        ),
    ]
    sandbox: Annotated[
        bool,
        Option(
            section="Test",
            default=False,
            help="Confine the test to its own folder, without a network; needs bwrap.",
        ),
    ]


class JobOptions(TestOptions, ChoiceOptions, total=False):
    """Options that decide what a reduction comes to."""

    pretty: Annotated[
        bool,
        Option(
            section="Result",
            daily=True,
            default=False,
            help="Also write NAME.reduced.pretty.EXT, for reading. nubbin uses clang-format, ruff, "
            "black, jq, prettier, xmllint, gofmt or rustfmt, or breaks lines if none of these is "
            "installed. It writes the file only if the test accepts it.",
        ),
    ]
    smallest: Annotated[
        str,
        Option(
            section="Search",
            daily=True,
            default="token",
            metavar="UNIT",
            choices=UNITS,
            help="The smallest unit: tree, token (default), or char. With tree, statements remain "
            "whole, and with token, words and numbers; char also shortens these. Binary files are "
            "reduced to bytes. With lines, tokens, chars or bytes, nubbin removes nothing but "
            "these, and uses no grammar.",
        ),
    ]
    keep: Annotated[
        str | None,
        Option(section="Search", metavar="REGEX", help="Never change text that matches REGEX."),
    ]
    only: Annotated[
        str | None,
        Option(section="Search", metavar="REGEX", help="Change only text that matches REGEX."),
    ]
    proposer: Annotated[
        str | None,
        Option(
            section="Search",
            metavar="CMD",
            help="Also try candidates from CMD, which reads the best candidate as JSON. See "
            "docs/agents.md.",
        ),
    ]
    price: Annotated[
        float,
        Option(
            section="Search",
            default=1.0,
            metavar="RATIO",
            unit="refused queries",
            help="The cost of an accepted query, in rejected ones: 30 if only candidates that "
            "compile run a long test suite, 0.1 if most rejections are timeouts. The default "
            "algorithm then tries larger or smaller deletions. It matters above 10 and below 0.3. "
            "Default: 1.",
        ),
    ]
    algorithm: Annotated[
        str,
        Option(
            section="Research",
            default="auto",
            short="-a",
            metavar="NAME",
            choices=(*ALGORITHMS, *(f"{HDD}:{name}" for name in ALGORITHMS)),
            others=_is_foreign,
            help=f"The search algorithm. NAME is {', '.join(ALGORITHMS)}, an algorithm of an "
            "installed package, or FILE.py:CLASS, your own (see docs/new-algorithm.md). "
            f"{HDD}:NAME runs NAME only on the levels of the syntax tree.",
        ),
    ]
    p0: Annotated[
        float,
        Option(
            section="Research",
            default=0.1,
            metavar="P",
            unit="probability",
            help="First estimate of the share of elements to keep (probdd, cdd). Default: 0.1.",
        ),
    ]
    seed: Annotated[
        int,
        Option(
            section="Research",
            default=0,
            metavar="N",
            least=0,
            help="Seed of every random choice. Default: 0.",
        ),
    ]


class WorkerOptions(TypedDict, total=False):
    """Options that decide where the test is run, and for how long."""

    timeout: Annotated[
        float | None,
        Option(
            section="Test",
            daily=True,
            short="-t",
            metavar="TIME",
            unit="seconds",
            help="Stop one run of the test after TIME (30, 0.5, 2m). Default: measured, and "
            "generous.",
        ),
    ]
    jobs: Annotated[
        int | None,
        Option(
            section="Test",
            daily=True,
            short="-j",
            metavar="N",
            least=1,
            help="Run N tests at once. The result is the same for any N. Default: one per core, or "
            "per thread of the cluster.",
        ),
    ]
    cluster: Annotated[
        str | None,
        Option(
            section="Test",
            metavar="ADDRESS",
            unit="address",
            help="Run tests in the Dask cluster of this scheduler (tcp://host:8786), or in N "
            "processes of this machine (local:N). Every worker needs TEST.",
        ),
    ]
    executor: Annotated[
        Executor | None,
        Option(
            section=None,
            help="Run tests in this executor, `jobs` at once. It must pickle calls to workers with "
            "the same version of nubbin, and return their results. Calls that it refuses, "
            "cancels, fails or loses (no answer within the time limit for each call that it "
            "has, and a minute) are made again, three times in all.",
        ),
    ]


class ResourceOptions(WorkerOptions, total=False):
    """Options that decide where the test is run, and when to stop; no result depends on them.

    A run that is resumed may have others.
    """

    max_queries: Annotated[
        int | None,
        Option(section="Budget", metavar="N", least=1, help="Stop after N queries in all."),
    ]
    max_time: Annotated[
        float | None,
        Option(
            section="Budget",
            daily=True,
            metavar="TIME",
            unit="seconds",
            help="Stop the reduction after TIME (90, 10m, 1h30m). This also ends a run of the "
            "test.",
        ),
    ]
    target_size: Annotated[
        int | None,
        Option(
            section="Budget",
            metavar="SIZE",
            unit="bytes",
            help="Stop at SIZE bytes or fewer (10K).",
        ),
    ]


class TrustOption(TypedDict, total=False):
    """Whether to use a recorded run of another user."""

    trust: Annotated[
        bool,
        Option(
            section="Run",
            daily=True,
            default=False,
            help="Use RUN although another user recorded it. That user chose the command to run "
            "and the path to write.",
        ),
    ]


class ResumeOptions(ChoiceOptions, ResourceOptions, TrustOption, total=False):
    """All options of `nubbin.resume`."""


class InputOptions(TypedDict, total=False):
    """Options that decide what is read of the input."""

    all_files: Annotated[
        bool,
        Option(
            section="Search",
            default=False,
            help="Of a folder, leave out nothing: no version control, installed packages, caches "
            "or ignored files.",
        ),
    ]


class ResultOptions(TypedDict, total=False):
    """Options that decide where the result goes."""

    output: Annotated[
        StrPath | None,
        Option(
            section="Result",
            daily=True,
            short="-o",
            metavar="PATH",
            unit="path",
            help="Write the result to PATH.",
        ),
    ]
    in_place: Annotated[
        bool,
        Option(
            section="Result",
            daily=True,
            default=False,
            short="-i",
            help="Replace INPUT; keep it as INPUT.orig.",
        ),
    ]


class Options(InputOptions, ResultOptions, JobOptions, ResourceOptions, total=False):
    """All options of `nubbin.reduce`."""


class CheckOptions(InputOptions, TestOptions, WorkerOptions, total=False):
    """All options of `nubbin.check`."""


class ReproOptions(InputOptions, TestOptions, ResourceOptions, total=False):
    """All options of `nubbin.reduction.reproduce.reproduce`."""

    golf: Annotated[
        bool,
        Option(
            section="Search",
            daily=True,
            default=False,
            help="Continue to the smallest files: shorten words, rename, remove line breaks. "
            "Default: stop at whole statements, for a person to read.",
        ),
    ]
    cold: Annotated[
        bool,
        Option(
            section="Test",
            default=False,
            help="Start Python for each run. Default: if CMD only starts Python, nubbin forks runs "
            "from a Python with the imports of CMD, provided that they fail in the same way.",
        ),
    ]


class SuspectOptions(TestOptions, ResourceOptions, total=False):
    """Options of a search for what is to blame, in a list that is not a file."""
