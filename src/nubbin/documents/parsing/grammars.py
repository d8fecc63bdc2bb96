"""Grammars: the tree-sitter parse tables of the languages whose packages are installed."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tree_sitter

# Grammars whose wheel has another name. A wheel with several grammars has a function for each.
_WHEELS = {
    "csharp": "tree_sitter_c_sharp",
    "dtd": "tree_sitter_xml",
    "embeddedtemplate": "tree_sitter_embedded_template",
    "markdown_inline": "tree_sitter_markdown",
    "ocaml_interface": "tree_sitter_ocaml",
    "tsx": "tree_sitter_typescript",
}

#: The package of all other grammars: an extra of nubbin, `languages`, as it is nine times as large.
_PACK = "tree_sitter_language_pack"

# Formats that another format's grammar describes.
_STANDS_FOR = {"jsonl": "json"}


@cache
def grammar(language: str) -> tree_sitter.Language | None:
    """Return the grammar of a language; None if none is installed that this parser can read.

    A wheel of the language's own comes before the package of all, so that the languages that
    nubbin requires parse alike everywhere. Nothing is downloaded.
    """
    language = _STANDS_FOR.get(language, language)
    return _from_its_own_wheel(language) or _from_the_pack(language)


def has_all_grammars() -> bool:
    """Tell whether the package of all grammars is installed."""
    return find_spec(_PACK) is not None


def has_parser() -> bool:
    """Tell whether tree-sitter is installed, without which no language has a grammar."""
    return find_spec("tree_sitter") is not None


@cache
def keywords(language: str) -> frozenset[bytes]:
    """Return the words that stand in a language's grammar as they are; none without a grammar."""
    table = grammar(language)
    if table is None:
        return frozenset()
    symbols = (each for each in range(table.node_kind_count) if table.node_kind_is_visible(each))
    texts = (table.node_kind_for_id(each) for each in symbols if not table.node_kind_is_named(each))
    return frozenset(text.encode() for text in texts if text)


def _from_its_own_wheel(language: str) -> tree_sitter.Language | None:
    try:
        import tree_sitter  # noqa: PLC0415

        wheel = import_module(_WHEELS.get(language, f"tree_sitter_{language}"))
        table = getattr(wheel, f"language_{language}", None) or wheel.language
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # older wheels return a number
            return tree_sitter.Language(table())
    # Not installed, or tree-sitter is not; without that grammar, broken, or made for another
    # version of the parser.
    except (ImportError, AttributeError, ValueError, TypeError):
        return None


def _from_the_pack(language: str) -> tree_sitter.Language | None:
    try:
        found: tree_sitter.Language = import_module(_PACK).get_language(language)
    except (LookupError, ImportError, ValueError):
        return None
    return found
