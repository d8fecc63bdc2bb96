"""`nubbin-bench run`, `pages`, `compare`, `merge` and `inputs`: the study of the literature."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nubbin import NubbinError
from nubbin_bench.artifact import SUITES as ARTIFACT
from nubbin_bench.cases import Case, Unavailable, unavailable
from nubbin_bench.suites import ALGORITHMS, EVERY, FRAMEWORKS, chosen, from_artifact

if TYPE_CHECKING:
    from nubbin.research import Algorithm

_path = click.Path(path_type=Path)
_folder = click.Path(exists=True, file_okay=False, path_type=Path)
_RECORD = Path("raw/runs.csv")
_ARTIFACT_RECORD = Path("raw/artifact.csv")
_ABLATIONS_RECORD = Path("raw/ablations.csv")
_docs = click.option(
    "--docs",
    type=_path,
    default=Path("record/evaluation"),
    show_default=True,
    help="The folder of the pages and of the records.",
)


def _names(_: click.Context, __: click.Parameter, value: str) -> list[str]:
    return value.split(",")


def _algorithms(context: click.Context, option: click.Parameter, value: str) -> list[Algorithm]:
    from nubbin.research import Algorithm  # noqa: PLC0415

    try:
        found = [Algorithm.named(name) for name in _names(context, option, value)]
        for each in found:
            each.load()
    except (ValueError, NubbinError) as error:
        raise click.BadParameter(f"{error}") from None
    titles = [each.title for each in found]
    for title in titles:
        if titles.count(title) > 1:
            raise click.BadParameter(f"two algorithms would be called {title} in the record.")
    return found


def _frameworks(context: click.Context, option: click.Parameter, value: str) -> list[str]:
    from nubbin_bench.frameworks import PATTERN  # noqa: PLC0415

    names = _names(context, option, value)
    for name in names:
        if not PATTERN.fullmatch(name):
            raise click.BadParameter(f"there is no {name!r}; this help says which there are.")
    return names


@click.command()
@click.argument("cases", type=_folder, required=False)
@click.option(
    "--artifact", type=_folder, help="Instead of CASES: a checkout of the paper's artifact."
)
@click.option("--short", is_flag=True, help="Small inputs, four algorithms, the first framework.")
@click.option(
    "--suite",
    multiple=True,
    metavar="NAME[=GLOB]",
    help=f"One of {', '.join(EVERY)}, or a NAME for the folders that match. May be repeated. "
    "With --artifact GLOB may be several, with commas.",
)
@click.option(
    "--algorithms",
    default=",".join(ALGORITHMS),
    callback=_algorithms,
    show_default=True,
    help="Names, or FILE.py:CLASS for your own: see docs/new-algorithm.md.",
)
@click.option("--frameworks", default=",".join(FRAMEWORKS), callback=_frameworks, show_default=True)
@click.option("--seeds", default=5, show_default=True, help="Runs of algorithms that draw.")
@click.option("--p0", type=float, multiple=True, help="May be repeated. By default as published.")
@click.option("--max-queries", default=20_000, show_default=True, help="Per run.")
@click.option("--max-time", default=900.0, show_default=True, help="Seconds of the test per run.")
@click.option("--timeout", default=20.0, show_default=True, help="Seconds of one run of a test.")
@click.option("--time", type=float, default=float("inf"), help="Start nothing after these seconds.")
@click.option("--jobs", default=2, show_default=True, help="Runs at a time.")
@click.option("--dry-run", is_flag=True, help="List the runs, and make none.")
@click.option("--cache", type=_path, default=Path.home() / ".cache/nubbin/bench.sqlite")
@_docs
def run_command(
    cases: Path | None, artifact: Path | None, short: bool, docs: Path, **options: Any
) -> None:
    """Reduce the CASES by every algorithm, and add the results to the record.

    CASES holds one folder for each case, with a case.json (see record/evaluation/cases.md). The
    frameworks are hdd; hdd-N, its first N levels only; picireny, in which a
    node's least text takes its place; lines; tokens; and tokens-N, the tokens that hdd:cdd leaves
    when it first has no more than N.

    Runs that are in the record are not made again, unless a lower limit cut them, so a study can be
    cut into pieces by --time.
    Answers of the tests are kept on disk, because algorithms ask many of the same questions;
    queries and seconds are counted as if they were not. Begin with --short, which takes less than
    ten minutes on two cores. Some tests run the reduced programs: use a sandbox.
    """
    from nubbin_bench.plan import Plan  # noqa: PLC0415
    from nubbin_bench.record import Record  # noqa: PLC0415
    from nubbin_bench.study import run_all  # noqa: PLC0415

    if (cases is None) == (artifact is None):
        raise click.UsageError("Give CASES or --artifact, one of the two.")
    suites = options["suite"]
    if artifact is not None:
        work = options["cache"].parent / "artifact"
        found = from_artifact(artifact, suites or ARTIFACT, work)
    elif cases is not None:
        found = [*chosen(cases, suites or EVERY)]
    for why, names in unavailable(case for _, case in found).items():
        click.echo(f"left out, because {why}: {', '.join(names)}")
    plan = Plan(
        [(suite, case) for suite, case in found if isinstance(case, Case)],
        options["frameworks"],
        options["algorithms"],
        options["seeds"],
        options["p0"],
        options["max_queries"],
        options["max_time"],
        options["timeout"],
    )
    jobs = (Plan.short(plan) if short else plan).jobs()
    if options["dry_run"]:
        click.echo("\n".join(" ".join(job.key) for job in jobs))
        return
    record = Record.load(docs / (_ARTIFACT_RECORD if artifact else _RECORD))
    for row in run_all(
        jobs,
        record,
        cache=options["cache"],
        workers=options["jobs"],
        seconds=options["time"],
    ):
        if isinstance(row, Unavailable):
            click.echo(f"{row.name} is left out: {row.why}")
            continue
        click.echo(
            f"{row.case} {row.framework}:{row.algorithm} {row.seed}: {row.tokens} tokens, "
            f"{row.queries} queries, {row.seconds:.0f} + {row.own:.0f} s, {row.end}"
        )
    left = sum(not record.has(job) for job in jobs)
    if left:
        click.echo(f"{left} runs are left for another time")


@click.command()
@_docs
def pages_command(docs: Path) -> None:
    """Write the pages from the record, and run nothing.

    A page of one of the paper's suites is written if the record has runs of it, and the other
    pages if it has runs of CASES.
    """
    from nubbin_bench.pages import write_pages  # noqa: PLC0415
    from nubbin_bench.record import Record  # noqa: PLC0415

    record, artifact = Record.load(docs / _RECORD), Record.load(docs / _ARTIFACT_RECORD)
    if not (record.rows or artifact.rows):
        raise click.UsageError(
            f"There are no runs in {record.path.parent}; make some: nubbin-bench run."
        )
    write_pages(record, artifact, Record.load(docs / _ABLATIONS_RECORD), docs)


@click.command()
@click.argument("records", type=click.Path(exists=True, path_type=Path), nargs=-1, required=True)
@click.option("--into", type=_path, required=True, help="The record that gets all rows.")
def merge_command(records: tuple[Path, ...], into: Path) -> None:
    """Add the rows of RECORDS, files like raw/runs.csv, to one record.

    Of two rows for the same run, the newer one stays. How the size fell in a run is read from the
    logs in the folder `queries` beside a record, if its rows do not say it.
    """
    from nubbin_bench.query_log import filled  # noqa: PLC0415
    from nubbin_bench.record import Record  # noqa: PLC0415

    record = Record.load(into)
    for row in record.merge([filled(Record.load(path)) for path in records]):
        click.echo(
            f"{row.case} {row.framework}:{row.algorithm} {row.seed}: {row.queries} queries and "
            f"{row.tokens} tokens at {row.commit}, and something else in the newer row"
        )
    click.echo(f"{len(record.rows):,} runs are in {into}")


@click.command()
@click.option("--artifact", type=_folder, required=True, help="A checkout of the paper's artifact.")
@_docs
def inputs_command(artifact: Path, docs: Path) -> None:
    """Count the tokens of all inputs of the paper's artifact, as it does and as nubbin does."""
    from nubbin_bench.artifact.inputs import Input, counted  # noqa: PLC0415
    from nubbin_bench.csv_rows import save  # noqa: PLC0415
    from nubbin_bench.pages import INPUTS  # noqa: PLC0415

    inputs = list(counted(artifact))
    save(docs / INPUTS, Input, inputs)
    click.echo(f"{len(inputs)} inputs are in {docs / INPUTS}")


@click.command()
@click.argument("algorithms", nargs=-1, metavar="ALGORITHM...")
def compare_command(algorithms: tuple[str, ...]) -> None:
    """Run each ALGORITHM on the recorded oracles, and compare it with the first of them.

    An ALGORITHM is a name, or FILE.py:CLASS for your own. No compiler is needed, and no test is
    run: see record/evaluation/compare.md. By default: auto, cdd, probdd, lithium and ddmin.
    """
    from nubbin.research import Algorithm  # noqa: PLC0415
    from nubbin_bench.compare import DEFAULT, compare  # noqa: PLC0415

    try:
        found = [Algorithm.named(name) for name in algorithms or DEFAULT]
    except ValueError as error:
        raise click.UsageError(f"{error}") from None
    click.echo(compare(found))


class _Commands(click.Group):
    """Commands that end with a sentence if an input is wrong."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; raises ClickException, whose text is a paragraph, for a NubbinError."""
        try:
            return super().invoke(ctx)
        except NubbinError as error:
            raise click.ClickException(str(error)) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Measure algorithms side by side, on real inputs."""


main.add_command(run_command, "run")
main.add_command(pages_command, "pages")
main.add_command(compare_command, "compare")
main.add_command(merge_command, "merge")
main.add_command(inputs_command, "inputs")
