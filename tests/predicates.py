"""Functions that are tests. Here, for the process that calls one imports the file it is in."""

from __future__ import annotations

from pathlib import Path


def has_b(path: Path) -> bool:
    return b"b" in path.read_bytes()


def has_boom(path: Path) -> bool:
    return b"boom" in path.read_bytes()


def calls_printf(path: Path) -> bool:
    data = path.read_bytes()
    return b"printf" in data and data.count(b"(") == data.count(b")") > 1


def links_to_boom(path: Path) -> bool:
    from markdown_it import MarkdownIt  # noqa: PLC0415

    return 'href="http://boom"' in MarkdownIt().render(path.read_text())


def is_image_with_boom(path: Path) -> bool:
    from PIL.PngImagePlugin import PngImageFile  # noqa: PLC0415

    image = PngImageFile(path)
    if max(image.size) > 16:  # a damaged header may promise gigabytes
        return False
    image.load()
    return any("boom" in text for text in image.text.values())
