"""Languages: detect the language of a document by its name and its contents."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import PurePath

from nubbin.documents.parsing.grammars import grammar, has_all_grammars
from nubbin.documents.parsing.language_names import ALIASES, ENDINGS, OUTLINED, WHOLE_NAMES
from nubbin.documents.parsing.trees import Tree, tree_of

_KNOWN = frozenset({*ENDINGS, *WHOLE_NAMES.values()})
_PLAIN = frozenset({"text", "txt", "plain", "none", "binary", "bytes", "log"})

# The beginnings of documents, after white space. Comments are matched without backtracking,
# `(?>...)*+`, which would take time exponential in their number.
_OPENINGS = (
    ("html", rb"(?i:<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>])"),
    ("xml", rb"<\?xml\s|<!DOCTYPE\s|<svg[\s>]|<([A-Za-z_][\w:.-]*)(\s[^<>]*)?>.*</\1\s*>\s*\Z"),
    ("php", rb"<\?php\b|<\?="),
    ("dimacs", rb"(?:c\b[^\n]*\n\s*)*p\s+w?cnf\s+\d+\s+\d+"),
    ("dot", rb"(?:strict\s+)?(?:di)?graph\b[^{;(=]*\{"),
    (
        "smtlib",
        rb"(?>;[^\n]*\s+)*+\((?:set-(?:logic|option|info)|declare-(?:fun|const|sort)|assert)\s",
    ),
    ("llvm", rb"; ModuleID\s*=|source_filename\s*=|target (?:triple|datalayout)\s*="),
    ("yaml", rb"%YAML\s|---\s*\n"),
    ("verilog", rb"(?>/\*.*?\*/\s*|//[^\n]*\s+)*+(?:`timescale\b|module\s+[\w\\]+\s*[#(;])"),
)

# Lines that make a language worth a parse, if the file's name does not imply the language.
_SIGNS = {
    "c": rb'#\s*(?:include|define|\d+ ")|(?:typedef|struct|static|extern|void|int|unsigned|char)\b',
    "cpp": rb"#\s*include|(?:template\s*<|namespace|class|using|struct|void|int|public:)\b",
    "python": rb"(?:def|class|import|from|if|for|while|with|try|print|@\w)\b[^;{]*$",
    "javascript": rb"(?:var|let|const|function|import|export|class|module\.exports)\b",
    "typescript": rb"(?:interface|type|enum|export|declare|import|const|let|namespace)\b",
    "java": rb"(?:package|import)\s+[\w.]+(?:\.\*)?;|(?:public|private|final|abstract|class)\b",
    "rust": rb"(?:(?:fn|use|mod|impl|pub|struct|enum|let|trait)\b|#!?\[)",
    "go": rb"package\s+\w+\s*$|(?:func|import|type|var)\b",
    "sql": rb"(?i:select|create|insert|with|update|delete|drop|alter|pragma)\s",
    "fortran": rb"(?i:program|module|subroutine|function|implicit none|integer|contains)\b",
    "ruby": rb"(?:require|def|class|module|end$|puts)\b",
    "scheme": rb"\((?:define|lambda|let|import|module)\b",
}

# The same for languages that parse nearly anything: half of the lines must begin like this.
_LENIENT_SIGNS = {
    "yaml": rb"#|(?:- )*[\w.\"'/-]+:(?: |$)|- \S",
    "toml": rb"#|\[[\w.\"-]+\]$|[\w.-]+\s*=\s*\S",
    "css": rb"/\*|\}|[\w.#*:@-][^{};]{0,500}\{|[\w-]+:[^;{}]{0,500};$",
    "bash": rb"#|if \[|for \w+ in\b|while\b|fi$|done$|(?:echo|export|cd|set|rm|mv|cp)\s|\w+=\S*$",
}

# Stray bytes, as a fraction of all. A language that is guessed from the content may have this many.
_MAX_STRAY_IF_GUESSED = 0.1
# If the language of the name has more, the document may be in another: XML in .conf.
_MAX_STRAY_IF_NAMED = 0.5
_SAMPLE_BYTES = 1 << 16
_MAX_SHEBANG_BYTES = 256  # systems read no more of that line


def language_of(
    name: str,
    data: bytes,
    format: str = "",
    tree: Callable[[bytes, str], Tree | None] = tree_of,
) -> str | None:
    """Return the language of a document; None if it is unknown.

    The first of these decides: the user's word `format`; the `name` of the file, unless the bytes
    are clearly something else; `#!`; the beginning of the text; whether all of it is JSON; and a
    parse in each language whose words begin its lines: the one with the fewest stray bytes wins. A
    language may have no grammar (see `grammar`). `tree` returns the tree of bytes in the language
    of the name, which may be cached.

    Raises ValueError, with the nearest names, for an unknown format.
    """
    if format:
        return _by_format(data, format)
    named = _by_name(data, name)
    if named and not _is_another(data, named, tree):
        return named
    return _by_content(data) or named


def without_grammar(names: Iterable[str], format: str = "") -> list[str]:
    """Return the languages of files, by their names, whose grammars are not installed; sorted.

    If an ending has several languages, they count only if no grammar of them is installed. `format`
    is the user's word for the language of every file.
    """
    found = {(_meant(format),) if format else _named(name) for name in names}
    lacking = {each[0] for each in found if each and not any(map(grammar, each))}
    return sorted(_KNOWN & lacking - OUTLINED)


def _by_format(data: bytes, format: str) -> str | None:
    word = format.lower().removeprefix(".")
    if word in _PLAIN:
        return None
    if (language := _meant(word)) in _KNOWN or grammar(language):
        return language
    if found := _by_name(data, f"x.{word}"):
        return found
    near = difflib.get_close_matches(word, sorted(_KNOWN | ALIASES.keys()), n=4)
    hint = f"did you mean {' or '.join(near)}?" if near else "`text` means no structure at all."
    hint += "" if has_all_grammars() else " For more: pip install 'nubbin[languages]'."
    raise ValueError(f"no format is called {format!r}; {hint}")


def _meant(word: str) -> str:
    """Return the language that a word means: its name, another word for it, or its ending."""
    of_ending = _by_ending().get(f".{word}", ())
    if word in _KNOWN or len(of_ending) != 1:
        return ALIASES.get(word, word)
    return of_ending[0]


def _by_name(data: bytes, name: str) -> str | None:
    found = _named(name)
    return _best(data, found) if len(found) > 1 else next(iter(found), None)


def _named(name: str) -> tuple[str, ...]:
    lowered = PurePath(name.lower())
    whole = WHOLE_NAMES.get(lowered.name)
    return (whole,) if whole else _by_ending().get(lowered.suffix, ())


def _by_content(data: bytes) -> str | None:
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    head = text[:_SAMPLE_BYTES]
    if not text or b"\0" in head:
        return None
    if shebang := re.match(
        rb"#![^\n]*?([a-z]+)[\d.]*(?:[ \t]+-[^\n]*)?\s*\n", head[:_MAX_SHEBANG_BYTES]
    ):
        word = _meant(shebang[1].decode())
        return word if word in _KNOWN else None
    for language, opening in _OPENINGS:
        if re.match(opening, text, re.DOTALL):
            return language
    if text[:1] in b"[{" and (found := _as_json(text)):
        return found
    lines = _lines_with(rb"\S", head)
    likely = [name for name, sign in _SIGNS.items() if _lines_with(sign, head)]
    lenient = [name for name, sign in _LENIENT_SIGNS.items() if 2 * _lines_with(sign, head) > lines]
    return _best(data, likely, guessed=True) or _best(data, lenient, guessed=True)


def _lines_with(sign: bytes, head: bytes) -> int:
    return len(re.findall(rb"(?m)^[ \t]*(?:%b)" % sign, head))


def _as_json(text: bytes) -> str | None:
    for language, part in (("json", text), ("jsonl", text.split(b"\n", 1)[0])):
        try:
            json.loads(part)
        except (ValueError, RecursionError):
            continue
        return language
    return None


def _best(data: bytes, languages: Sequence[str], guessed: bool = False) -> str | None:
    """Return the language whose parse has the fewest stray bytes; of equals, the first.

    A language that is only guessed has to fit.
    """
    sample = _sample(data)
    best, fewest = None, (_MAX_STRAY_IF_GUESSED if guessed else 1.0) * len(sample)
    for language in languages:
        tree = tree_of(sample, language)
        wrong = tree.facts.stray_bytes if tree else len(sample)
        # With fewer nodes than lines, a tree shows no structure.
        if guessed and not (
            tree and tree.is_reliable and tree.facts.size >= _lines_with(rb"\S", sample)
        ):
            continue
        if wrong < fewest or (best is None and wrong <= fewest):
            best, fewest = language, wrong
    return best


def _is_another(data: bytes, language: str, tree: Callable[[bytes, str], Tree | None]) -> bool:
    """Tell whether a document hardly parses in a language."""
    sample = _sample(data)
    parsed = tree(sample, language)
    return parsed is not None and parsed.facts.stray_bytes > _MAX_STRAY_IF_NAMED * len(sample)


def _sample(data: bytes) -> bytes:
    """Return the start of a document, in whole lines if there is one."""
    if len(data) <= _SAMPLE_BYTES:
        return data
    return data[: data.rfind(b"\n", 0, _SAMPLE_BYTES) + 1 or _SAMPLE_BYTES]


@cache
def _by_ending() -> dict[str, tuple[str, ...]]:
    endings: dict[str, tuple[str, ...]] = {}
    for language, listed in ENDINGS.items():
        for ending in listed.split():
            endings[ending] = (*endings.get(ending, ()), language)
    return endings
