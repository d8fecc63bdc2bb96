"""`nubbin --version`."""

from __future__ import annotations

import platform

import click

from nubbin.version import __version__

#: The package that holds the grammars; which texts nubbin can parse depends on its version.
_PACK = "tree-sitter-language-pack"


def print_versions(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """If `--version` is given, print the versions that a report of a bug needs, and exit."""
    if not asked or ctx.resilient_parsing:
        return
    from importlib.metadata import version  # noqa: PLC0415 - here, so that help need not wait for it

    python = platform.python_version()
    click.echo(f"nubbin {__version__} ({_PACK} {version(_PACK)}, Python {python})")
    ctx.exit()
