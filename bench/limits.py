#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""Queries of every algorithm against the lower bounds of list minimisation, by simulation.

    bench/limits.py [--short] [--again NAME] [--plot FILE] [TABLE ...]

Prints the tables of docs/limits.md. Every count is of real calls: verdicts are cached, and at the
end every single removal from the result has been asked (`linear` follows the algorithms that do not
do so themselves). Seeds are fixed. What is in docs/limits.csv is not measured again; so a run that
was cut goes on where it was.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import command_line
from limit_ablations import print_ablations
from limit_claims import print_claims
from limit_costs import Costs
from limit_dependent import print_dependent
from limit_direction import print_direction
from limit_lists import print_lists, print_weights
from limit_monotone import plot, print_clustered, print_placed, print_scattered
from limit_prices import print_prices
from limit_waves import print_waves

#: Tables of `auto` beside other algorithms.
COMPARED = {
    "scattered": print_scattered,
    "clustered": print_clustered,
    "placed": print_placed,
    "dependent": print_dependent,
    "direction": print_direction,
    "ablations": print_ablations,
    "claims": print_claims,
}
OWN = {"waves": print_waves, "lists": print_lists, "weights": print_weights, "prices": print_prices}


def main() -> None:
    names = ", ".join([*COMPARED, *OWN])
    parser = command_line.parser(__doc__)
    parser.add_argument("table", nargs="*", help=f"some of {names} (all)")
    parser.add_argument("--short", action="store_true", help="fewer and smaller cells: a minute")
    parser.add_argument(
        "--again", action="append", default=[], metavar="NAME", help="measure an algorithm again"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the scattered case")
    options = parser.parse_args()
    short = options.short
    costs = Costs(None if short else command_line.DOCS / "limits.csv", options.again)
    tables = {name: partial(each, costs) for name, each in COMPARED.items()} | OWN
    if options.plot:
        plot(costs, options.plot)
    for name in options.table or ([] if options.plot else tables):
        tables[name](short=short)
        print()


if __name__ == "__main__":
    main()
