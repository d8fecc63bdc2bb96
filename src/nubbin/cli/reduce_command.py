"""`nubbin reduce`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nubbin.cli.algorithms import ALGORITHMS, Algorithm
from nubbin.cli.sections import SectionCommand, SectionOption
from nubbin.cli.units import cluster, duration, size
from nubbin.cli.usage import check_destinations, check_inputs

if TYPE_CHECKING:
    from nubbin.reduction.events import Observer
    from nubbin.reduction.reduction import Reduction

ATOMS = ("auto", "lines", "tokens", "chars", "bytes")
MINIMALITIES = ("tree", "token", "char")

_EPILOG = """\b
Exit codes:
  0    done: the result is written (--stats tells what ended the run)
  1    the test or the input is wrong, or standard output cannot be written:
       a paragraph says how
  2    the command line is wrong
  130  interrupted (Ctrl-C): the best result so far is written
"""


_Decorator = Callable[[Callable[..., None]], Callable[..., None]]


def _option(section: str, *names: str, **rest: Any) -> _Decorator:
    return click.option(*names, cls=SectionOption, section=section, **rest)


_result = partial(_option, "Result")
_test = partial(_option, "Test")
_search = partial(_option, "Search")
_budget = partial(_option, "Budget")
_report = partial(_option, "Report")
_research = partial(_option, "Research")
_file = click.Path(path_type=Path)


@click.command(cls=SectionCommand, epilog=_EPILOG, no_args_is_help=True)
@click.argument("places", metavar="TEST INPUT...", type=_file, nargs=-1, required=True)
@_result("-o", "--output", type=_file, metavar="PATH", help="Write the result to PATH.")
@_result("-i", "--in-place", is_flag=True, help="Replace INPUT; keep it as INPUT.orig.")
@_result(
    "--pretty",
    is_flag=True,
    help="Also write NAME.reduced.pretty.EXT: the result laid out for reading by clang-format, "
    "ruff, black, jq, prettier, xmllint, gofmt or rustfmt, if it is still interesting then.",
)
@_result(
    "--run-dir",
    type=_file,
    metavar="DIR",
    help="Record the run in DIR. Default: a new folder in .nubbin beside the result.",
)
@_test(
    "--server",
    metavar="CMD",
    help="Instead of TEST: start CMD once and ask it by the line. See docs/tests.md.",
)
@_test(
    "--python",
    metavar="FILE:FUNCTION",
    help="Instead of TEST: call a Python function; FILE is imported once, each call is a fork.",
)
@_test(
    "-t",
    "--timeout",
    type=duration,
    metavar="TIME",
    help="Stop one run of the test after TIME (30, 0.5, 2m). Default: measured, and generous.",
)
@_test(
    "-m",
    "--memory",
    type=size,
    metavar="SIZE",
    help="Memory one run of the test may hold, all processes together (800M). Default: no limit.",
)
@_test(
    "--signature",
    metavar="REGEX",
    help="Stay with one bug: what TEST prints must match REGEX. Others are kept with the run.",
)
@_test(
    "--runs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run each candidate up to N times; one interesting run is enough. Default: once, and as "
    "often as it takes when the test proves flaky.",
)
@_test(
    "--sandbox",
    is_flag=True,
    help="Let the test change nothing but its own folder, and reach no network; needs bwrap.",
)
@_test(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Tests to run at once. The result is the same for any N. Default: one per core, or per "
    "thread of the cluster.",
)
@_test(
    "--cluster",
    type=cluster,
    metavar="ADDRESS",
    help="Run tests in the Dask cluster of this scheduler (tcp://host:8786), or in N processes of "
    "this machine (local:N). TEST must be there for every worker.",
)
@_search(
    "--atom",
    type=click.Choice(ATOMS),
    default="auto",
    metavar="NAME",
    help="What to remove: lines, tokens, chars, bytes, or auto: parts of the syntax tree where "
    "there is a grammar, else lines, then tokens, then characters, until nothing more goes.",
)
@_search(
    "--format",
    metavar="LANGUAGE",
    help="The language of INPUT (python, cpp, json, ...). Default: seen from its name or start.",
)
@_search(
    "--minimality",
    type=click.Choice(MINIMALITIES),
    default="char",
    metavar="NAME",
    help="How fine to go: tree, token, or char, the default.",
)
@_search("--keep", metavar="REGEX", help="Leave what REGEX matches as it is.")
@_search("--only", metavar="REGEX", help="Leave all but what REGEX matches as it is.")
@_search(
    "--proposer",
    metavar="CMD",
    help="Also try what CMD suggests: a program that is told the best so far as JSON and answers "
    "with candidates. See docs/proposers.md.",
)
@_budget(
    "--max-queries",
    type=click.IntRange(min=1),
    metavar="N",
    help="Stop after N queries.",
)
@_budget("--max-time", type=duration, metavar="TIME", help="Stop after TIME (90, 10m, 1h30m).")
@_budget("--target-size", type=size, metavar="SIZE", help="Stop at SIZE bytes or fewer (10K).")
@_report("--stats", type=_file, metavar="FILE", help="Write figures on the run to FILE, as JSON.")
@_report(
    "-q",
    "--quiet",
    is_flag=True,
    help="Print only errors, and the path of the result unless to a terminal.",
)
@_report("-v", "--verbose", is_flag=True, help="Print a line per query.")
@_research(
    "-a",
    "--algorithm",
    type=Algorithm(),
    default="auto",
    metavar="NAME",
    help=f"How to choose what to remove next: {', '.join(ALGORITHMS)}; or hdd:NAME, on nothing "
    "but the levels of the syntax tree.",
)
@_research(
    "--p0",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    metavar="P",
    help="First guess at the share of elements that must stay (probdd, cdd). Default: 0.1.",
)
@_research(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Start of every random choice. Default: 0.",
)
def reduce_command(
    *,
    places: tuple[Path, ...],
    server: str | None,
    python: str | None,
    output: Path | None,
    in_place: bool,
    run_dir: Path | None,
    stats: Path | None,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Boil INPUT down to the least that TEST still finds interesting.

    INPUT is a file, a folder (taken without .git and links to folders), or several of them. TEST is
    an executable. It is run again and again, each time in a fresh folder that holds a smaller
    candidate under INPUT's own name; the candidate is also TEST's last argument and, if it is a
    file, its standard input. It answers with its exit code: 0, still interesting; 125, cannot say;
    101, another bug; anything else, a signal or a time-out, not interesting. With --server or
    --python there is no TEST, only INPUT.

    The result goes to NAME.reduced.EXT beside INPUT. The best so far is there at any time:
    Ctrl-C stops and keeps it, and `nubbin resume` goes on after any end. Lines with the words
    "nubbin: keep" stay.
    """
    if quiet and verbose:
        raise click.UsageError("Give either --quiet or --verbose, not both.")
    if server and python:
        raise click.UsageError("Give either --server or --python, not both.")
    test, sources = (None, places) if server or python else (places[0], places[1:])
    if not sources:
        raise click.UsageError("Missing INPUT: the test comes first, what to reduce second.")
    check_inputs(test, sources)
    check_destinations(sources, output=output, in_place=in_place, stats=stats)

    # Here, so that help need not wait for them.
    from nubbin.cli.run import run  # noqa: PLC0415
    from nubbin.oracles.user_test import UserTest  # noqa: PLC0415
    from nubbin.reduction.output_path import original_path  # noqa: PLC0415
    from nubbin.reduction.reduce import reduce  # noqa: PLC0415

    title = sources[0].resolve().name if len(sources) == 1 else f"{len(sources)} inputs"

    def user_test() -> UserTest:
        if server:
            return UserTest.server(server)
        return UserTest.python(python) if python else UserTest.command(places[0])

    def work(observers: Sequence[Observer]) -> Reduction:
        return reduce(
            user_test(),
            sources,
            output=output,
            in_place=in_place,
            record=True,
            run_dir=run_dir,
            observers=observers,
            **options,
        )

    sys.exit(
        run(
            work,
            title,
            stats=stats,
            quiet=quiet,
            verbose=verbose,
            original=original_path(sources[0]) if in_place else None,
        )
    )
