"""Lexicon: what a token looks like in a language, as one regular expression over bytes.

Every alternative is linear: none can fail far from where it began, save for a string that is
left open on its line, and that fails once a line since escaped quotes are read in pairs.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_SLASHES = rb"//[^\r\n]*"
_STARS = rb"/\*.*?(?:\*/|\Z)"
_HASH = rb"#[^\r\n]*"
_DASHES = rb"--[^\r\n]*"
_SEMICOLON = rb";[^\r\n]*"
_PERCENT = rb"%[^\r\n]*"
_MARKUP = rb"<!--.*?(?:-->|\Z)"

_COMMENTS: Final = {
    "c cpp objc cuda ispc java javascript typescript tsx csharp rust go swift kotlin scala scss"
    " verilog dart d proto thrift glsl hlsl wgsl groovy solidity jsonnet tablegen pony odin hare"
    " typst prisma smithy linkerscript gleam haxe astro": (_SLASHES, _STARS),
    "dot php hcl terraform": (_SLASHES, _STARS, rb"(?m:^#[^\r\n]*)"),
    "zig": (_SLASHES,),
    "css": (_STARS,),
    "python starlark bash fish ruby perl yaml toml r make cmake dockerfile elixir julia nim tcl"
    " nix ninja meson graphql puppet rego requirements properties gitignore kconfig powershell"
    " smali": (_HASH,),
    "sql": (_DASHES, _STARS),
    "lua luau": (rb"--\[\[.*?(?:\]\]|\Z)", _DASHES),
    "haskell elm purescript": (rb"\{-.*?(?:-\}|\Z)", _DASHES),
    "ada vhdl": (_DASHES,),
    "smtlib scheme racket commonlisp clojure elisp llvm asm firrtl wat wast": (_SEMICOLON,),
    "ini": (_SEMICOLON, _HASH),
    "latex matlab erlang": (_PERCENT,),
    "fortran": (rb"![^\r\n]*",),
    "xml html svelte vue markdown dtd": (_MARKUP,),
    "ocaml ocaml_interface": (rb"\(\*.*?(?:\*\)|\Z)",),
    "fsharp": (_SLASHES, rb"\(\*.*?(?:\*\)|\Z)"),
    "pascal": (_SLASHES, rb"\{.*?(?:\}|\Z)", rb"\(\*.*?(?:\*\)|\Z)"),
    "dimacs": (rb"(?m:^c(?:[ \t][^\r\n]*)?$)",),
}

_DOUBLE = rb'"(?:[^"\\\r\n]|\\.)*+"'
# Not after a word: there it is an apostrophe, a digit separator or a sized number's mark.
_SINGLE = rb"(?<!\w)'(?:[^'\\\r\n]|\\.)*+'"
_CHARACTER = rb"(?<!\w)'(?:[^'\\\r\n]|\\[^\r\n']+|\\')'"
_BACKTICK = rb"`(?:[^`\\]|\\.)*?(?:`|\Z)"
_TRIPLE = rb'"""(?:[^\\]|\\.)*?(?:"""|\Z)' + rb"|'''(?:[^\\]|\\.)*?(?:'''|\Z)"
_BARS = rb"\|[^|\\\r\n]*+\|"

_STRINGS: Final = {
    "rust smtlib scheme racket commonlisp clojure elisp haskell vhdl ada ocaml fsharp json jsonl"
    " verilog llvm dot csv tsv scala d": (_DOUBLE, _CHARACTER),
    "javascript typescript tsx": (_DOUBLE, _SINGLE, _BACKTICK),
    "go": (_DOUBLE, _SINGLE, _BACKTICK),
    "python starlark": (
        rb"(?:(?i:[rbuf]{1,2})(?=\"|'))?+(?:"
        + _TRIPLE
        + b"|"
        + _DOUBLE
        + b"|"
        + rb"'(?:[^'\\\r\n]|\\.)*+')",
    ),
}

_CHARACTERS = rb"[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}"
_NUMBER = rb"(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\w*"
_WORD = rb"(?:[A-Za-z_$]|" + _CHARACTERS + rb")(?:[\w$]|" + _CHARACTERS + rb")*+"
_OPERATORS = (
    rb"<<=|>>=|>>>|===|!==|\.\.[.=]|\*\*=?|->|=>|\+\+|--|<<|[<>=!:+*/%&|^-]=|&&|\|\||::|\?\?|\?\."
)
# A pair beginning with a backslash is one sign, so that no quote that was escaped opens a string.
_SIGN = rb"\\[\x00-\x7F]|."

_DIRECTIVES = frozenset({"c", "cpp", "objc", "cuda", "glsl", "hlsl", "ispc"})
# Where a line end is a blank like any other, and where indentation is but line ends are not.
_FREE = (
    "c cpp objc cuda ispc glsl hlsl java csharp rust d json jsonl css scss sql verilog vhdl ada"
    " php pascal ocaml zig solidity proto thrift graphql wat wast scheme racket commonlisp"
    " clojure elisp smtlib dot wgsl tablegen linkerscript prisma erlang lua odin hare"
)
_LINES = (
    "javascript typescript tsx go bash fish ruby swift kotlin fortran r julia llvm asm ini toml"
    " properties csv tsv dimacs perl powershell tcl hcl terraform matlab dart groovy elixir"
)

SPACE, COMMENT, STRING, NUMBER, WORD, SIGN = range(1, 7)


@cache
def lexicon(language: str | None) -> re.Pattern[bytes]:
    """Return the pattern whose matches, one after the other, are all tokens of any bytes.

    Its groups 1 to 6 are SPACE, COMMENT, STRING, NUMBER, WORD and SIGN. Multi-byte UTF-8
    characters stay whole, other bytes are signs; operators of several signs are one token where
    the language is known.
    """
    parts = (rb"\s+", *_alternatives(language))
    return re.compile(b"|".join(b"(%b)" % part for part in parts), re.DOTALL)


@cache
def essentials(language: str | None) -> re.Pattern[bytes]:
    """Return the pattern whose only group holds what of a token matters when layout does not.

    Blanks and comments leave it empty. Line ends are kept where they may end something, and the
    indentation after them where it may mean something; so are whole lines for the C preprocessor.
    """
    comment, *parts = _alternatives(language)
    if language in _DIRECTIVES:
        parts.insert(0, rb"(?m:^)[ \t]*#(?:[^\\\r\n]|\\\r?\n|\\)*+")
    if language in _DIRECTIVES:
        # One line end at a time, lest the blanks before a directive go with it.
        skipped = rb"(?!(?m:^)[ \t]*#)(?:[ \t\r\f\v]+|\n)"
    elif _among(language, _FREE):
        skipped = rb"\s+"
    else:
        skipped = rb"[ \t\r\f\v]+"
        parts.insert(0, rb"\n" if _among(language, _LINES) else rb"\n[ \t]*")
    return re.compile(b"%b|%b|(%b)" % (skipped, comment, b"|".join(parts)), re.DOTALL)


def _alternatives(language: str | None) -> list[bytes]:
    """Return the patterns of comments, strings, numbers, words and signs."""
    comments = _for(language, _COMMENTS) or (rb"(?!)",)
    strings = _for(language, _STRINGS) or (_DOUBLE, _SINGLE)
    if language == "smtlib":
        strings = (*strings, _BARS)
    signs = _SIGN if language is None else _OPERATORS + b"|" + _SIGN
    return [b"|".join(comments), b"|".join(strings), _NUMBER, _WORD, _CHARACTERS + b"|" + signs]


def _for(language: str | None, table: dict[str, tuple[bytes, ...]]) -> tuple[bytes, ...]:
    return next((found for names, found in table.items() if _among(language, names)), ())


def _among(language: str | None, names: str) -> bool:
    return language in names.split()
