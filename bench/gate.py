"""How often is the syntax gate right? Its predictions against real parses, language by language.

Usage: python bench/gate.py NAME=FILE[,FILE...] ...   (NAME: a language; "-": by the file's name)

For nodes drawn at random from each file: what share of the deletions the gate allows parse
without new errors (precision), and what share of those that do it allows (recall); the same for
deletions with a separator, and for putting a descendant in a node's place.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from nubbin.documents.edits import Edit, Edits, Span
from nubbin.documents.gate import Gate, new_errors
from nubbin.documents.languages import language_of
from nubbin.documents.tree import Tree, grow
from nubbin.minimizers import EMPTY

NODES_PER_FILE = 60
LONGEST = 30_000


def parses(tree: Tree, edit: Edit) -> bool:
    edits = Edits(tree.data, [edit])
    new = tree.parsed.edited(edits.render(EMPTY), edits.spans(EMPTY))
    return not new_errors(tree.parsed, new)


def span(tree: Tree, first: int, last: int) -> Span:
    return Span(int(tree.starts[first]), int(tree.stops[last]))


def trials(tree: Tree, nodes: list[int], rng: random.Random) -> Iterator[tuple[str, bool, bool]]:
    """Yield what was predicted, the prediction and the truth."""
    gate = Gate.of(tree)
    for node in nodes:
        yield "delete", gate.can_go(node), parses(tree, (span(tree, node, node),))
        if run := gate.with_separator(node):
            yield "with separator", True, parses(tree, (span(tree, *run),))
        parts = [p for p in tree.descendants(node) if tree.named[p] and not tree.extra[p]]
        if parts:
            part = rng.choice(parts)
            whole, kept = span(tree, node, node), span(tree, part, part)
            around = (Span(whole.start, kept.start), Span(kept.stop, whole.stop))
            yield "hoist", gate.can_stand(part, node), parses(tree, around)


def measured(language: str, files: list[Path]) -> Counter[tuple[str, bool, bool]]:
    counts: Counter[tuple[str, bool, bool]] = Counter()
    rng = random.Random(0)
    for file in files:
        data = file.read_bytes()
        known = language_of(file.name, data) if language == "-" else language
        tree = grow(data[: data.rfind(b"\n", 0, LONGEST) + 1 or LONGEST], known)
        if tree is None:
            continue
        nodes = [n for n in range(1, len(tree)) if tree.named[n] and tree.stops[n] > tree.starts[n]]
        counts.update(trials(tree, rng.sample(nodes, min(NODES_PER_FILE, len(nodes))), rng))
    return counts


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "-"


def main() -> None:
    print("language      tried  delete: prec. recall  with sep.: prec.  hoist: prec. recall")
    for argument in sys.argv[1:]:
        language, _, names = argument.partition("=")
        counts = measured(language, [Path(name) for name in names.split(",")])
        right = {kind: counts[kind, True, True] for kind in ("delete", "with separator", "hoist")}
        said = {kind: right[kind] + counts[kind, True, False] for kind in right}
        true = {kind: right[kind] + counts[kind, False, True] for kind in right}
        columns = (
            f"{counts.total():6}",
            f"{share(right['delete'], said['delete']):>13}",
            f"{share(right['delete'], true['delete']):>6}",
            f"{share(right['with separator'], said['with separator']):>17}",
            f"{share(right['hoist'], said['hoist']):>12}",
            f"{share(right['hoist'], true['hoist']):>6}",
        )
        print(f"{language:12}", *columns, flush=True)


if __name__ == "__main__":
    main()
