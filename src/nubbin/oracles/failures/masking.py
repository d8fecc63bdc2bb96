"""What a program said, as a regular expression for what it says again about another input."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nubbin.oracles.failures.transcript import VARYING

#: The characters of a message that are kept: a person is to check it.
_MAX_CHARS = 160
#: A name or a quote of the input that is not longer tells one failure from another.
NAME_CHARS = 40
_MIN_WORD_CHARS = 3

_VARIES = re.compile(f"{VARYING}+")
# A folder of a query, whatever stands before it, and what it holds.
_FOLDER = rf"[\w.@+~/-]* /nubbin-[\w{VARYING}]{{8}}/[0-9{VARYING}]+"
_INSIDE = rf"(?: / [\w.@+~{VARYING}-]+ )*"
_FOLDERS = re.compile(_FOLDER + _INSIDE, re.VERBOSE)
_FOLDER_ALONE = re.compile(_FOLDER, re.VERBOSE)
_LEFT_OUT = re.compile(r"\\\[[0-9]+ chars\\\]")
_SPECIAL = re.compile(r"[][\\.^$*+?{}|()]")
# Tried in this order at each place. Random
# are UUIDs, ULIDs, and long words with digits among small and capital letters; not what compilers
# make of names. A name is what looks like one, and not like a word of English.
_VARIABLE = re.compile(
    rf"(?P<folder> {_FOLDER} {_INSIDE} )"
    r"""
    | (?P<control> [\x00-\x1f\x7f\udc80-\udcff]+ )
    | (?P<quoted> (?<!\w) '[^'\n]+' (?!\w) | "[^"\n]+" | `[^`'\n]+[`'] | ‘[^’\n]+’ | “[^”\n]+” )
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
_NAME = re.compile(r"[^\W\d][\w$]*")
_MASKS = {
    "control": ".*",
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
    """Return a regular expression for a message, of which only the first part counts if it is long.

    Numbers, blanks, addresses, paths and what looks like chance may be others; so may what is
    quoted, or looks like a name, if it is somewhere in `source`, the name and the text of the
    input: a smaller input may have another name there. But up to `keep` characters of these, and of
    a path that is in the source, stay what they are, unless they are a word of one or two or the
    name of the input. The text is that of an output made `plain`, as it is `marked` in a
    transcript.
    """
    return "".join(_parts(text[:_MAX_CHARS].strip(), source, keep))


def escaped(text: str) -> str:
    """Return the regular expression that matches a text.

    What is marked in it may be anything, and so may what unittest leaves out of a long text; the
    folder of a query may be another one.
    """
    parts = (_SPECIAL.sub(r"\\\g<0>", each) for each in _FOLDERS.split(text))
    return r"\S+".join(_VARIES.sub(".*", _LEFT_OUT.sub(".*", each)) for each in parts)


def as_word(text: str) -> str:
    """Return the regular expression for a text that is not part of a longer word."""
    before, after = ("\\b" if re.match(r"\w", end, re.ASCII) else "" for end in (text[0], text[-1]))
    return f"{before}{escaped(text)}{after}"


def is_of(source: str, text: str) -> bool:
    """Tell whether all names in a text are in the input as well, as words of their own."""
    names = _NAME.findall(text)
    return bool(names) and all(_has_word(source, name) for name in names)


def _has_word(source: str, name: str) -> bool:
    """Tell whether a name is a word of a text: by `find`, as the text may be a folder of pictures.

    An expression would look at each of its characters.
    """
    place = -1
    while (place := source.find(name, place + 1)) >= 0:
        end = place + len(name)
        around = source[max(place - 1, 0) : place], source[end : end + 1]
        if not any(each == "_" or each.isalnum() for each in around):
            return True
    return False


def says_something(pattern: str) -> bool:
    """Tell whether anything but masks is left of a message."""
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
    """Tell whether a quote or a name is to stay: not a short one, as small inputs have."""
    return len(text) <= keep and not (len(text) < _MIN_WORD_CHARS and text.isalnum())


def _mask(text: str, kind: str, source: str, keep: int) -> str:
    if kind == "quoted":
        inside = text[1:-1]
        is_theirs = inside in source or is_of(source, inside)
        if is_theirs and _tells(inside, keep):
            return escaped(text)
        return text[0] + (".*" if is_theirs else "".join(_parts(inside, source, keep))) + text[-1]
    own = source.partition("\n")[0]
    if kind in {"folder", "path"}:
        folder = _FOLDER_ALONE.match(text)
        inside = text[folder.end() :].lstrip("/") if folder else text
        stays = inside not in {"", own} and inside in source and _tells(inside, keep)
        return (r"\S+/" if folder else "") + escaped(inside) if stays else _MASKS[kind]
    is_told = _tells(text, keep) and text != own
    return (
        escaped(text) if kind == "name" and (is_told or not is_of(source, text)) else _MASKS[kind]
    )
