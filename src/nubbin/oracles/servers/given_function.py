"""Call a function of the user's for --pass: read a line of JSON with a text, print its response.

Run as a program with the arguments NAME and LANGUAGE; NAME is FILE.py:FUNCTION or an entry point.
The Python that runs it may be another than nubbin's own, from 3.9 on. A request without `data`
loads the function, and is answered by `{}`. Otherwise the response has `edits`, which are lists of
`[start, stop, replacement]` in bytes, or the `text` that the function returned, for a `repair`. If
the function raises, the response is an `error`.
"""

from __future__ import annotations

import base64
import inspect
import json
import os
import runpy
import sys
import traceback
from collections.abc import Callable
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

_MAX_EDITS = 1_000_000


def main() -> None:
    """Answer until standard input ends."""
    name, language = sys.argv[1:]
    requests, responses = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # the output of the function must not get between the responses
    function, process = None, os.getpid()
    for line in requests:
        try:
            function = function or _loaded(name)
            response = _response(function, language, **json.loads(line))
        except BaseException as error:
            response = {"error": _told(error)}
        if os.getpid() != process:  # a child that the function forked returns from it, too
            os._exit(0)
        print(json.dumps(response), file=responses, flush=True)


def _loaded(name: str) -> Callable[..., Any]:
    path, in_file, attribute = name.rpartition(".py:")
    if in_file:
        sys.path.insert(0, str(Path(path).parent))
        found = runpy.run_path(f"{path}.py", run_name="nubbin_pass")
        if attribute not in found:
            raise NameError(f"there is no {attribute} in it")
        return found[attribute]  # type: ignore[no-any-return]
    from importlib.metadata import entry_points  # noqa: PLC0415 - older Pythons call files only

    (entry,) = entry_points(group="nubbin.passes", name=name)
    return entry.load()  # type: ignore[no-any-return]


def _told(error: BaseException) -> str:
    """Return the exception, and the last line of the user's that led to it."""
    frames = [
        each
        for each in traceback.extract_tb(error.__traceback__)
        if each.filename not in (__file__, runpy.__file__) and not each.filename.startswith("<")
    ]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"raised {type(error).__name__}: {error}{place}"


def _response(
    function: Callable[..., Any],
    language: str,
    *,
    path: str = "",
    data: str | None = None,
    repair: bool = False,
) -> dict[str, Any]:
    if not callable(function):
        raise TypeError("it is not a function")
    signature = inspect.signature(function)
    parameters = signature.parameters
    has_tree = "tree" in parameters
    try:
        signature.bind(None, **dict.fromkeys(["tree"][:has_tree]))
    except TypeError:
        raise TypeError(f"it takes {signature}, and not (text) or (data, tree)") from None
    if data is None:
        return {}
    content = base64.b64decode(data)
    of_bytes = has_tree or next(iter(parameters.values())).annotation in (bytes, "bytes")
    text: Any = content if of_bytes else content.decode(errors="surrogateescape")
    if repair:
        return {"text": _encoded(function(text))}
    found = function(text, tree=_tree(path, content, language)) if has_tree else function(text)
    sizes = (1 if of_bytes else len(each.encode(errors="surrogateescape")) for each in text)
    at = [*accumulate(sizes, initial=0)]  # how many bytes are before each position
    groups = (
        [each] if isinstance(each, tuple) else list(each) for each in islice(found, _MAX_EDITS)
    )
    return {"edits": [[_edit(at, *part) for part in group] for group in groups]}


def _edit(at: list[int], start: int, stop: int, replacement: str | bytes) -> tuple[int, int, str]:
    if not 0 <= start <= stop < len(at):
        raise IndexError(f"the edit {start}..{stop} is not in the text, which has {len(at) - 1}")
    return at[start], at[stop], _encoded(replacement)


def _encoded(text: str | bytes) -> str:
    data = text.encode(errors="surrogateescape") if isinstance(text, str) else text
    return base64.b64encode(data).decode()


def _tree(path: str, data: bytes, language: str) -> Any:
    """Return the root of the syntax tree or the outline; None if there is none."""
    # Here, because another Python may lack what they need.
    from nubbin.documents.edits import File  # noqa: PLC0415
    from nubbin.passes.table import FileView  # noqa: PLC0415

    nodes = FileView(File(path, data), language or None).structure.nodes(data)
    return nodes[0] if nodes else None
