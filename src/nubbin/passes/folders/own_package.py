"""Delete the sources of a project that its installed release can replace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from nubbin.documents.document import Document
from nubbin.documents.edits import Edit
from nubbin.documents.replacement import Replacement
from nubbin.documents.trace import Trace
from nubbin.passes.folders.across import FilesEdit, propose_across
from nubbin.passes.proposal import Proposals
from nubbin.pattern import pattern

_PACKAGE: Final = "__init__.py"
#: A relative import, with the dots that lead to its package.
_RELATIVE: Final = pattern(rb"^[ \t]*from[ \t]+(?P<dots>\.+)(?P<module>\w?)", re.MULTILINE)


def own_package(document: Document, trace: Trace) -> Proposals[Document]:
    """Propose to delete at once all files that a released package contains as well.

    If the failure is the same with the release, the report needs only the remaining files. Tests in
    the package are kept, and their relative imports from it become absolute. Nothing is proposed if
    there is no release, or if no other files would remain.
    """
    own = {file.path for file in document.files if file.path in trace.released}
    if 0 < len(own) < len(document.files):
        edit: FilesEdit = {**dict.fromkeys(own), **dict(_absolute_imports(document, own))}
        yield propose_across(document, {}, [edit])


def _absolute_imports(document: Document, gone: set[str]) -> Iterator[tuple[str, Edit]]:
    """Yield for each file that is kept the edit that makes imports of deleted packages absolute."""
    packages = {PurePosixPath(path).parent for path in document.data if path.endswith(_PACKAGE)}
    left = {each for each in packages if str(each / _PACKAGE) not in gone}
    for file in document.files:
        if file.path in gone or not file.path.endswith(".py"):
            continue
        above = [*PurePosixPath(file.path).parents]
        depth = next(at for at, each in enumerate(above) if each not in packages)
        reach = next(at for at, each in enumerate(above) if each not in left)
        edits = [
            Replacement(*found.span("dots"), name + b"." * bool(found["module"]))
            for found in _RELATIVE.finditer(file.data)
            if reach < (steps := len(found["dots"])) <= depth
            if (name := ".".join(each.name for each in above[steps - 1 : depth][::-1]).encode())
        ]
        if edits:
            yield file.path, tuple(edits)
