"""From files and folders on disk to a document, and where each of its files came from."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.file import File


def read(inputs: Sequence[Path]) -> tuple[Document, Path]:
    """Return the document that some files and folders make, and the folder its paths start from.

    One file is called by its name, a folder by its own with all that is in it, and of several
    inputs each keeps its place below the folder that holds them all. Links to files are read as
    files; links to folders, sockets and the like are left out. Raises OSError for what cannot be
    read.
    """
    places = [Path(os.path.abspath(each)) for each in inputs]  # noqa: PTH100 - links stay links
    if len(places) == 1:
        root, name = places[0].parent, places[0].name
    else:
        root, name = Path(os.path.commonpath([place.parent for place in places])), "."
    paths = sorted({path for place in places for path in _files(place)})
    files = (File(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths)
    return Document(name, tuple(files)), root


def executables(document: Document, root: Path) -> frozenset[str]:
    """Return the paths of the files that may be run."""
    return frozenset(file.path for file in document.files if os.access(root / file.path, os.X_OK))


def _files(place: Path) -> Iterator[Path]:
    if not place.is_dir():
        yield place
        return
    for folder, _, names in os.walk(place, onerror=_raise):
        yield from (path for name in names if (path := Path(folder, name)).is_file())


def _raise(error: OSError) -> None:
    raise error
