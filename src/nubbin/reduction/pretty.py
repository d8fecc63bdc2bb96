"""The result as a person reads it: a formatted copy, or a screen's text with line breaks."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from nubbin.documents.document import Document
from nubbin.documents.file import File
from nubbin.documents.languages import language_of
from nubbin.passes.table import FileView
from nubbin.reduction.line_breaks import with_line_breaks

_FORMAT_TIMEOUT_S = 20.0  # for one file
_MAX_SHOWN_BYTES = 2_000  # of a result that is shown whole at the end

_PRETTIER = ("prettier", "--stdin-filepath", "{name}")
_CLANG = ("clang-format", "--assume-filename={name}")

#: Per language the formatters to look for: from standard input to standard output.
_FORMATTERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "c": (_CLANG,),
    "cpp": (_CLANG,),
    "java": (_CLANG,),
    "python": (("ruff", "format", "-"), ("black", "-q", "-")),
    "json": (("jq", "."), _PRETTIER),
    "xml": (("xmllint", "--format", "-"),),
    "go": (("gofmt",),),
    "rust": (("rustfmt",),),
    **dict.fromkeys(("javascript", "typescript", "css", "html", "yaml", "markdown"), (_PRETTIER,)),
}


def laid_out(document: Document, language: str | None) -> Document:
    """Return a document in which each file is formatted, or has line breaks.

    A file has line breaks if no formatter for its language is installed, or if it does not format
    the file. Costs a process for each file.
    """
    return document.each(
        lambda file: file if file.is_link else file.with_data(_formatted(file, language))
    )


def shown(document: Document, language: str | None) -> str | None:
    """Return the text of the result with line breaks, if it is one small file of UTF-8; else None.

    Costs no query and no process.
    """
    if len(document.files) != 1 or document.sizes.bytes > _MAX_SHOWN_BYTES:
        return None
    (file,) = document.files
    with suppress(UnicodeDecodeError):
        return with_line_breaks(file.data, FileView(file, language).structure).decode()
    return None


def beside(result: Path) -> Path:
    """Return the place of the readable copy of a result."""
    return result.with_name(f"{result.stem}.pretty{result.suffix}")


def _formatted(file: File, language: str | None) -> bytes:
    known = language_of(file.path, file.data, language or "") or ""
    for program, *words in _FORMATTERS.get(known, ()):
        found = shutil.which(program)
        if found is not None:
            # A name that begins with a dash is not an option.
            name = f"./{Path(file.path).name}"
            command = [found, *(word.format(name=name) for word in words)]
            if formatted := _output(command, file.data):
                return formatted
    return with_line_breaks(file.data, FileView(file, language).structure)


def _output(command: list[str], data: bytes) -> bytes:
    """Return the output of a command for some input; nothing if it fails."""
    try:
        ran = subprocess.run(
            command, input=data, capture_output=True, check=False, timeout=_FORMAT_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return b""
    return ran.stdout if ran.returncode == 0 else b""
