"""How does a person call it? The command line."""

from __future__ import annotations

import click


@click.group()
def main() -> None:
    """Find the smallest input that still makes your program misbehave."""
