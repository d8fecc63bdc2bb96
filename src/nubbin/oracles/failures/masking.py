"""Turn a message into a regular expression that also matches it for other inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nubbin.oracles.failures.transcript import VARYING
from nubbin.pattern import pattern

#: The characters of a message that are kept. People have to read the expression.
_MAX_CHARS = 160
#: Longer names and quotes from the input are always masked.
NAME_CHARS = 40
_MIN_WORD_CHARS = 3

_VARIES = pattern(f"{VARYING}+")
# The folder of a query, with any path before it, and a path inside of it.
_FOLDER = rf"[\w.@+~/-]* /nubbin-[\w{VARYING}]{{8}}/[0-9{VARYING}]+"
_INSIDE = rf"(?: / [\w.@+~{VARYING}-]+ )*"
_FOLDERS = pattern(_FOLDER + _INSIDE, re.VERBOSE)
_FOLDER_ALONE = pattern(_FOLDER, re.VERBOSE)
_LEFT_OUT = pattern(r"\\\[[0-9]+ chars\\\]")
_SPECIAL = pattern(r"[][\\.^$*+?{}|()]")
# Tried in this order at each place. `random` matches UUIDs, ULIDs, and long words with digits among
# small and capital letters, except mangled names. `name` matches identifiers and not plain words.
_VARIABLE = pattern(
    rf"(?P<folder> {_FOLDER} {_INSIDE} )"
    r"""
    | (?P<control> [\x00-\x1f\x7f\udc80-\udcff]+ )
    | (?P<quoted> (?: (?<!\w) | (?<=\b[bu]) ) ' (?: \\' | [^'\n] )+ ' (?!\w)
        | " (?: \\" | [^"\n] )+ " | ` [^`'\n]+ [`']
        | [‘‚‹] [^’‘›\n]+ [’‘›] | [“„«「] [^”“»」\n]+ [”“»」] )
    | (?P<path> (?: \b[A-Za-z]: | (?<![^\s=:(\[<"'`,]) ) [\w.@+~-]* (?: [/\\] [\w.@+~-]+ )+ )
    | (?P<random> \b [0-9a-fA-F]{8} - (?: [0-9a-fA-F]{4} - ){3} [0-9a-fA-F]{12} \b
        | \b (?= [0-9]*[A-Z] ) [0-7] [0-9A-HJKMNP-TV-Z]{25} \b
        | (?<! [\w+-] ) (?! _[ZR] ) (?= [\w+-]*[a-z] ) (?= [\w+-]*[A-Z] )
          (?= (?: [A-Za-z_+-]*[0-9] ){3} ) [A-Za-z0-9_+-]{20,} =* )
    | (?P<address> \b 0x[0-9a-fA-F]+ \b | \b (?=[0-9]*[a-f]) (?=[a-f]*[0-9]) [0-9a-f]{8,} \b
        | \b (?=[0-9]*[A-F]) (?=[A-F]*[0-9]) [0-9A-F]{8,} \b )
    | (?P<padded> (?: (?<= [\[(] ) [ ]+ | [ ]{2,} ) [0-9]+ (?: \.[0-9]+ )* (?! \w ) )
    | (?P<number> (?<![A-Za-z_0-9]) [0-9]+ (?: \.[0-9]+ )* )
    | (?P<name> [$@%&] \w[\w:]*
        | [A-Za-z_$][\w$]* (?: (?: (?:\.|::|->) [\w$]+ )+ | (?=\() )
        | [\w.$]+ (?= [ ]is[ ]not[ ] )
        | (?<= :[ ] ) [\w.$-]+ $
        | [A-Za-z]+ (?: [_$0-9] | (?<=[a-z])[A-Z] ) [\w$]* )
    | (?P<blanks> [ ]{2,} )
    """,
    re.VERBOSE,
)
_NAME = pattern(r"[^\W\d][\w$]*")
_ESCAPE = pattern(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|[0-7]{3}|.)")
_MASKS = {
    "control": ".*",
    # Python quotes a text that contains ' with ", and some tools quote as the language does.
    "quoted": r"\W.*\W",
    "folder": r"\S+",
    "path": r"\S+",
    "random": r"\S+",
    "address": r"\w+",
    "padded": r" *[\d.]+",
    "number": r"[\d.]+",
    "name": r"\S+",
    "blanks": " +",
}


def masked(text: str, source: str, keep: int = 0) -> str:
    """Return a regular expression for a message, or for the beginning of a long one.

    It masks numbers, blanks, addresses, paths and random words. It masks quotes and names if they
    are in `source`, the name and the text of the input: a smaller input may have another name
    there. Exempt are names, quotes and paths of the source that have up to `keep` characters,
    except words of one or two characters and the name of the input. The text is from an output made
    `plain`, as it is `marked` in a transcript.
    """
    return "".join(_parts(text[:_MAX_CHARS].strip(), source, keep))


def escaped(text: str) -> str:
    """Return the regular expression that matches a text, with any text in some places.

    These are places that are marked, text that unittest has left out, and the folders of queries.
    """
    parts = (_SPECIAL.sub(r"\\\g<0>", each) for each in _FOLDERS.split(text))
    return r"\S+".join(_VARIES.sub(".*", _LEFT_OUT.sub(".*", each)) for each in parts)


def whole_word(text: str) -> str:
    """Return the regular expression for a text that is not part of a longer word."""
    before, after = ("\\b" if re.match(r"\w", end, re.ASCII) else "" for end in (text[0], text[-1]))
    return f"{before}{escaped(text)}{after}"


def is_of(source: str, text: str) -> bool:
    """Tell whether a text has names, and all of them are words of the input."""
    names = _NAME.findall(text)
    return bool(names) and all(_has_word(source, name) for name in names)


def _has_word(source: str, name: str) -> bool:
    place = -1  # `find` is fast on megabytes of binary input; an expression is slow
    while (place := source.find(name, place + 1)) >= 0:
        end = place + len(name)
        around = source[max(place - 1, 0) : place], source[end : end + 1]
        if not any(each == "_" or each.isalnum() for each in around):
            return True
    return False


def says_something(pattern: str) -> bool:
    """Tell whether a pattern contains a word, apart from its masks."""
    for mask in _MASKS.values():
        pattern = pattern.replace(mask, " ")
    return re.search(r"[^\W\d_]{2}", pattern) is not None


def _parts(text: str, source: str, keep: int) -> Iterator[str]:
    end = 0
    for found in _VARIABLE.finditer(text):
        yield escaped(text[end : found.start()])
        end = found.end()
        yield _mask(found[0], found.lastgroup or "", source, keep)
    yield escaped(text[end:])


def _tells(text: str, keep: int) -> bool:
    return len(text) <= keep and not (len(text) < _MIN_WORD_CHARS and text.isalnum())


def _mask(text: str, kind: str, source: str, keep: int) -> str:
    if kind == "quoted":
        inside = text[1:-1]
        if inside in source or is_of(source, _ESCAPE.sub(" ", inside)):
            return escaped(text) if _tells(inside, keep) else _MASKS[kind]
        return text[0] + "".join(_parts(inside, source, keep)) + text[-1]
    own = source.partition("\n")[0]
    if kind in {"folder", "path"}:
        folder = _FOLDER_ALONE.match(text)
        inside = text[folder.end() :].lstrip("/") if folder else text
        is_kept = inside not in {"", own} and inside in source and _tells(inside, keep)
        return (r"\S+/" if folder else "") + escaped(inside) if is_kept else _MASKS[kind]
    is_told = _tells(text, keep) and text != own
    return (
        escaped(text) if kind == "name" and (is_told or not is_of(source, text)) else _MASKS[kind]
    )
