#!/usr/bin/env -S sh -c 'exec "$(dirname "$0")/../.venv/bin/python" "$0" "$@"'
"""nubbin's own time per query: whole reductions with a test that takes no time.

    bench/owntime.py [--queries N] [--words N] [--seed N] FILE...

The test runs in this process and finds a document interesting if it still holds some of the words
of the original, chosen at random. The figures are wall time without the test, divided by queries.
"""

import random
import re
import tempfile
import time
from functools import partial
from pathlib import Path

import command_line
from nubbin.documents.document import Document
from nubbin.minimizers import Settings
from nubbin.oracles.oracle import Answer
from nubbin.oracles.verdict import Verdict
from nubbin.reduction.best import Best
from nubbin.reduction.flaky_aware_test import FlakyAwareTest
from nubbin.reduction.pass_problem import PassProblem
from nubbin.reduction.pipeline import passes_for
from nubbin.reduction.reducer import Reducer
from nubbin.search.budget import Budget


class Words:
    """The test: is every word still there?"""

    def __init__(self, words: list[bytes]):
        self.words, self.queries, self.seconds = words, 0, 0.0

    def __call__(self, document: Document) -> Answer:
        started = time.perf_counter()
        found = all(word in document.files[0].data for word in self.words)
        self.queries += 1
        self.seconds += time.perf_counter() - started
        return Answer(Verdict.INTERESTING if found else Verdict.UNINTERESTING, 0.0, None, False)


def measure(path: Path, queries: int, words: int, seed: int) -> None:
    """Reduce a file, and print its line."""
    data = path.read_bytes()
    found = sorted(set(re.findall(rb"[A-Za-z_]\w{3,}", data)))
    test = Words(random.Random(seed).sample(found, min(words, len(found))))
    document = Document.single(path.name, data)
    with tempfile.TemporaryDirectory() as folder, Best(path.parent, Path(folder, "best")) as best:
        started = time.perf_counter()
        best.write(document)
        reducer = Reducer(
            document,
            FlakyAwareTest(test, document, {}, sampled=False),
            partial(PassProblem, settings=Settings(seed=seed)),
            best.write,
            best.write,
            budget=Budget(queries),
        )
        reducer.until_done(passes_for(document, "auto", None))
        own = time.perf_counter() - started - test.seconds
    left = len(reducer.document.files[0].data)
    each = 1000 * own / test.queries
    print(f"{len(data):9,} -> {left:7,} bytes {test.queries:6} queries {each:7.2f} ms each  {path}")


def main() -> None:
    parser = command_line.parser(__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--words", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for path in options.files:
        measure(path, options.queries, options.words, options.seed)


if __name__ == "__main__":
    main()
