"""The inputs of the paper's artifact, counted by its rule and by ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from nubbin import NubbinError
from nubbin.research import measure
from nubbin_bench.artifact.published import published_sizes
from nubbin_bench.paper_tokens import paper_tokens

_INPUTS = {
    "paper-c": "compilerbugs/*/small.c",
    "paper-debloating": "debloating/*/*.c",
    "paper-xml": "xmlprocessorbugs/*/input.xml",
}


def require_checkout(folder: Path) -> None:
    """Raise NubbinError if a folder is not a checkout of the artifact."""
    if not (folder / "benchmarks/xmlprocessorbugs").is_dir():
        raise NubbinError(
            f"{folder} is not a checkout of the paper's artifact. Clone the GitHub repository "
            "zhangxiaosa/cdd, and give its path."
        )


@dataclass(frozen=True, slots=True)
class Input:
    """An input: the SHA-256 of its bytes, and its tokens.

    `published` is what the paper says, `paper_tokens` what its rule gives, `tokens` are words and
    single marks.
    """

    suite: str
    benchmark: str
    input: str
    published: int
    paper_tokens: int
    tokens: int


def counted(checkout: Path) -> Iterator[Input]:
    """Yield the inputs of a checkout, by suite and name, whether or not they can be run.

    Raises NubbinError if the checkout is one of something else.
    """
    require_checkout(checkout)
    for suite, pattern in _INPUTS.items():
        for path in sorted((checkout / "benchmarks").glob(pattern)):
            told, data = published_sizes().get(path.parent.name), path.read_bytes()
            found = paper_tokens(data, path.suffix[1:])
            if told is not None and found is not None:
                digest = sha256(data).hexdigest()
                yield Input(suite, path.parent.name, digest, told, found, measure(data).tokens)


def sizes(inputs: Iterable[Input], suite: str) -> str:
    """Return for how many inputs of a suite the rule gives the published size, and who is off."""
    chosen = [each for each in inputs if each.suite == suite]
    off = [each for each in chosen if each.paper_tokens != each.published]
    told = f"{len(chosen) - len(off)} of {len(chosen)}"
    if not off:
        return told
    if sorted(each.published for each in off) == sorted(each.paper_tokens for each in off):
        return f"{told}; the others have the published sizes of one another"
    return f"{told}; not " + ", ".join(
        f"{each.benchmark} (published {each.published:,}, counted {each.paper_tokens:,})"
        for each in off
    )
