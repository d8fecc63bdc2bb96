"""Find the functions in the stack traces that programs print, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from nubbin.pattern import pattern

_FRAME: Final = pattern(
    r"""
    ^[ ]+File[ ]"[^"\n]*",[ ]line[ ]\d+,[ ]in[ ](?P<python>\w+)$
    | ^\s+at[ ](?:async[ ]|new[ ])?(?:[\w.-]+(?:@[\w.]+)?/+)?(?P<at>[\w.$<>`]+)[ ]?\(
    | ^[ ]*\#\d+[ ](?:0x[0-9a-f]+[ ](?:in[ ])?)?(?P<native>[A-Za-z_~][\w:~]*)
    | ^==\d+==[ ]+(?:at|by)[ ]0x[0-9A-F]+:[ ](?P<valgrind>[\w:~]+)
    | :\d+:in[ ][`'](?:block[ ].*in[ ])?(?P<ruby>[\w#.:?!=]+)'
    | ^(?P<go>[\w./*()-]+?)\(.*\)\n\t\S+:\d
    | ^[ ]+\d+:[ ](?:0x\w+[ ]-[ ])?(?P<rust>[A-Za-z_<][\w:<>]*)$
    """,
    re.MULTILINE | re.VERBOSE,
)


def frames_in(output: str) -> Iterator[str]:
    """Yield the functions in the stack traces of an output, in order, each once."""
    yield from dict.fromkeys(frame[frame.lastgroup or 0] for frame in _FRAME.finditer(output))
