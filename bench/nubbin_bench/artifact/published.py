"""What Zhang et al. (ICSE 2025) published of each benchmark: its size, and means over five runs."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent


@cache
def published() -> dict[tuple[str, str, str], float]:
    """Return the figures by benchmark, algorithm and metric: seconds, tokens or queries."""
    with (_HERE / "published.csv").open(newline="") as file:
        return {
            (row["benchmark"], row["algorithm"], metric): float(row[metric])
            for row in csv.DictReader(file)
            for metric in ("seconds", "tokens", "queries")
        }


@cache
def benchmarks(suite: str) -> frozenset[str]:
    """Return the names of the benchmarks of one of the paper's suites: `paper-c`, say."""
    with (_HERE / "published.csv").open(newline="") as file:
        return frozenset(
            row["benchmark"] for row in csv.DictReader(file) if f"paper-{row['suite']}" == suite
        )


@cache
def published_sizes() -> dict[str, int]:
    """Return the tokens of each benchmark's input, by the paper's counter."""
    with (_HERE / "published_sizes.csv").open(newline="") as file:
        return {row["benchmark"]: int(row["tokens"]) for row in csv.DictReader(file)}
