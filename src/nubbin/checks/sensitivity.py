"""Check that the test accepts candidates without a part, and rejects a shuffled one."""

from __future__ import annotations

import random

from nubbin.checks.case import Case, Finding
from nubbin.documents.file import Link
from nubbin.oracles.isolation.candidate_files import Files
from nubbin_core.verdict import Verdict

#: The number of candidates, and the fraction of the largest file that each of them lacks.
_CANDIDATES = 8
_DELETED_FRACTION = 1 / 8


def sensitivity(case: Case) -> Finding:
    """Run the test on the input without random eighths; costs eight runs.

    Always the same candidates: the random numbers have a fixed seed.
    """
    chance = random.Random(0)
    files = case.document.contents
    answers = case.at_once([_without_part(files, chance) for _ in range(_CANDIDATES)])
    kept = sum(answer.verdict is Verdict.INTERESTING for answer in answers)
    name = case.document.title
    part = f"a random eighth of {'the largest file of ' if len(files) > 1 else ''}{name}"
    text = f"Of {_CANDIDATES} candidates that lack {part}, the test accepts {kept}"
    if kept:
        return Finding("fine", f"{text}.")
    return Finding(
        "doubt",
        f"{text}. Nearly all of it may be needed; or the test asks for more than the "
        "misbehaviour, such as an exact output, a line number or a size.",
    )


def accepts_shuffled(case: Case) -> Finding | None:
    """Run the test on the input with its bytes shuffled; costs a run."""
    files, chance = case.document.contents, random.Random(0)
    texts = {path: files[path] for path in _texts(files)}
    shuffled = {path: bytes(chance.sample(data, len(data))) for path, data in texts.items()}
    if case.ask({**files, **shuffled}).verdict is not Verdict.INTERESTING:
        return None
    return Finding(
        "doubt",
        f"{case.test} accepts {case.document.title} even with its bytes shuffled, so the "
        "result may make no sense. If that is not meant, make it look for the message, the signal "
        "or the wrong output, or demand that a tool can read the input (--valid CMD).",
    )


def _without_part(files: Files, chance: random.Random) -> Files:
    """Return files without a random part of the largest: whole lines if it has at least eight."""
    path = max(_texts(files), key=lambda each: len(files[each]))
    lines = files[path].splitlines(keepends=True)
    parts = lines if len(lines) >= _CANDIDATES else [bytes([byte]) for byte in files[path]]
    length = max(1, round(len(parts) * _DELETED_FRACTION))
    start = chance.randrange(max(1, len(parts) - length + 1))
    return {**files, path: b"".join(parts[:start] + parts[start + length :])}


def _texts(files: Files) -> list[str]:
    return [path for path, data in files.items() if not isinstance(data, Link)]
