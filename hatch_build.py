"""What the build adds to a wheel: the man page, and where the core comes from."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class ManPage(BuildHookInterface[Any]):
    """Makes share/man/man1/nubbin.1, which `man` finds in an environment that is on the PATH."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the page, except for an editable install: it has only links to the sources."""
        if version == "editable":
            return
        sys.path[:0] = [str(Path(self.root, each)) for each in ("core/src", "src", "docs")]
        from man_page import man_page  # noqa: PLC0415 - it is found only now

        self._folder = TemporaryDirectory()  # until the wheel is made
        page = Path(self._folder.name, "nubbin.1")
        page.write_text(man_page())
        build_data["shared_data"][str(page)] = "share/man/man1/nubbin.1"


class Needed(MetadataHookInterface):
    """Has nubbin need the core of this checkout, or as a release, that of its version; and parsers.

    Parsers are needed only where they have wheels, so that nubbin can be installed elsewhere.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Name the core: NUBBIN_CORE, as `==1.2.3`, says which one a release needs."""
        core = os.environ.get("NUBBIN_CORE", f" @ {Path(self.root, 'core').as_uri()}")
        parsers = [f"{each}; {self.config['parsers-where']}" for each in self.config["parsers"]]
        metadata["dependencies"] = [f"nubbin-core{core}", *self.config["dependencies"], *parsers]
