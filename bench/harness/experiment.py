"""What an experiment is: a function `experiment` whose parameters are its options.

It yields tables and sentences, which are printed as they come. A parameter without a star before
it is an argument, every other one an option. The docstring of the module is the help.
"""

from __future__ import annotations

import argparse
import inspect
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_origin

from nubbin_bench.markdown import print_table, table

BENCH = Path(__file__).resolve().parents[1]
DOCS, RECORD = BENCH.parent / "docs", BENCH.parent / "record"

_EXPERIMENT = re.compile(r"^(def )?experiment\b", re.MULTILINE)


class Table(NamedTuple):
    """Columns, whose names are separated by bars, and rows; see `nubbin_bench.markdown`.

    With `page`, `--page` puts each row into that page of record/, in the table behind the mark
    `of` an experiment: in the place of a row whose first cell is the same, or else at the end.
    """

    columns: str
    rows: Iterable[Sequence[object]]
    align: str = "lr"
    page: str = ""
    of: str = ""

    @property
    def head(self) -> list[str]:
        """The names of the columns."""
        return [name.strip() for name in self.columns.split("|")]

    def __str__(self) -> str:
        """The table in Markdown."""
        return table(self.head, map(cells, self.rows), self.align)


Experiment = Callable[..., Iterator[Table | str]]


def cells(row: Sequence[object]) -> list[str]:
    """Return the cells of a row as texts: numbers with commas, and yes or no."""
    return [str(each) if isinstance(each, str) else _figure(each) for each in row]


def _figure(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value:,}"


def names() -> list[str]:
    """Return the names of all experiments: a folder and a file in it."""
    found = (path for path in BENCH.glob("*/*.py") if path.parent.name != "nubbin_bench")
    own = [path for path in found if _EXPERIMENT.search(path.read_text(encoding="utf-8"))]
    return sorted(str(path.relative_to(BENCH).with_suffix("")) for path in own)


def main(words: Sequence[str]) -> None:
    """Run the experiment that the first of the words names, with the others as its options."""
    name, *rest = words or ("",)
    if name not in names():
        sys.exit("Name an experiment, and --help for its options:\n  " + "\n  ".join(names()))
    module = import_module(name.replace("/", "."))
    parser, arguments = parser_of(module.experiment, name, module.__doc__ or "")
    options = vars(parser.parse_args(rest))
    puts = options.pop("page")
    given = [options.pop(each) for each in arguments]
    # A shell lets what it starts in the background ignore Ctrl-C, and so would each run here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for made in module.experiment(*given, **options):
        if isinstance(made, str):
            print(made, flush=True)
            continue
        rows = map(cells, made.rows)
        print_table(made.head, put(made, rows) if puts and made.page else rows, made.align)
        print()


def parser_of(
    experiment: Experiment, name: str, doc: str
) -> tuple[argparse.ArgumentParser, list[str]]:
    """Return a parser for the parameters of an experiment, and which of them are arguments."""
    parser = argparse.ArgumentParser(
        f"bench/run.py {name}",
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments = []
    for each in inspect.signature(experiment, eval_str=True).parameters.values():
        is_list = get_origin(each.annotation) is Sequence
        kind = (get_args(each.annotation) or (each.annotation,))[0]
        told: dict[str, Any] = {"type": kind}
        is_required = each.default is each.empty
        if each.kind is not each.KEYWORD_ONLY:
            arguments.append(each.name)
            count: dict[str, Any] = {"nargs": "+" if is_required else "*"} if is_list else {}
            count |= (
                {} if is_required else {"default": each.default, "nargs": "*" if is_list else "?"}
            )
            parser.add_argument(each.name, **told, **count)
        elif kind is bool:
            parser.add_argument(f"--{each.name.replace('_', '-')}", action="store_true")
        else:
            told |= {"nargs": "+"} if is_list else {}
            told |= {"required": True} if is_required else {"default": each.default}
            usual = f"({each.default})" if each.default or each.default == 0 else None
            parser.add_argument(f"--{each.name.replace('_', '-')}", **told, help=usual)
    parser.add_argument(
        "--page", action="store_true", help="put the rows into the page, if one has them"
    )
    return parser, arguments


def mark_of(name: str) -> str:
    """Return the line of a page that the table of an experiment follows."""
    return f"<!-- bench/run.py {name} --page -->\n"


def put(made: Table, rows: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yield rows, each as soon as it is in the page."""
    page = RECORD / made.page
    for row in rows:
        text = page.read_text(encoding="utf-8")
        page.write_text(filled(text, mark_of(made.of), made, row), encoding="utf-8")
        yield row


def filled(text: str, mark: str, made: Table, row: list[str]) -> str:
    """Return a page whose table behind the mark has this row, and no other of its name."""
    before, after = text.split(mark)
    lines = after.splitlines(keepends=True)
    size = next((at for at, line in enumerate(lines) if not line.startswith("|")), len(lines))
    head, rule, line = (each + "\n" for each in table(made.head, [row], made.align).split("\n"))
    rows = lines[2:size]
    name = line[: line.index(" | ") + 3]
    at = next((at for at, each in enumerate(rows) if each.startswith(name)), len(rows))
    rows[at : at + 1] = [line]
    return before + mark + "".join([head, rule, *rows, *lines[size:]])
