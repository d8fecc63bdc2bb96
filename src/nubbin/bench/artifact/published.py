"""What Zhang et al. (ICSE 2025) published of each benchmark: means over five runs."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path


@cache
def published() -> dict[tuple[str, str, str], float]:
    """Return the figures by benchmark, algorithm and metric: seconds, tokens or queries."""
    with Path(__file__).with_name("published.csv").open(newline="") as file:
        return {
            (row["benchmark"], row["algorithm"], metric): float(row[metric])
            for row in csv.DictReader(file)
            for metric in ("seconds", "tokens", "queries")
        }
