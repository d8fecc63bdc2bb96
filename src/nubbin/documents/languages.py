"""Which language is a file in? By its name, else by how it begins; grammars from installed wheels.

Nothing is downloaded: a grammar is there or it is not, and without one a document is tokens.
"""

from __future__ import annotations

import re
import warnings
from functools import cache
from importlib import import_module
from pathlib import PurePath

from tree_sitter import Language
from tree_sitter_language_pack import get_language

_EXTENSIONS = {
    "ada": "adb ads",
    "bash": "bash sh zsh",
    "c": "c h i",
    "clojure": "clj cljs",
    "cmake": "cmake",
    "cpp": "c++ cc cpp cxx h++ hh hpp hxx ii inc ipp tcc",
    "csharp": "cs",
    "css": "css",
    "cuda": "cu cuh",
    "d": "d",
    "dart": "dart",
    "elixir": "ex exs",
    "erlang": "erl",
    "fortran": "f f03 f08 f77 f90 f95 for",
    "fsharp": "fs",
    "glsl": "frag glsl vert",
    "go": "go",
    "graphql": "graphql",
    "groovy": "gradle groovy",
    "haskell": "hs",
    "hcl": "hcl tf",
    "hlsl": "hlsl",
    "html": "htm html",
    "ini": "cfg ini",
    "java": "java",
    "javascript": "cjs js jsx mjs",
    "json": "json jsonl ndjson",
    "julia": "jl",
    "kotlin": "kt kts",
    "latex": "tex",
    "llvm": "ll",
    "lua": "lua",
    "make": "mak mk",
    "markdown": "markdown md",
    "matlab": "m",
    "nix": "nix",
    "objc": "mm",
    "ocaml": "ml",
    "ocaml_interface": "mli",
    "pascal": "pas",
    "perl": "pl pm",
    "php": "php",
    "powershell": "ps1",
    "proto": "proto",
    "python": "py pyi",
    "r": "r",
    "rst": "rst",
    "ruby": "rb",
    "rust": "rs",
    "scala": "scala",
    "scheme": "scm ss",
    "scss": "scss",
    "smali": "smali",
    "solidity": "sol",
    "sparql": "rq",
    "sql": "sql",
    "swift": "swift",
    "tcl": "tcl",
    "thrift": "thrift",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "cts mts ts",
    "verilog": "sv svh v vh",
    "vhdl": "vhd vhdl",
    "wat": "wat wast",
    "wgsl": "wgsl",
    "xml": "rng svg wsdl xml xsd xsl xslt",
    "yaml": "yaml yml",
    "zig": "zig",
}
_BY_EXTENSION = {
    ending: name for name, endings in _EXTENSIONS.items() for ending in endings.split()
}
_BY_NAME = {"makefile": "make", "cmakelists.txt": "cmake", "dockerfile": "dockerfile"}

# What the first bytes of a file without a telling name say.
_BEGINNINGS = [
    (re.compile(rb"#!.*\b(?:ba|da|k|z)?sh\b"), "bash"),
    (re.compile(rb"#!.*\bpython"), "python"),
    (re.compile(rb"#!.*\bnode\b"), "javascript"),
    (re.compile(rb"#!.*\bruby\b"), "ruby"),
    (re.compile(rb"#!.*\bperl\b"), "perl"),
    (re.compile(rb"#!.*\blua"), "lua"),
    (re.compile(rb"\s*<\?xml\b"), "xml"),
    (re.compile(rb"\s*<!doctype html|\s*<html\b", re.IGNORECASE), "html"),
    (re.compile(rb"\s*<\?php\b"), "php"),
    (re.compile(rb"%YAML\b|---\s"), "yaml"),
    (re.compile(rb'\s*[\[{]\s*["\[{\]}]'), "json"),
]


def language_of(name: str, data: bytes) -> str | None:
    """Return the language of a file by its name, else by its first bytes; None: unknown."""
    path = PurePath(name)
    known = _BY_NAME.get(path.name.lower()) or _BY_EXTENSION.get(path.suffix[1:].lower())
    if known is None:
        known = next((said for begins, said in _BEGINNINGS if begins.match(data)), None)
    return known if known is not None and grammar(known) is not None else None


@cache
def grammar(language: str) -> Language | None:
    """Return a grammar: the wheel made for the language, else the one of the language pack."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # older wheels hand over a number
        try:
            return Language(import_module(f"tree_sitter_{language}").language())
        except (ImportError, AttributeError):
            pass
        try:
            return get_language(language)  # type: ignore[arg-type]
        except LookupError:
            return None
