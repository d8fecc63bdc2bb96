"""Another user of this machine, who prepares things in folders that all may write to."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534

#: Only root can be somebody else.
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")


@contextmanager
def another_user() -> Iterator[None]:
    """Be another user in this block, whose processes and files belong to nobody."""
    groups, umask = os.getgroups(), os.umask(0)
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
        os.umask(umask)


@contextmanager
def folder_for_all(mode: int = 0o1777) -> Iterator[Path]:
    """Make a folder that all users may reach and write to, which `tmp_path` is not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(os.path.realpath(name))
        folder.chmod(mode)
        yield folder
