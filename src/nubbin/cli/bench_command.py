"""`nubbin bench`: the study of the literature, imported when it is asked for."""

from __future__ import annotations

from typing import Any

import click

from nubbin.cli.usage import CliError


class _Bench(click.Group):
    """Commands of a room that needs more packages than the rest of nubbin."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        from nubbin.bench.commands import COMMANDS  # noqa: PLC0415

        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a name, if there is one."""
        from nubbin.bench.commands import COMMANDS  # noqa: PLC0415

        return COMMANDS.get(cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; raises `CliError` if a package is missing, or an input is wrong."""
        from nubbin.oracles.errors import NubbinError  # noqa: PLC0415

        try:
            return super().invoke(ctx)
        except NubbinError as error:
            raise CliError(str(error)) from None
        except ModuleNotFoundError as missing:
            raise CliError(
                f"nubbin bench needs the package {missing.name}. Install it with all others that "
                "the study needs: pip install 'nubbin[bench]'"
            ) from None


@click.group(cls=_Bench)
def bench_command() -> None:
    """Measure algorithms side by side, on real inputs."""
